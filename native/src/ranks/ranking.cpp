// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/ranks/ranking.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace bayesieve {
namespace {

struct Cell {
    std::int64_t key;
    std::uint64_t negative, positive;
};

constexpr int kRadixBits = 12;
constexpr std::size_t kRadix = std::size_t{1} << kRadixBits;

// Sorts by the bits from `first` on, of which `largest` has the highest. Returns the sorted array.
template <typename Word>
const Word* radix_sort(Word* from, Word* to, std::size_t n, Word largest, int first) {
    int n_bits = 0;
    while (first + n_bits < std::numeric_limits<Word>::digits && (largest >> (first + n_bits)) != 0) ++n_bits;
    const int n_passes = (n_bits + kRadixBits - 1) / kRadixBits;
    const int digit = n_passes == 0 ? 0 : (n_bits + n_passes - 1) / n_passes;
    const Word mask = static_cast<Word>((Word{1} << digit) - 1);
    // No pass changes what the others count, so that one reading counts for all.
    std::uint32_t place[3][kRadix];
    std::memset(place, 0, sizeof place[0] * static_cast<std::size_t>(n_passes));
    for (std::size_t i = 0; i < n; ++i)
        for (int pass = 0; pass < n_passes; ++pass) ++place[pass][(from[i] >> (first + pass * digit)) & mask];
    for (int pass = 0; pass < n_passes; ++pass) {
        std::uint32_t sum = 0;
        for (std::uint32_t& p : place[pass]) {
            const std::uint32_t count = p;
            p = sum;
            sum += count;
        }
        const int shift = first + pass * digit;
        for (std::size_t i = 0; i < n; ++i) to[place[pass][(from[i] >> shift) & mask]++] = from[i];
        std::swap(from, to);
    }
    return from;
}

// Within a tie negatives come first (their lowest bit is 0), so each positive sees all of them.
Wide sweep(const std::uint64_t* sorted, std::size_t n, const std::int64_t* weights) {
    Wide statistic;
    std::uint64_t below = 0, upto = 0, previous = ~std::uint64_t{0};
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t key = sorted[i] >> 33;
        const std::uint64_t weight = static_cast<std::uint64_t>(weights[sorted[i] & 0xffffffff]);
        below = key != previous ? upto : below;
        previous = key;
        if ((sorted[i] >> 32) & 1) {
            statistic.add_product(weight, below + upto);
        } else {
            upto += weight;
        }
    }
    return statistic;
}

// The same of rows of weight 1, whose numbers are not needed: words are key << 1 | positive.
Wide sweep(const std::uint32_t* sorted, std::size_t n) {
    std::uint64_t below = 0, upto = 0, sum = 0;  // n^2 fits 64 bits for any table that fits memory
    std::uint32_t previous = ~std::uint32_t{0};
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t key = sorted[i] >> 1;
        const std::uint64_t positive = sorted[i] & 1;
        below = key != previous ? upto : below;
        previous = key;
        sum += (0 - positive) & (below + upto);
        upto += 1 - positive;
    }
    Wide statistic;
    statistic.add(sum);
    return statistic;
}

// Keys too far apart for 31 bits become ranks.
void compress(std::vector<std::int64_t>& keys, RankScratch& scratch) {
    std::vector<std::int64_t>& distinct = scratch.plain;
    distinct.assign(keys.begin(), keys.end());
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    for (std::int64_t& key : keys)
        key = std::lower_bound(distinct.begin(), distinct.end(), key) - distinct.begin();
}

// Makes keys fit 31 bits beyond the lowest of them, which is returned.
std::int64_t bring_together(std::vector<std::int64_t>& keys, RankScratch& scratch) {
    const auto range = std::minmax_element(keys.begin(), keys.end());
    const std::int64_t lowest = *range.first;
    if (static_cast<std::uint64_t>(*range.second) - static_cast<std::uint64_t>(lowest) <
        (std::uint64_t{1} << 31))
        return lowest;
    compress(keys, scratch);
    return 0;
}

template <typename Code>
void count_cells(const RankedRows& rows, const Patterns& patterns, const Code* codes, std::size_t n_codes,
                 std::size_t begin, std::size_t end, std::uint64_t* cells) {
    const std::uint16_t* ids = patterns.ids.data();
    if (rows.weights != nullptr) {
        for (std::size_t i = begin; i < end; ++i)
            cells[ids[i] * n_codes + codes[i]] += static_cast<std::uint64_t>(rows.weights[i]);
    } else {
        for (std::size_t i = begin; i < end; ++i) ++cells[ids[i] * n_codes + codes[i]];
    }
}

