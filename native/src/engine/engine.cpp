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
      scanned_(loss == Loss::smoothed_log_loss ? Loss::none : loss),
      argument_(argument),
      models_rows_(static_cast<bool>(make_rows)),
      n_threads_(std::max(1, n_threads)) {
    for (const Segment& segment : segments_) {
        auto state = std::make_shared<State>();
        if (models_rows_) {
            state->rows = make_rows(segment);
            scanned_ = state->rows->scanned(loss);
        }
        if (measure_ == Measure::losses && can_estimate()) {
            state->blocks.resize(segment.n_classes);
            for (int y = 0; y < segment.n_classes; ++y) {
                Block& block = state->blocks[y];
                const std::size_t begin = segment.class_begin[y], n = segment.class_begin[y + 1] - begin;
                block.stride = (n + kPadding - 1) / kPadding * kPadding;
                block.beliefs.assign(block.stride * segment.n_classes, 0.0f);
                std::fill_n(block.beliefs.begin(), block.stride, 1.0f);
                if (!segment.weights.empty()) block.weights.assign(block.stride, 0.0f);
                for (std::size_t i = 0; i < n && !segment.weights.empty(); ++i)
                    block.weights[i] = static_cast<float>(segment.weights[begin + i]);
                block.mass = static_cast<double>(segment.mass[y]);
            }
            if (!models_rows_) state->ratios.build(segment);
            if (uses_avx2()) state->packed.build(segment);
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
    return measure_ == Measure::pairs && segments_[0].n_classes == 2 && !models_rows_;
}

void Engine::reset() {
    empty_ = true;
    for (std::size_t s = 0; s < segments_.size(); ++s) {
        const Segment& segment = segments_[s];
        states_[s]->evidence.resize(segment.n_classes * segment.n_rows);
        if (models_rows_) {
            states_[s]->rows->reset(states_[s]->evidence.data());
            continue;
        }
        for (int c = 0; c < segment.n_classes; ++c)
            std::fill_n(states_[s]->evidence.begin() + c * segment.n_rows, segment.n_rows, segment.start[c]);
    }
    settle();
}

void Engine::apply(const std::vector<Change>& changes) {
    empty_ = empty_ && changes.empty();
    std::vector<std::int64_t> scratch;
    for (std::size_t s = 0; s < segments_.size(); ++s) {
        if (models_rows_) {
            states_[s]->rows->apply(changes, states_[s]->evidence.data());
            continue;
        }
        for (const Change& change : changes) {
            const std::int64_t* table = change_table(segments_[s], change, scratch);
            add_column(segments_[s].columns[change.column], table, segments_[s].n_classes, 0,
                       segments_[s].n_rows, states_[s]->evidence.data(), segments_[s].n_rows);
        }
    }
    settle();
}

// What exact measures need of a new state.
void Engine::settle() {
    fresh_[0] = fresh_[1] = false;
    for (std::size_t s = 0; s < segments_.size() && measure_ != Measure::losses; ++s) {
        if (segments_[s].n_classes != 2) continue;
        const std::size_t n = segments_[s].n_rows;
        const std::int64_t* evidence = states_[s]->evidence.data();
        states_[s]->log_odds.resize(n);
        for (std::size_t i = 0; i < n; ++i) states_[s]->log_odds[i] = evidence[n + i] - evidence[i];
    }
}

std::vector<std::int64_t> Engine::snapshot() const {
    if (models_rows_) return states_[0]->rows->snapshot();  // the same columns have spoken in every segment
    std::vector<std::int64_t> all;
    for (const auto& state : states_) all.insert(all.end(), state->evidence.begin(), state->evidence.end());
    return all;
}

void Engine::restore(const std::vector<std::int64_t>& all) {
    empty_ = false;
    if (models_rows_) {
        for (const auto& state : states_) state->rows->restore(all, state->evidence.data());
        settle();
        return;
    }
    auto from = all.begin();
    for (const auto& state : states_) {
        std::copy_n(from, state->evidence.size(), state->evidence.begin());
        from += static_cast<std::ptrdiff_t>(state->evidence.size());
    }
    settle();
}

}  // namespace bayesieve
