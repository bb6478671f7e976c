// SPDX-License-Identifier: BSD-3-Clause
// The area under the ROC curve of one class against the rest, as an integer:
// U = sum over (positive, negative) pairs of w w' (2 [key > key'] + [key = key']).
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bayesieve/wide.hpp"

namespace bayesieve {

constexpr int kRankShift = 24;  // keys are evidence rounded from 2^-40 to 2^-16

// Half a key is added before the shift, so that it rounds to nearest.
inline std::int64_t rank_key(std::int64_t log_odds) {
    return (log_odds + (1 << (kRankShift - 1))) >> kRankShift;
}

struct RankScratch {
    std::vector<std::uint64_t> keys, other, histogram;
    std::vector<std::uint32_t> counts;
    std::vector<std::int64_t> plain, weights;
    std::vector<std::int32_t> cut;
};

// Rows of which the first n_negative are negative. weights may be nullptr (all 1).
struct RankedRows {
    const std::int64_t* log_odds;
    std::size_t n_negative, n_rows;
    const std::int64_t* weights;
    std::int64_t lowest, highest;  // of log_odds
    const std::int32_t* coarse;  // IN (n_rows): (log_odds - lowest) >> coarse_bits; nullptr if exact buckets
                                 // are wanted
    int coarse_bits;
};

// Cuts log-odds to 32 bits; returns how many bits are lost.
int cut_log_odds(const std::int64_t* log_odds, std::size_t n, std::int64_t lowest, std::int64_t highest,
                 std::vector<std::int32_t>& coarse);

// A column that adds shift[code] to the log-odds.
struct RankColumn {
    const std::uint8_t* narrow;
    const std::uint16_t* wide;
    const std::int64_t* shift;  // IN (n_codes)
    std::int32_t n_codes;
    std::int64_t lowest, highest;  // of shift, over codes that occur
};

// Lower and upper bounds of U from counts in `n_buckets` buckets of keys, a power of two.
struct RankBounds {
    double low, high;
};
RankBounds statistic_bounds(const RankedRows& rows, const RankColumn& column, std::size_t n_buckets,
                            RankScratch& scratch);

// Weights of negative and positive rows in buckets of 2^bits keys, from the key `lowest`: adds to OUT
// (2, n_buckets + 1). Every key must fall into one. The last number is the most that rows weigh which may
// belong into the bucket after theirs: 0 if buckets are exact.
void count_in_buckets(const RankedRows& rows, const RankColumn& column, std::int64_t lowest, int bits,
                      std::size_t n_buckets, std::int64_t* out, RankScratch& scratch);

// The weights (negative, positive) at each distinct key that has any, from the lowest key up.
struct RankTable {
    std::vector<std::int64_t> keys, weights;
};
RankTable table_of_keys(std::vector<std::int64_t>& keys, std::size_t n_negative, const std::int64_t* weights,
                        RankScratch& scratch);

// Rows with equal log-odds share a pattern; early in a search there are few. False if there are more than
// `most`.
struct Patterns {
    std::vector<std::int64_t> values;
    std::vector<std::uint16_t> ids;
};
bool find_patterns(const std::int64_t* log_odds, std::size_t n_rows, std::size_t most, Patterns& patterns);

// Exact U from the weights in each (pattern, code) cell.
Wide cell_statistic(const RankedRows& rows, const Patterns& patterns, const RankColumn& column,
                    RankScratch& scratch);

RankTable table_of_cells(const RankedRows& rows, const Patterns& patterns, const RankColumn& column,
                         RankScratch& scratch);

// Rows from the lowest key to the highest, of equal keys the negative ones first: (key << 1 | positive) << 32
// | row, key from 0. `keys` is used up.
const std::uint64_t* sort_keys(std::vector<std::int64_t>& keys, std::size_t n_negative, RankScratch& scratch);

// Exact U from keys in any order; `keys` is used up.
Wide statistic_of_keys(std::vector<std::int64_t>& keys, std::size_t n_negative, const std::int64_t* weights,
                       RankScratch& scratch);

// The same of rows of weight 1, as key << 1 | positive, of which `largest` is at least the largest. There is
// room for n more after these n.
Wide statistic_of_words(std::uint32_t* words, std::size_t n, std::uint32_t largest);

// A share of U, for one of n threads: rows of the part, which are neighbors in the order of keys, with each
// other, and its positive rows with negative ones of the parts below. U is the sum over parts.
struct RankPart {
    std::size_t index, n;
};
Wide statistic_of_part(std::vector<std::int64_t>& keys, std::size_t n_negative, const std::int64_t* weights,
                       RankPart part, RankScratch& scratch);

// The same after a column is added, without writing down its keys. False, and nothing done, if rows have
// weights or their keys are too far apart.
bool statistic_of_column(const RankedRows& rows, const RankColumn& column, RankPart part, Wide& out,
                         RankScratch& scratch);

}  // namespace bayesieve
