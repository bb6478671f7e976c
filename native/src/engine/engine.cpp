// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/engine/engine.hpp"

#include <algorithm>
#include <cmath>

#include "state.hpp"

namespace bayesieve {

const std::int64_t* change_table(const Segment& segment, const Change& change,
                                 std::vector<std::int64_t>& scratch) {
    const CodeColumn& column = segment.columns[change.column];
    if (change.before == 0.0 && change.after == 1.0) return column.table;
    const auto weighted = [](double weight, std::int64_t entry) {
        return weight == 1.0 ? entry
                             : static_cast<std::int64_t>(std::nearbyint(weight * static_cast<double>(entry)));
    };
    scratch.resize(static_cast<std::size_t>(column.n_codes) * segment.n_classes);
    for (std::size_t i = 0; i < scratch.size(); ++i)
        scratch[i] = weighted(change.after, column.table[i]) - weighted(change.before, column.table[i]);
    return scratch.data();
}

Engine::Engine(std::vector<Segment> segments, Measure measure, Loss loss, double argument, int n_threads,
               const MakeRows& make_rows)
    : segments_(std::move(segments)),
      measure_(measure),
      loss_(loss),
      scanned_(loss),
      argument_(argument),
      n_threads_(std::max(1, n_threads)) {
    has_leads_ = measure_ == Measure::losses && loss == Loss::error &&
                 std::all_of(segments_.begin(), segments_.end(), ErrorLeads::serve);
    for (const Segment& segment : segments_) {
        auto state = std::make_shared<State>();
        state->rows = make_rows(segment);
        scanned_ = state->rows->scanned(loss);
        has_leads_ = has_leads_ && state->rows->adds_up();
        if (measure_ == Measure::losses && can_estimate()) {
            state->class_rows.resize(segment.n_classes);
            for (int y = 0; y < segment.n_classes; ++y) {
                ClassRows& rows = state->class_rows[y];
                const std::size_t begin = segment.class_begin[y], n = segment.class_begin[y + 1] - begin;
                rows.mass = static_cast<double>(segment.mass[y]);
                if (has_leads_) continue;
                rows.stride = (n + kPadding - 1) / kPadding * kPadding;
                rows.beliefs.assign(rows.stride * segment.n_classes, 0.0f);
                std::fill_n(rows.beliefs.begin(), rows.stride, 1.0f);
                if (!segment.weights.empty()) rows.weights.assign(rows.stride, 0.0f);
                for (std::size_t i = 0; i < n && !segment.weights.empty(); ++i)
                    rows.weights[i] = static_cast<float>(segment.weights[begin + i]);
            }
            if (has_leads_) {
                state->leads.build(segment);
            } else {
                state->rows->prepare_scans();
                if (build_in_use() != Build::portable) state->packed.build(segment);
            }
        }
        states_.push_back(std::move(state));
    }
    reset();
}

std::size_t Engine::n_measures() const {
    const int n_classes = segments_[0].n_classes;
    return measure_ != Measure::losses && n_classes == 2 ? 1 : static_cast<std::size_t>(n_classes);
}

std::size_t Engine::state_size() const {
    std::size_t size = 0;
    for (const Segment& segment : segments_) size += segment.n_classes * segment.n_rows;
    return size;
}

bool Engine::can_estimate() const {
    if (measure_ == Measure::losses) return scanned_ != Loss::none;
    return has_histograms() && segments_[0].n_classes == 2;
}

bool Engine::has_histograms() const { return measure_ == Measure::pairs && states_[0]->rows->adds_up(); }

void Engine::reset() {
    empty_ = true;
    for (const auto& state : states_) state->rows->reset();
    settle();
}

void Engine::apply(const std::vector<Change>& changes) {
    empty_ = empty_ && changes.empty();
    for (const auto& state : states_) state->rows->apply(changes);
    settle();
}

// What exact measures need of a new state.
void Engine::settle() {
    fresh_[0] = fresh_[1] = false;
    for (std::size_t s = 0; s < segments_.size() && measure_ != Measure::losses; ++s) {
        if (segments_[s].n_classes != 2) continue;
        const std::size_t n = segments_[s].n_rows;
        const std::int64_t* evidence = states_[s]->rows->evidence().data();
        states_[s]->log_odds.resize(n);
        for (std::size_t i = 0; i < n; ++i) states_[s]->log_odds[i] = evidence[n + i] - evidence[i];
    }
}

// Of each segment: the size of its token, and the token.
std::vector<std::int64_t> Engine::snapshot() const {
    std::vector<std::int64_t> all;
    for (const auto& state : states_) {
        const std::vector<std::int64_t> token = state->rows->snapshot();
        all.push_back(static_cast<std::int64_t>(token.size()));
        all.insert(all.end(), token.begin(), token.end());
    }
    return all;
}

bool Engine::restore(const std::vector<std::int64_t>& all) {
    std::vector<std::size_t> begins;
    std::size_t end = 0;
    for (const auto& state : states_) {
        if (end == all.size()) return false;
        const std::size_t begin = end + 1, size = static_cast<std::size_t>(all[end]);
        if (size > all.size() - begin || !state->rows->accepts(all.data() + begin, size)) return false;
        begins.push_back(begin);
        end = begin + size;
    }
    if (end != all.size()) return false;
    for (std::size_t s = 0; s < states_.size(); ++s)
        states_[s]->rows->restore(all.data() + begins[s], static_cast<std::size_t>(all[begins[s] - 1]));
    empty_ = false;
    settle();
    return true;
}

}  // namespace bayesieve
