// SPDX-License-Identifier: BSD-3-Clause
// Newton steps: of the start, of one weight after the other.
#include <algorithm>
#include <cmath>

#include "bayesieve/elementary.hpp"
#include "bayesieve/gradients/weight_gradients.hpp"

namespace bayesieve {
namespace {

constexpr double kLargestStep = 1.0, kLargestStartStep = 2.0;  // of Newton's method
constexpr double kFinest = 0x1p-20;                            // weights are multiples of this
constexpr double kLoosest = 1.0;                               // tenfold the first goal, in standard errors

double clip(double x, double limit) { return std::max(-limit, std::min(limit, x)); }

}  // namespace

double WeightGradients::descend_start(std::int32_t next, const Poll& poll) {
    std::vector<std::int64_t> sums(2 * n_channels(), 0);
    totals(sums.data());
    const double factor = n_classes() == 2 ? 1.0 : 2.0;
    double largest = 0.0;
    std::vector<std::int64_t> change(n_classes(), 0);
    for (std::size_t c = 0; c < n_channels(); ++c) {
        const double curvature = factor * static_cast<double>(sums[2 * c + 1]) / scale_ + kFlattest;
        const double step = clip(static_cast<double>(sums[2 * c]) / scale_ / curvature, kLargestStartStep);
        change[n_classes() == 2 ? 1 : c] = nearest_integer(step * kFixedOne);
        largest = std::max(largest, std::fabs(step) * std::sqrt(curvature));
    }
    shift_start(change.data(), poll, next);
    return largest;
}

double WeightGradients::descend_column(std::int32_t column, double penalty, std::int32_t next,
                                       std::vector<std::int64_t>& sums, const Poll& poll) {
    if (is_sparse(column)) sum_totals();
    const double before = weights_[column];
    const Slope slope = slope_of(column, sums, row_threads_, poll);
    const double gain = slope.slope - penalty;
    if (before == 0.0 && gain <= 0.0) return 0.0;
    const double aim = std::max(0.0, before + clip(gain / slope.curvature, kLargestStep));
    const double after = double_of_small(nearest_integer(aim / kFinest)) * kFinest;
    if (after == before) return 0.0;
    shift({column, before, after}, poll, next);
    return std::fabs(after - before) * std::sqrt(slope.curvature);
}

int WeightGradients::descend(const std::int32_t* columns, const double* penalties, std::size_t n,
                             double tolerance, int most_rounds, const Poll& poll) {
    std::vector<std::int64_t> sums;
    std::vector<std::size_t> active, all(n);
    for (std::size_t k = 0; k < n; ++k) all[k] = k;
    bool everything = true;
    double goal = kLoosest;
    for (int round = 1; round <= most_rounds; ++round) {
        const std::vector<std::size_t>& turn = everything ? all : active;
        const auto column = [&](std::size_t t) { return t < turn.size() ? columns[turn[t]] : kNoColumn; };
        double largest = descend_start(column(0), poll);
        for (std::size_t t = 0; t < turn.size(); ++t) {
            largest =
                std::max(largest, descend_column(column(t), penalties[turn[t]], column(t + 1), sums, poll));
            poll();
        }
        if (largest < tolerance && everything) return round;
        // Rounds over the columns of positive weight, until those are done; then one over all, to see if they
        // are. At first they are done loosely: other weights that leave zero will move them anyway.
        if (everything) goal = std::max(tolerance, goal / 10.0);
        everything = largest < goal;
        if (!everything) {
            active.clear();
            for (const std::size_t k : all)
                if (weights_[columns[k]] > 0.0) active.push_back(k);
        }
    }
    return most_rounds;
}

}  // namespace bayesieve
