// SPDX-License-Identifier: BSD-3-Clause
// Sums of derivatives of the log-likelihood over the rows of each cell of two columns, as integers, so that
// no sum depends on the order of rows or on threads.
#pragma once
#include <cstddef>
#include <cstdint>

#include "bayesieve/additive/losses.hpp"
#include "bayesieve/columns/column_batch.hpp"

namespace bayesieve {

constexpr std::size_t kPairBins = 8;  // of a column, at most

struct PairCodes {
    const std::uint8_t* codes;  // IN (n_columns, n_rows), below kPairBins
    std::size_t n_columns, n_rows;
};

// Whether all of n codes are below a limit.
bool all_below(const std::uint8_t* codes, std::size_t n, std::size_t limit);

// Per row, times its weight.
struct RowSlopes {
    const std::int64_t* gradient;   // IN (n_rows)
    const std::int64_t* curvature;  // IN (n_rows)
};

// sums OUT (n_pairs, 8, 8, 2): gradient and curvature per cell; pairs IN (n_pairs, 2).
void pair_sums(const PairCodes& codes, const std::int64_t* pairs, std::size_t n_pairs,
               const RowSlopes& slopes, std::int64_t* sums, const Threads& threads);

// Rows with their scores under a loss.
struct ScoredRows {
    const double* scores;         // IN (n_rows, n_scores)
    const double* target;         // IN (n_rows): what the loss predicts, or the number of the class
    const std::int64_t* weights;  // IN (n_rows)
    std::size_t n_rows, n_scores;
};

// Of each row, times its weight. gradient, curvature OUT (n_scores, n_rows); losses OUT (n_rows).
void row_derivatives(const AdditiveLoss& loss, const ScoredRows& rows, const DerivativeSteps& steps,
                     std::int64_t* gradient, std::int64_t* curvature, std::int64_t* losses);

struct FoldRows {
    const std::uint8_t *a, *b;  // IN (n_rows): codes of the two columns
    ScoredRows scored;
    const std::uint8_t* fold;  // IN (n_rows), below n_tables - 1
};

struct FoldTables {
    const double*
        tables;  // IN (n_tables, n_a, n_b, n_scores): without the rows of each fold, and of all rows
    std::size_t n_tables, n_a, n_b;
    DerivativeSteps steps;
};

// sums OUT (n_tables, n_a, n_b, n_scores, 2): gradient and curvature of the training rows of each table, to
// whose scores it is added; losses OUT (n_tables).
void fold_sums(const AdditiveLoss& loss, const FoldRows& rows, const FoldTables& tables, std::int64_t* sums,
               std::int64_t* losses, const Threads& threads);

}  // namespace bayesieve
