// SPDX-License-Identifier: BSD-3-Clause
// The statistic of ranks after a column is added to rows of weight 1.
#include <algorithm>

#include "bayesieve/ranks/ranking.hpp"

namespace bayesieve {
namespace {

// Words from `low` on, fewer than `width` of them; both are even, so that ties stay together.
struct WordRange {
    std::uint32_t low;
    std::uint64_t width;

    bool holds(std::uint32_t word) const { return static_cast<std::uint32_t>(word - low) < width; }
};

template <typename Code>
struct ColumnWords {
    const RankedRows& rows;
    const Code* codes;
    const std::int64_t* shift;  // of each code, from the lowest key on

    std::uint32_t key(std::size_t i) const {
        return static_cast<std::uint32_t>(static_cast<std::uint64_t>(rows.log_odds[i] + shift[codes[i]]) >>
                                          kRankShift);
    }

    // Parts are divided at keys of a sample of the rows, so that they have about the same size.
    WordRange range(RankPart part, std::vector<std::uint32_t>& sample) const {
        constexpr std::size_t n_each = 64;
        constexpr std::uint64_t end = std::uint64_t{1} << 32;
        if (part.n == 1) return {0, end};
        sample.clear();
        const std::size_t step = std::max<std::size_t>(1, rows.n_rows / (n_each * part.n));
        for (std::size_t i = 0; i < rows.n_rows; i += step) sample.push_back(key(i) << 1);
        std::sort(sample.begin(), sample.end());
        const auto border = [&](std::size_t k) { return sample[sample.size() * k / part.n]; };
        const std::uint32_t low = part.index == 0 ? 0 : border(part.index);
        return {low, (part.index + 1 == part.n ? end : border(part.index + 1)) - low};
    }

    Wide statistic(RankPart part, RankScratch& scratch) const {
        const WordRange range = this->range(part, scratch.counts);
        scratch.counts.resize(std::max(scratch.counts.size(), 2 * rows.n_rows));
        std::uint32_t *words = scratch.counts.data(), largest = 0;
        std::size_t n_kept = 0, below = 0;
        const auto keep = [&](std::size_t begin, std::size_t end, std::uint32_t positive) {
            for (std::size_t i = begin; i < end; ++i) {
                const std::uint32_t word = key(i) << 1 | positive;
                const bool inside = range.holds(word);
                words[n_kept] = word - range.low;
                largest = std::max(largest, inside ? word - range.low : 0);
                n_kept += inside ? 1 : 0;
                below += word < range.low ? 1 : 0;
            }
        };
        keep(0, rows.n_negative, 0);
        const std::size_t n_negative_below = below, n_negative = n_kept;
        keep(rows.n_negative, rows.n_rows, 1);
        Wide statistic = statistic_of_words(words, n_kept, largest);
        statistic.add_product(n_kept - n_negative, 2 * n_negative_below);
        return statistic;
    }
};

}  // namespace

bool statistic_of_column(const RankedRows& rows, const RankColumn& column, RankPart part, Wide& out,
                         RankScratch& scratch) {
    const std::int64_t lowest = rank_key(rows.lowest + column.lowest),
                       highest = rank_key(rows.highest + column.highest);
    const auto width = static_cast<std::uint64_t>(highest) - static_cast<std::uint64_t>(lowest);
    if (rows.weights != nullptr || width >= (std::uint64_t{1} << 31)) return false;
    // Half a key, which rounds to nearest, goes into the shift with the lowest key.
    const std::int64_t origin =
        (std::int64_t{1} << (kRankShift - 1)) - lowest * (std::int64_t{1} << kRankShift);
    scratch.plain.resize(static_cast<std::size_t>(column.n_codes));
    for (std::int32_t v = 0; v < column.n_codes; ++v) scratch.plain[v] = column.shift[v] + origin;
    out = column.narrow != nullptr
              ? ColumnWords<std::uint8_t>{rows, column.narrow, scratch.plain.data()}.statistic(part, scratch)
              : ColumnWords<std::uint16_t>{rows, column.wide, scratch.plain.data()}.statistic(part, scratch);
    return true;
}

}  // namespace bayesieve