// Keys of rows without weight are left out.
void push(std::int64_t key, std::uint64_t negative, std::uint64_t positive, RankTable& table) {
    if (negative == 0 && positive == 0) return;
    table.keys.push_back(key);
    table.weights.push_back(static_cast<std::int64_t>(negative));
    table.weights.push_back(static_cast<std::int64_t>(positive));
}

// With a cell for each of the n_keys keys from the lowest.
template <typename Count>
RankTable count_keys(const std::vector<std::int64_t>& keys, std::size_t n_negative,
                     const std::int64_t* weights, std::int64_t lowest, std::size_t n_keys,
                     std::vector<Count>& cells) {
    cells.assign(2 * n_keys, 0);
    for (std::size_t i = 0; i < keys.size(); ++i)
        cells[2 * static_cast<std::size_t>(keys[i] - lowest) + (i >= n_negative ? 1 : 0)] +=
            weights == nullptr ? Count{1} : static_cast<Count>(weights[i]);
    std::size_t n_used = 0;
    for (std::size_t k = 0; k < n_keys; ++k) n_used += (cells[2 * k] | cells[2 * k + 1]) != 0 ? 1 : 0;
    RankTable table;
    table.keys.reserve(n_used);
    table.weights.reserve(2 * n_used);
    for (std::size_t k = 0; k < n_keys; ++k)
        push(lowest + static_cast<std::int64_t>(k), cells[2 * k], cells[2 * k + 1], table);
    return table;
}

// The weights in each (pattern, code) cell, from the lowest key up.
std::vector<Cell> sorted_cells(const RankedRows& rows, const Patterns& patterns, const RankColumn& column,
                               RankScratch& scratch) {
    const auto n_codes = static_cast<std::size_t>(column.n_codes);
    const std::size_t n_cells = patterns.values.size() * n_codes;
    scratch.histogram.assign(2 * n_cells, 0);
    std::uint64_t *negative = scratch.histogram.data(), *positive = negative + n_cells;
    if (column.narrow != nullptr) {
        count_cells(rows, patterns, column.narrow, n_codes, 0, rows.n_negative, negative);
        count_cells(rows, patterns, column.narrow, n_codes, rows.n_negative, rows.n_rows, positive);
    } else {
        count_cells(rows, patterns, column.wide, n_codes, 0, rows.n_negative, negative);
        count_cells(rows, patterns, column.wide, n_codes, rows.n_negative, rows.n_rows, positive);
    }
    std::vector<Cell> cells;
    for (std::size_t cell = 0; cell < n_cells; ++cell)
        if (negative[cell] != 0 || positive[cell] != 0)
            cells.push_back({rank_key(patterns.values[cell / n_codes] + column.shift[cell % n_codes]),
                             negative[cell], positive[cell]});
    std::sort(cells.begin(), cells.end(), [](const Cell& a, const Cell& b) { return a.key < b.key; });
    return cells;
}

}  // namespace

const std::uint64_t* sort_keys(std::vector<std::int64_t>& keys, std::size_t n_negative,
                               RankScratch& scratch) {
    const std::size_t n = keys.size();
    if (n == 0) return nullptr;
    const std::int64_t lowest = bring_together(keys, scratch);
    scratch.keys.resize(n);
    scratch.other.resize(n);
    std::uint64_t largest = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const auto key = static_cast<std::uint64_t>(keys[i] - lowest);
        scratch.keys[i] = ((key << 1 | (i >= n_negative ? 1 : 0)) << 32) | i;
        largest = std::max(largest, scratch.keys[i]);
    }
    return radix_sort(scratch.keys.data(), scratch.other.data(), n, largest, 32);
}

Wide statistic_of_words(std::uint32_t* words, std::size_t n, std::uint32_t largest) {
    return sweep(radix_sort(words, words + n, n, largest, 0), n);
}

