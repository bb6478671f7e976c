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
        if (fine) {
            refresh_fine_blocks(s);
        } else if (measure_ == Measure::losses) {
            refresh_blocks(s);
        } else if (segments_[s].n_rows > 0) {
            refresh_ranking(s);
        }
    }
    fresh_[fine] = true;
}

void Engine::refresh_blocks(std::size_t s) {
    const Segment& segment = segments_[s];
    const std::int64_t* evidence = states_[s]->evidence.data();
    for (int y = 0; y < segment.n_classes; ++y) {
        Block& block = states_[s]->blocks[y];
        const std::size_t begin = segment.class_begin[y], n = segment.class_begin[y + 1] - begin;
        if (models_rows_) {
            block.base = states_[s]->rows->fill(scanned_, y, block.beliefs.data(), block.stride);
            continue;
        }
        for (std::size_t i = 0; i < n; i += kChunk)
            kernels().beliefs(loss_, evidence + begin + i, segment.n_rows, segment.n_classes, y,
                              std::min(kChunk, n - i), block.beliefs.data() + i, block.stride);
        if (loss_ == Loss::log_loss) block.base = true_class_evidence(segment, evidence, y);
    }
}

void Engine::refresh_fine_blocks(std::size_t s) {
    const Segment& segment = segments_[s];
    const std::int64_t* evidence = states_[s]->evidence.data();
    for (int y = 0; y < segment.n_classes; ++y) {
        Block& block = states_[s]->blocks[y];
        const std::size_t begin = segment.class_begin[y], n = segment.class_begin[y + 1] - begin;
        block.fine_beliefs.resize(n * segment.n_classes);
        if (models_rows_) block.base = states_[s]->rows->fill(scanned_, y, block.fine_beliefs.data(), n);
        for (std::size_t i = 0; i < n && !models_rows_; i += kChunk)
            kernels().fine_beliefs(evidence + begin + i, segment.n_rows, segment.n_classes, y,
                                   std::min(kChunk, n - i), block.fine_beliefs.data() + i, n);
        if (!segment.weights.empty() && block.fine_weights.empty())
            block.fine_weights.assign(segment.weights.begin() + begin, segment.weights.begin() + begin + n);
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
