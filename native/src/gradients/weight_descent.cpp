// SPDX-License-Identifier: BSD-3-Clause
// Newton steps of the start and of all weights together: see
// src/bayesieve/search/engine/gradients/weights.py, whose bits these are.
#include <algorithm>
#include <cmath>
#include <limits>

#include "bayesieve/elementary.hpp"
#include "bayesieve/gradients/quadratic.hpp"
#include "bayesieve/gradients/weight_gradients.hpp"

namespace bayesieve {
namespace {

constexpr double kLargestStep = 1.0, kLargestStartStep = 2.0;
constexpr double kFinest = 0x1p-20;      // weights are multiples of this
constexpr std::size_t kFewest = 64;      // columns that may enter at once, however few have a weight
constexpr double kLooser = 100.0;        // times the tolerance, while other columns wait
constexpr double kFiner = 0.1;           // times the tolerance: that of the quadratic
constexpr double kSlow = 0.1;            // after a step that is longer than this part of the one before,
                                         // curvatures are summed again
constexpr double kLeastShare = 0.25;     // of a step that is cut back
constexpr double kOvershot = 0.5;        // of the slope along a step may be left at its end, negated
constexpr double kRaised = 1 + 0x1p-23;  // of the diagonal: equal columns share a change
constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Numbers = std::vector<double>;

// The sum of products, from first to last; that of none is 0.
double product(const Numbers& x, const Numbers& y) {
    double total = 0.0;
    for (std::size_t k = 0; k < std::min(x.size(), y.size()); ++k) total = total + x[k] * y[k];
    return total;
}

// The change of the start and of the weights as it was made, the slope along it, and its length.
struct Step {
    Numbers change;
    double slope = 0.0, length = kInfinity;
};

struct Rising {
    double excess;
    std::size_t place;
};

class WeightDescent {
  public:
    WeightDescent(WeightGradients& rows, const std::int32_t* columns, const double* penalties, std::size_t n,
                  const WeightGradients::Poll& poll)
        : rows_(rows), columns_(columns), penalties_(penalties), n_(n), poll_(poll), factors_(n, 0.0) {}

    int run(double tolerance, int most_rounds) {
        int rounds = 0;
        double length = kInfinity;
        while (rounds < most_rounds) {
            std::vector<std::size_t> idle;
            for (std::size_t k = 0; k < n_; ++k)
                if (weight(k) == 0.0) idle.push_back(k);
            std::vector<Rising> rising = find_rising(idle);
            if (length < tolerance && (rising.empty() || rising[0].excess < tolerance)) break;
            const std::size_t most = std::max(kFewest, n_ - idle.size());
            const double goal = rising.size() <= most ? tolerance : kLooser * tolerance;
            rising.resize(std::min(rising.size(), most));
            std::vector<char> takes_part(n_, 1);
            for (const std::size_t k : idle) takes_part[k] = 0;
            for (const Rising& each : rising) takes_part[each.place] = 1;
            active_.clear();
            for (std::size_t k = 0; k < n_; ++k)
                if (takes_part[k] != 0) active_.push_back(k);
            length = climb(goal, rounds, most_rounds);
        }
        return rounds;
    }

  private:
    double weight(std::size_t k) const { return rows_.weights()[columns_[k]]; }

    std::vector<WeightGradients::Slope> slopes_of(const std::vector<std::size_t>& places) {
        std::vector<std::int32_t> columns;
        for (const std::size_t k : places) columns.push_back(columns_[k]);
        std::vector<WeightGradients::Slope> slopes(places.size());
        rows_.slopes(columns.data(), columns.size(), slopes.data(), poll_);
        return slopes;
    }

    // The columns whose slope exceeds their penalty, and by how many standard errors: most first.
    std::vector<Rising> find_rising(const std::vector<std::size_t>& idle) {
        std::vector<Rising> rising;
        const std::vector<WeightGradients::Slope> slopes = slopes_of(idle);
        for (std::size_t i = 0; i < idle.size(); ++i) {
            const double excess = (slopes[i].slope - penalties_[idle[i]]) / std::sqrt(slopes[i].curvature);
            if (excess > 0.0 && excess < kInfinity) rising.push_back({excess, idle[i]});
        }
        std::stable_sort(rising.begin(), rising.end(),
                         [](const Rising& a, const Rising& b) { return a.excess > b.excess; });
        return rising;
    }

    // Takes steps until one is shorter than the goal; returns the length of the last.
    double climb(double goal, int& rounds, int most_rounds) {
        Step step;
        double before = kInfinity;
        Numbers curvatures;
        while (rounds < most_rounds && step.length >= goal) {
            ++rounds;
            const Numbers slopes = all_slopes();
            const double left = product(slopes, step.change);
            if (left < -kOvershot * step.slope) {
                step = cut_back(step, left);
                curvatures.clear();
                continue;
            }
            if (curvatures.empty() || step.length > kSlow * before) curvatures = find_curvatures();
            before = step.length;
            step = take(slopes, curvatures, goal);
            poll_();
        }
        return step.length;
    }

