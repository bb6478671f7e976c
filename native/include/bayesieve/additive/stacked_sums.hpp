// SPDX-License-Identifier: BSD-3-Clause
// Gradient sums of several fits on the same rows of one score each, and of their weighted sum, in one pass
// over the rows. NumPy twin: src/bayesieve/additive/block_sums.py.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bayesieve/additive/losses.hpp"
#include "bayesieve/additive/rows.hpp"

namespace bayesieve {

// Where a fit is, in multiples of 2^-40; `variances` are nullptr if it is not moderated.
struct StackedFit {
    double intercept, weight;
    const double *tables, *variances;  // IN (offsets[n_columns])
};

// A table that every fit has as well: the cell of each row (n_rows), and what each adds (n_cells).
struct StackedCells {
    const std::uint16_t* cells;
    const double* table;
    std::size_t n_cells;
};

struct StackedModel {
    std::vector<StackedFit> fits;
    std::vector<StackedCells> pairs;
    double intercept;  // of the sum
};

// OUT sums (bins + 1 of each fit, cells of all pairs + 1; 2): first and second derivatives in the scores of
// each fit, then in those of the weighted sum; the last of each, not moderated, over all rows. OUT scores
// (n_rows): the weighted sum without its intercept. Returns the loss of the weighted sum, at most 64 of a
// row, in multiples of 64 units.
std::int64_t stacked_sums(const AdditiveRows& rows, const ScoreLoss& loss, const StackedModel& model,
                          std::int64_t* sums, double* scores);

}  // namespace bayesieve
