// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/additive/stack.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

namespace bayesieve {
namespace {

double product(const double* x, const double* y, std::size_t n) {
    double total = 0.0;
    for (std::size_t i = 0; i < n; ++i) total += x[i] * y[i];
    return total;
}

}  // namespace

void stack_sums(const AdditiveLoss& loss, const StackRows& rows, const double* a, const double* b,
                std::int64_t* sums) {
    const std::size_t n = rows.n_members, n_scores = rows.n_scores;
    std::int64_t *slopes = sums + 2, *starts = slopes + n, *bounds = starts + n_scores;
    std::int64_t *curvatures = bounds + n_scores, *crosses = curvatures + n * n;
    const std::unique_ptr<StackBatch> batch = loss.stack_batch(rows);
    for (std::size_t begin = 0; begin < rows.n_rows; begin += batch->most_rows()) {
        batch->set(a, b, begin, std::min(batch->most_rows(), rows.n_rows - begin));
        // A loss that is too large may overflow on the way, as unsigned numbers may.
        sums[0] = static_cast<std::int64_t>(static_cast<std::uint64_t>(sums[0]) +
                                            static_cast<std::uint64_t>(batch->loss()));
        sums[1] += batch->size();
        for (std::size_t q = 0; q < n_scores; ++q) {
            starts[q] += batch->intercept_slope(q);
            bounds[q] += batch->intercept_curvature(q);
        }
        for (std::size_t j = 0; j < n; ++j) {
            batch->set_member(j);
            slopes[j] += batch->slope();
            for (std::size_t q = 0; q < n_scores; ++q) crosses[j * n_scores + q] += batch->cross(q);
            for (std::size_t k = 0; k <= j; ++k) curvatures[j * n + k] += batch->curvature(k);
        }
    }
    if (sums[1] >= kMostLossSize) sums[0] = 0;
}

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
