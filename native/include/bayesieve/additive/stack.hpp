// SPDX-License-Identifier: BSD-3-Clause
// Weights of members whose scores are added up: sums over rows, and the minimum of a quadratic.
// NumPy twin: src/bayesieve/additive/stack.py.
#pragma once
#include <cstddef>
#include <cstdint>

#include "bayesieve/additive/losses.hpp"

namespace bayesieve {

constexpr std::int64_t kMostLossSize = std::int64_t{1} << 42;  // in 2^20 units: the sum fits 62 bits

// At scores b_q + sum of a_j O_jq; OUT sums (2 + J + 2 Q + J^2 + J Q), in multiples of the unit: the loss, 0
// if it is too large; its size, in multiples of 2^20 units; the gradient in a and in b; the curvature in b,
// or a bound; that in a, of which the lower half is filled, and in a and b.
void stack_sums(const AdditiveLoss& loss, const StackRows& rows, const double* a, const double* b,
                std::int64_t* sums);

struct StackQuadratic {
    std::size_t n;
    const double* gradient;    // IN (n)
    const double* hessian;     // IN (n, n)
    const double* with_start;  // IN (n): curvature of a weight and the intercept
    double slope, curvature;   // of the intercept
    const double* weights;     // IN (n): changes are not below -weights
};

// Coordinate by coordinate, until no weight moves by the tolerance or for so many sweeps. change OUT (n);
// returns the change of the intercept.
double descend_stack(const StackQuadratic& problem, double tolerance, int sweeps, double* change);

}  // namespace bayesieve
