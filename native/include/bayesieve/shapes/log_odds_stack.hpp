// SPDX-License-Identifier: BSD-3-Clause
// Sums over rows of two classes for weights of members whose log-odds are added up.
// NumPy twin: src/bayesieve/fit/shapes/stack_sums.py.
#pragma once
#include <cstddef>
#include <cstdint>

namespace bayesieve {

struct LogOddsRows {
    std::size_t n_members, n_rows;
    const double* scores;   // IN (n_members, n_rows)
    const double* target;   // IN (n_rows) 0 or 1
    const double* weights;  // IN (n_rows)
    double unit;            // a power of two: sums are of multiples of it
};

// At log-odds b + sum of a_j O_j; OUT sums (4 + 2 J + J^2), in multiples of the unit: the log loss; gradient
// and curvature in b; the gradient in a (J); the curvature in a and b (J), and in a (J, J), of which the
// lower half is filled; last, the sizes of the losses, in multiples of 2^20 units.
void log_odds_sums(const LogOddsRows& rows, const double* a, double b, std::int64_t* sums);

}  // namespace bayesieve