    // Moves to the maximum of the quadratic.
    Step take(const Numbers& slopes, const Numbers& curvatures, double goal) {
        const std::size_t n_channels = rows_.n_channels();
        Quadratic problem{slopes, curvatures, Numbers(n_channels, -kLargestStartStep),
                          Numbers(n_channels, kLargestStartStep)};
        for (const std::size_t k : active_) {
            problem.low.push_back(std::max(-kLargestStep, -weight(k)));
            problem.high.push_back(kLargestStep);
        }
        const QuadraticMaximum aim = maximize(problem, kFiner * goal * std::sqrt(rows_.scale()));
        Numbers taken(slopes.size());
        for (std::size_t k = 0; k < taken.size(); ++k) taken[k] = slopes[k] - aim.rest[k];
        Step step{move(aim.change)};
        step.slope = std::max(product(slopes, step.change), 0.0);
        step.length = std::sqrt(std::max(product(step.change, taken), 0.0) / rows_.scale());
        return step;
    }

    // Goes back to where the slope along a step would be 0 if it fell evenly; it may fall at the end, so not
    // far.
    Step cut_back(const Step& step, double left) {
        const double share = std::max(kLeastShare, step.slope / (step.slope - left));
        Numbers back;
        for (const double each : step.change) back.push_back((share - 1.0) * each);
        back = move(back);
        for (std::size_t k = 0; k < back.size(); ++k) back[k] = step.change[k] + back[k];
        return {back, share * step.slope, step.length};
    }

    // Changes the start and the weights, each by the nearest number that it can change by; returns those
    // numbers.
    Numbers move(const Numbers& change) {
        const std::size_t n_channels = rows_.n_channels();
        std::vector<std::int64_t> start(rows_.n_classes(), 0);
        Numbers made;
        bool moved = false;
        for (std::size_t c = 0; c < n_channels; ++c) {
            std::int64_t& fixed = start[rows_.n_classes() == 2 ? 1 : c];
            fixed = nearest_integer(change[c] * kFixedOne);
            made.push_back(static_cast<double>(fixed) / kFixedOne);
            moved = moved || fixed != 0;
        }
        std::vector<Change> changes;
        for (std::size_t i = 0; i < active_.size(); ++i) {
            const double before = weight(active_[i]);
            const double aim = (before + change[n_channels + i]) / kFinest;
            const double after = std::max(0.0, double_of_small(nearest_integer(aim)) * kFinest);
            made.push_back(after - before);
            if (after != before) changes.push_back({columns_[active_[i]], before, after});
        }
        if (moved || !changes.empty()) rows_.shift(start.data(), changes, poll_);
        return made;
    }

    // The slopes in the start and in the weights, less penalties, in steps of a gradient.
    Numbers all_slopes() {
        std::vector<std::int64_t> totals(2 * rows_.n_channels(), 0);
        rows_.totals(totals.data());
        Numbers slopes;
        for (std::size_t c = 0; c < rows_.n_channels(); ++c)
            slopes.push_back(static_cast<double>(totals[2 * c]));
        const std::vector<WeightGradients::Slope> each = slopes_of(active_);
        for (std::size_t i = 0; i < each.size(); ++i)
            slopes.push_back((each[i].slope - penalties_[active_[i]]) * rows_.scale());
        return slopes;
    }

    // Minus the second derivatives, in steps of a gradient.
    Numbers find_curvatures() {
        const std::size_t size = rows_.n_channels() + active_.size();
        std::vector<std::int32_t> columns;
        Numbers factors, every(rows_.n_channels(), 1.0);
        for (const std::size_t k : active_) {
            columns.push_back(columns_[k]);
            if (factors_[k] == 0.0) factors_[k] = rows_.factor_of(columns_[k]);
            factors.push_back(factors_[k]);
        }
        every.insert(every.end(), factors.begin(), factors.end());
        std::vector<std::int64_t> products(size * size, 0);
        rows_.products(columns.data(), factors.data(), columns.size(), products.data(), poll_);
        Numbers matrix(size * size);
        for (std::size_t j = 0; j < size; ++j) {
            for (std::size_t k = 0; k < size; ++k)
                matrix[j * size + k] = static_cast<double>(products[j * size + k]) / every[j] / every[k];
            matrix[j * size + j] =
                matrix[j * size + j] * kRaised + WeightGradients::kFlattest * rows_.scale();
        }
        return matrix;
    }

    WeightGradients& rows_;
    const std::int32_t* columns_;
    const double* penalties_;
    std::size_t n_;
    const WeightGradients::Poll& poll_;
    Numbers factors_;                  // of the columns' scores; 0 if not known
    std::vector<std::size_t> active_;  // places of the columns that take part
};

}  // namespace

int WeightGradients::descend(const std::int32_t* columns, const double* penalties, std::size_t n,
                             double tolerance, int most_rounds, const Poll& poll) {
    return WeightDescent(*this, columns, penalties, n, poll).run(tolerance, most_rounds);
}

}  // namespace bayesieve
