// SPDX-License-Identifier: BSD-3-Clause
// ReliefF: a column is good if near rows of other classes differ in it more than near rows of the same class.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bayesieve/columns/column_batch.hpp"
#include "bayesieve/kernels/difference.hpp"

namespace bayesieve {

struct ReliefProblem {
    const double* values;        // IN (n_columns, n_rows): numbers from 0 to 1, or labels; NaN where missing
    std::size_t begins[4];       // the columns of each trait: begins[t] .. begins[t + 1] - 1
    const double* penalties;     // IN (n_columns): of labels, what a missing one counts
    const std::int32_t* target;  // IN (n_rows), below n_classes
    std::size_t n_rows, n_columns, n_classes;
    std::size_t n_neighbors;  // of each class, at most
    const double* shares;     // IN (n_neighbors + 1, n_neighbors): shares[n][r], of the r-th nearest of n
    const double* factors;    // IN (n_classes, n_classes): of neighbors of class c of a row of class y
};

// The sum over rows, classes and neighbors of factor times share times difference, each rounded to 2^-40.
// Of equally near rows the first count.
std::vector<std::int64_t> relieff(const ReliefProblem& problem, const Threads& threads);

}  // namespace bayesieve
