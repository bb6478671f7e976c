// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/gradients/quadratic.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "bayesieve/kernels/kernels.hpp"

namespace bayesieve {
namespace {

constexpr int kSweeps = 8;  // before coordinates are solved together
constexpr int kAttempts = 30;

// x - a y is x + (-a) y, to the last bit.
void subtract_scaled(const double* row, double factor, std::size_t n, double* out) {
    kernels().add_scaled(row, -factor, n, out);
}

void move(const Quadratic& problem, std::size_t j, double after, QuadraticMaximum& point) {
    const std::size_t n = problem.slopes.size();
    subtract_scaled(problem.curvatures.data() + j * n, after - point.change[j], n, point.rest.data());
    point.change[j] = after;
}

double clip(double x, double low, double high) { return std::max(low, std::min(high, x)); }

// Moves one coordinate after the other, in a few rounds; whether the last one changed little.
bool sweep(const Quadratic& problem, double tolerance, QuadraticMaximum& point) {
    const std::size_t n = problem.slopes.size();
    for (int round = 0; round < kSweeps; ++round) {
        double largest = 0.0;
        for (std::size_t j = 0; j < n; ++j) {
            const double curvature = problem.curvatures[j * n + j], before = point.change[j];
            const double after = clip(before + point.rest[j] / curvature, problem.low[j], problem.high[j]);
            if (after == before) continue;
            move(problem, j, after, point);
            largest = std::max(largest, std::fabs(after - before) * std::sqrt(curvature));
        }
        if (largest < tolerance) return true;
    }
    return false;
}

// The solution of a positive definite system replaces `right`; the upper triangle of the matrix is
// overwritten.
void solve(std::vector<double>& matrix, std::vector<double>& right) {
    const std::size_t n = right.size();
    for (std::size_t k = 0; k < n; ++k) {
        const double* row = matrix.data() + k * n;
        for (std::size_t i = k + 1; i < n; ++i) {
            const double factor = row[i] / row[k];
            subtract_scaled(row + i, factor, n - i, matrix.data() + i * n + i);
            right[i] = right[i] - factor * right[k];
        }
    }
    for (std::size_t k = n; k-- > 0;) {
        right[k] = right[k] / matrix[k * n + k];
        for (std::size_t i = 0; i < k; ++i) right[i] = right[i] - matrix[i * n + k] * right[k];
    }
}

// Moves the coordinates between their bounds toward their common maximum, until one of them meets a bound.
void solve_free(const Quadratic& problem, QuadraticMaximum& point) {
    const std::size_t n = problem.slopes.size();
    std::vector<std::size_t> free;
    for (std::size_t j = 0; j < n; ++j)
        if (point.change[j] > problem.low[j] && point.change[j] < problem.high[j]) free.push_back(j);
    std::vector<double> matrix, steps;
    for (const std::size_t j : free) {
        steps.push_back(point.rest[j]);
        for (const std::size_t k : free) matrix.push_back(problem.curvatures[j * n + k]);
    }
    solve(matrix, steps);
    double share = 1.0;
    for (std::size_t k = 0; k < free.size(); ++k) {
        const std::size_t j = free[k];
        const double room = (steps[k] > 0.0 ? problem.high[j] : problem.low[j]) - point.change[j];
        if (std::fabs(steps[k]) * share > std::fabs(room)) share = room / steps[k];
    }
    for (std::size_t k = 0; k < free.size(); ++k) {
        const std::size_t j = free[k];
        move(problem, j, clip(point.change[j] + share * steps[k], problem.low[j], problem.high[j]), point);
    }
}

}  // namespace

QuadraticMaximum maximize(const Quadratic& problem, double tolerance) {
    QuadraticMaximum point{std::vector<double>(problem.slopes.size(), 0.0), problem.slopes};
    for (int attempt = 0; attempt < kAttempts && !sweep(problem, tolerance, point); ++attempt)
        solve_free(problem, point);
    return point;
}

}  // namespace bayesieve
