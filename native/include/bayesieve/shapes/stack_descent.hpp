// SPDX-License-Identifier: BSD-3-Clause
// The minimum of a quadratic in the weights of few members, and an intercept.
// Python twin: src/bayesieve/fit/shapes/stack.py.
#pragma once
#include <cstddef>

namespace bayesieve {

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
