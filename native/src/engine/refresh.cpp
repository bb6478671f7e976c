// SPDX-License-Identifier: BSD-3-Clause
// What estimates need of a new state: made when first asked for, so that a walk that only measures does not
// pay.
#include <algorithm>

#include "state.hpp"

namespace bayesieve {

void Engine::refresh(int effort) {
    // Efforts differ in what they need of a state only where there is a scan in float64.
    const bool fine = effort > 0 && has_fine_scan();
    if (fresh_[fine] || !can_estimate()) return;
    for (std::size_t s = 0; s < segments_.size(); ++s) {
        if (has_leads_) {
            states_[s]->leads.refresh(segments_[s], states_[s]->rows->evidence());
        } else if (measure_ == Measure::losses) {
            refresh_beliefs(s, fine);
        } else if (segments_[s].n_rows > 0) {
            refresh_ranking(s);
        }
    }
    fresh_[fine] = true;
}

void Engine::refresh_beliefs(std::size_t s, bool fine) {
    const Segment& segment = segments_[s];
    const RowModel& model = *states_[s]->rows;
    for (int y = 0; y < segment.n_classes; ++y) {
        ClassRows& rows = states_[s]->class_rows[y];
        if (!fine) {
            rows.base = model.fill(scanned_, y, rows.beliefs.data(), rows.stride);
            continue;
        }
        const std::size_t begin = segment.class_begin[y], n = segment.class_begin[y + 1] - begin;
        rows.fine_beliefs.resize(n * segment.n_classes);
        rows.base = model.fill(scanned_, y, rows.fine_beliefs.data(), n);
        if (!segment.weights.empty() && rows.fine_weights.empty())
            rows.fine_weights.assign(segment.weights.begin() + begin, segment.weights.begin() + begin + n);
    }
}

void Engine::refresh_ranking(std::size_t s) {
    State& state = *states_[s];
    const std::vector<std::int64_t>& odds = state.log_odds;
    const auto range = std::minmax_element(odds.begin(), odds.end());
    state.lowest = *range.first;
    state.highest = *range.second;
    state.coarse_bits = cut_log_odds(odds.data(), odds.size(), state.lowest, state.highest, state.coarse);
    state.few_patterns = find_patterns(odds.data(), odds.size(), kFewPatterns, state.patterns);
}

}  // namespace bayesieve
