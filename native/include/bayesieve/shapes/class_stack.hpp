// SPDX-License-Identifier: BSD-3-Clause
// Sums over rows for weights of members whose class scores are added up.
// NumPy twin: src/bayesieve/fit/shapes/class_stack.py.
#pragma once
#include <cstddef>
#include <cstdint>

namespace bayesieve {

struct StackRows {
    std::size_t n_members, n_rows, n_classes;
    const double* scores;        // IN (n_members, n_rows, n_classes)
    const std::int64_t* target;  // IN (n_rows)
    const double* weights;       // IN (n_rows)
    double unit;                 // a power of two: sums are of multiples of it
};

// At scores b_q + sum of a_j O_jq; OUT sums, in multiples of the unit: the log loss; the gradient in a (J)
// and in b (Q); a bound of the curvature in b (Q); the curvature in a (J, J), of which the lower half is
// filled, and that in a and b (J, Q).
void stack_sums(const StackRows& rows, const double* a, const double* b, std::int64_t* sums);

// z (n, n_classes) <- probabilities; OUT top (n): the largest scores, OUT log_totals (n): the logarithms of
// the sums of exponentials of scores less these. NumPy twin: src/bayesieve/additive/row_losses.py.
void softmax(double* z, std::size_t n, std::size_t n_classes, double* top, double* log_totals);

}  // namespace bayesieve