Wide statistic_of_keys(std::vector<std::int64_t>& keys, std::size_t n_negative, const std::int64_t* weights,
                       RankScratch& scratch) {
    const std::size_t n = keys.size();
    if (weights != nullptr) return sweep(sort_keys(keys, n_negative, scratch), n, weights);
    if (n == 0) return {};
    const std::int64_t lowest = bring_together(keys, scratch);
    scratch.counts.resize(2 * n);
    std::uint32_t *words = scratch.counts.data(), largest = 0;
    const auto fill = [&](std::size_t begin, std::size_t end, std::uint32_t positive) {
        for (std::size_t i = begin; i < end; ++i) {
            words[i] = static_cast<std::uint32_t>(keys[i] - lowest) << 1 | positive;
            largest = std::max(largest, words[i]);
        }
    };
    fill(0, n_negative, 0);
    fill(n_negative, n, 1);
    return statistic_of_words(words, n, largest);
}

RankTable table_of_keys(std::vector<std::int64_t>& keys, std::size_t n_negative, const std::int64_t* weights,
                        RankScratch& scratch) {
    const std::size_t n = keys.size();
    if (n == 0) return {};
    const auto range = std::minmax_element(keys.begin(), keys.end());
    const std::int64_t lowest = *range.first;
    const std::uint64_t width =
        static_cast<std::uint64_t>(*range.second) - static_cast<std::uint64_t>(lowest);
    if (width < 4 * n + 4096) {  // room for every key there could be
        const std::size_t n_keys = static_cast<std::size_t>(width) + 1;
        if (weights == nullptr) return count_keys(keys, n_negative, weights, lowest, n_keys, scratch.counts);
        return count_keys(keys, n_negative, weights, lowest, n_keys, scratch.histogram);
    }
    RankTable table;
    const std::vector<std::int64_t> kept = keys;
    const std::uint64_t* sorted = sort_keys(keys, n_negative, scratch);
    for (std::size_t first = 0, last = 0; first < n; first = last) {
        std::uint64_t sums[2] = {0, 0};
        for (; last < n && sorted[last] >> 33 == sorted[first] >> 33; ++last) {
            const std::size_t row = sorted[last] & 0xffffffff;
            sums[(sorted[last] >> 32) & 1] +=
                weights == nullptr ? std::uint64_t{1} : static_cast<std::uint64_t>(weights[row]);
        }
        push(kept[sorted[first] & 0xffffffff], sums[0], sums[1], table);
    }
    return table;
}

bool find_patterns(const std::int64_t* log_odds, std::size_t n_rows, std::size_t most, Patterns& patterns) {
    constexpr std::size_t slots = 4096;
    std::vector<std::int32_t> slot(slots, -1);
    patterns.values.clear();
    patterns.ids.resize(n_rows);
    for (std::size_t i = 0; i < n_rows; ++i) {
        const auto value = static_cast<std::uint64_t>(log_odds[i]);
        std::size_t at = (value * 0x9e3779b97f4a7c15u) >> 52;
        while (slot[at] >= 0 && patterns.values[slot[at]] != log_odds[i]) at = (at + 1) % slots;
        if (slot[at] < 0) {
            if (patterns.values.size() == most) return false;
            slot[at] = static_cast<std::int32_t>(patterns.values.size());
            patterns.values.push_back(log_odds[i]);
        }
        patterns.ids[i] = static_cast<std::uint16_t>(slot[at]);
    }
    return true;
}

Wide cell_statistic(const RankedRows& rows, const Patterns& patterns, const RankColumn& column,
                    RankScratch& scratch) {
    const std::vector<Cell> cells = sorted_cells(rows, patterns, column, scratch);
    Wide statistic;
    std::uint64_t below = 0;
    for (std::size_t first = 0, last = 0; first < cells.size(); first = last) {
        std::uint64_t ties = 0, above = 0;
        for (; last < cells.size() && cells[last].key == cells[first].key; ++last) {
            ties += cells[last].negative;
            above += cells[last].positive;
        }
        statistic.add_product(above, 2 * below + ties);
        below += ties;
    }
    return statistic;
}

RankTable table_of_cells(const RankedRows& rows, const Patterns& patterns, const RankColumn& column,
                         RankScratch& scratch) {
    RankTable table;
    const std::vector<Cell> cells = sorted_cells(rows, patterns, column, scratch);
    for (std::size_t first = 0, last = 0; first < cells.size(); first = last) {
        std::uint64_t negative = 0, positive = 0;
        for (; last < cells.size() && cells[last].key == cells[first].key; ++last) {
            negative += cells[last].negative;
            positive += cells[last].positive;
        }
        push(cells[first].key, negative, positive, table);
    }
    return table;
}

}  // namespace bayesieve
