// SPDX-License-Identifier: BSD-3-Clause
// Columns next to each other in a table: counted and coded together, one column per thread at a time.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>

namespace bayesieve {

struct ColumnBatch {
    const std::int32_t* ids;      // IN (n_columns, n_rows): each row's label, the last one is *missing*
    const std::int64_t* offsets;  // IN (n_columns + 1), where each column's labels begin, increasing from 0
    std::size_t n_columns, n_rows;

    const std::int32_t* column(std::size_t j) const { return ids + j * n_rows; }
    std::int64_t n_labels(std::size_t j) const { return offsets[j + 1] - offsets[j]; }
};

// A division of the rows: by class, or by class and fold.
struct Strata {
    const std::int32_t* of_row;   // IN (n_rows), each below n
    const std::int64_t* weights;  // IN (n_rows); nullptr if all are 1
    std::int32_t n;
};

struct Threads {
    int n_threads;
    std::function<void()> poll;
};

// Each function returns in one sentence what is out of range; nullptr if nothing is.

// counts OUT (offsets[n_columns], strata.n): the weight of each label in each stratum; zeros on entry.
const char* count_columns(const ColumnBatch& batch, const Strata& strata, std::int64_t* counts,
                          const Threads& threads);

// codes OUT (n_columns, n): codes[j][i] = bins[label of column j in row rows[i]].
//   rows   IN (n)
//   bins   IN (n_columns): of each column, the bin of each label
template <typename Code>
const char* code_columns(const ColumnBatch& batch, const std::int64_t* rows, std::size_t n,
                         const std::int64_t* const* bins, Code* codes, const Threads& threads);

// sums[bins[i]][c] += counts[i][c]; sums OUT (n_bins, n_classes), zeros on entry.
//   bins    IN (n)
//   counts  IN (n, n_classes)
const char* add_by_bin(const std::int64_t* bins, const std::int64_t* counts, std::size_t n,
                       std::size_t n_classes, std::int64_t n_bins, std::int64_t* sums);

// Bins of some sorted labels: the number of bounds below each label, then a bin of missing values.
//   labels  IN  (n_labels), increasing
//   bounds  IN  (n_bounds), increasing
//   bins    OUT (n_labels + 1)
void interval_bins(const double* labels, std::size_t n_labels, const double* bounds, std::size_t n_bounds,
                   std::int64_t missing, std::int64_t* bins);

}  // namespace bayesieve
