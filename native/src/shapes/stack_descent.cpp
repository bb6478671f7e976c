// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/shapes/stack_descent.hpp"

#include <algorithm>
#include <cmath>

namespace bayesieve {
namespace {

double product(const double* x, const double* y, std::size_t n) {
    double total = 0.0;
    for (std::size_t i = 0; i < n; ++i) total += x[i] * y[i];
    return total;
}

}  // namespace

double descend_stack(const StackQuadratic& problem, double tolerance, int sweeps, double* change) {
    const std::size_t n = problem.n;
    double shift = 0.0;
    std::fill_n(change, n, 0.0);
    for (int sweep = 0; sweep < sweeps; ++sweep) {
        double moved = 0.0;
        shift = (problem.slope - product(problem.with_start, change, n)) / problem.curvature;
        for (std::size_t j = 0; j < n; ++j) {
            const double* row = problem.hessian + j * n;
            const double rest = problem.gradient[j] - product(row, change, n) - problem.with_start[j] * shift;
            const double after = std::max(change[j] + rest / row[j], -problem.weights[j]);
            moved = std::max(moved, std::abs(after - change[j]));
            change[j] = after;
        }
        if (moved < tolerance) break;
    }
    return shift;
}

}  // namespace bayesieve
