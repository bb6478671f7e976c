// SPDX-License-Identifier: BSD-3-Clause
// One statistic of ranks, divided among threads.
#include <algorithm>
#include <limits>

#include "bayesieve/ranks/ranking.hpp"

namespace bayesieve {
namespace {

// Keys from `low` on, and below `high` unless no part lies above.
struct KeyRange {
    std::int64_t low, high;
    bool is_last;

    bool holds(std::int64_t key) const { return low <= key && (is_last || key < high); }
};

// Parts are divided at keys of a sample of the rows, so that they have about the same size.
KeyRange range_of(const std::vector<std::int64_t>& keys, RankPart part, std::vector<std::int64_t>& sample) {
    constexpr std::size_t n_each = 64;
    const std::size_t step = std::max<std::size_t>(1, keys.size() / (n_each * part.n));
    const bool is_last = part.index + 1 == part.n;
    sample.clear();
    for (std::size_t i = 0; i < keys.size(); i += step) sample.push_back(keys[i]);
    if (sample.empty()) return {0, 0, is_last};
    std::sort(sample.begin(), sample.end());
    const auto border = [&](std::size_t k) { return sample[sample.size() * k / part.n]; };
    return {part.index == 0 ? std::numeric_limits<std::int64_t>::min() : border(part.index),
            is_last ? 0 : border(part.index + 1), is_last};
}

}  // namespace

Wide statistic_of_part(std::vector<std::int64_t>& keys, std::size_t n_negative, const std::int64_t* weights,
                       RankPart part, RankScratch& scratch) {
    if (part.n == 1) return statistic_of_keys(keys, n_negative, weights, scratch);
    const KeyRange range = range_of(keys, part, scratch.plain);
    std::size_t n_kept = 0;
    if (weights != nullptr) scratch.weights.resize(keys.size());
    struct Sums {
        std::uint64_t below = 0, within = 0;
    };
    // Moves the rows of the part to the front.
    const auto keep = [&](std::size_t begin, std::size_t end) {
        Sums sums;
        for (std::size_t i = begin; i < end; ++i) {
            const std::int64_t key = keys[i];
            const std::uint64_t weight = weights == nullptr ? 1 : static_cast<std::uint64_t>(weights[i]);
            const bool inside = range.holds(key);
            sums.below += key < range.low ? weight : 0;
            sums.within += inside ? weight : 0;
            keys[n_kept] = key;
            if (weights != nullptr) scratch.weights[n_kept] = weights[i];
            n_kept += inside ? 1 : 0;
        }
        return sums;
    };
    const Sums negative = keep(0, n_negative);
    const std::size_t n_kept_negative = n_kept;
    const Sums positive = keep(n_negative, keys.size());
    keys.resize(n_kept);
    Wide statistic = statistic_of_keys(keys, n_kept_negative,
                                       weights == nullptr ? nullptr : scratch.weights.data(), scratch);
    statistic.add_product(positive.within, 2 * negative.below);
    return statistic;
}

}  // namespace bayesieve
