// SPDX-License-Identifier: BSD-3-Clause
// The step of Newton's method: the maximum of a quadratic between bounds; the same bits as the NumPy twin in
// src/bayesieve/search/engine/gradients/newton.py.
#pragma once
#include <vector>

namespace bayesieve {

// sum g d - 1/2 sum d H d over changes d between low and high, all (n); H (n, n) is symmetric, its diagonal
// positive.
struct Quadratic {
    std::vector<double> slopes, curvatures, low, high;
};

struct QuadraticMaximum {
    std::vector<double> change, rest;  // and the slopes that are left there
};

// Ends when a sweep moves no coordinate by `tolerance` in units of 1 / sqrt(H_jj).
QuadraticMaximum maximize(const Quadratic& problem, double tolerance);

}  // namespace bayesieve
