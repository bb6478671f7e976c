// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/coding/modl/cost.hpp"

#include <algorithm>
#include <cmath>

#include "bayesieve/elementary.hpp"
#include "bayesieve/kernels/kernels.hpp"

namespace bayesieve::modl {
namespace {

// 64 megabytes for two tables
constexpr std::int64_t kTabulated = std::int64_t{1} << 22;
constexpr int kSummed = 2048, kConverged = 20;
constexpr double kTower = 65536.0;
constexpr double kSmallest = 16.0;  // number whose factorial Stirling's series gives
constexpr std::int64_t kSmallestGarbageDomain = 7;

std::int64_t log_cost(double x) { return to_cost(log_positive(x)); }

// log(2)^k L_k(x), L_k the k-th iterated binary logarithm
double iterated(double x, int k) {
    double factor = 1.0;
    for (int j = 0; j < k; ++j) {
        x = log_positive(x) / kLog2;
        factor = factor * kLog2;
    }
    return factor * x;
}

const std::vector<double>& partial_sums() {
    static const std::vector<double> sums = [] {
        std::vector<double> result(kSummed);
        double sum = 0.0;
        for (int n = 1; n <= kSummed; ++n) {
            sum = sum + 1.0 / log_star(n).power;
            result[n - 1] = sum;
        }
        return result;
    }();
    return sums;
}

double normalizer(std::int64_t bound) {
    if (bound <= kSummed) return partial_sums()[bound - 1];
    const double low = kSummed, high = static_cast<double>(bound);
    double integral = iterated(std::min(high, kTower), 4) - iterated(low, 4);
    if (high > kTower) integral = integral + (iterated(high, 5) - iterated(kTower, 5));
    const double correction = 0.5 * (1.0 / log_star(high).power - 1.0 / log_star(low).power);
    return (partial_sums()[kSummed - 1] + integral) + correction;
}

// The partial sums of 1/e.
const std::vector<double>& inverse_e() {
    static const std::vector<double> sums = [] {
        std::vector<double> result{1.0};
        double factorial = 1.0;
        for (int j = 1; j <= kConverged; ++j) {
            factorial = factorial * -static_cast<double>(j);
            result.push_back(result.back() + 1.0 / factorial);
        }
        return result;
    }();
    return sums;
}

}  // namespace

// From 2^52 on every double is an integer; below, adding 2^52 leaves the nearest one, halves to even.
std::int64_t to_cost(double nats) {
    constexpr double integers = 4503599627370496.0;
    const double cost = nats * kCostOne, size = cost < 0.0 ? -cost : cost;
    const std::int64_t rounded =
        static_cast<std::int64_t>(size < integers ? (size + integers) - integers : size);
    return cost < 0.0 ? -rounded : rounded;
}

double log_factorial(double x) {
    double product = 1.0;
    while (x < kSmallest) {
        x = x + 1.0;
        product = product * x;
    }
    const double inverse = 1.0 / x, square = inverse * inverse;
    double series = -691.0 / 360360.0;
    series = series * square + 1.0 / 1188.0;
    series = series * square + -1.0 / 1680.0;
    series = series * square + 1.0 / 1260.0;
    series = series * square + -1.0 / 360.0;
    series = series * square + 1.0 / 12.0;
    constexpr double half_log_two_pi = 0x1.d67f1c864beb5p-1;
    const double stirling = ((x + 0.5) * log_positive(x) - x) + (half_log_two_pi + series * inverse);
    return product == 1.0 ? stirling : stirling - log_positive(product);
}

double log_bell(std::int64_t n_values, std::int64_t n_groups) {
    std::vector<double> exponents(static_cast<std::size_t>(n_groups));
    for (std::int64_t i = 1; i <= n_groups; ++i) {
        const double x = static_cast<double>(i);
        exponents[i - 1] = static_cast<double>(n_values) * log_positive(x) - log_factorial(x);
    }
    const double largest = *std::max_element(exponents.begin(), exponents.end());
    double total = 0.0;
    for (std::int64_t i = 1; i <= n_groups; ++i)
        total = total + exp_nonpositive(exponents[i - 1] - largest) *
                            inverse_e()[std::min<std::int64_t>(n_groups - i, kConverged)];
    return largest + log_positive(total);
}

Star log_star(double n) {
    Star star{0.0, 1.0};
    while (n > 1.0) {
        star.power = star.power * n;
        n = log_positive(n) / kLog2;
        star.bits = star.bits + n;
    }
    return star;
}

std::int64_t universal_cost(std::int64_t n, std::int64_t bound) {
    return log_cost(normalizer(bound)) + to_cost(kLog2 * log_star(static_cast<double>(n)).bits);
}

Factorials::Factorials(double unit, int n_classes, std::int64_t tabulated)
    : unit_(unit),
      other_classes_(n_classes - 1),
      n_classes_(n_classes),
      constant_(to_cost(log_factorial(n_classes - 1))),
      // Fractional weights are counted in units so small that the first few millions hardly occur.
      size_(unit == 1.0 || tabulated < kTabulated ? std::min(tabulated + 1, kTabulated) : 1) {
    plain_.resize(size_);
    shifted_.resize(size_);
    tabulate(0, 0.0, plain_);
    const std::int64_t known = unit == 1.0 ? std::max<std::int64_t>(0, size_ - n_classes + 1) : 0;
    std::copy(plain_.end() - known, plain_.end(), shifted_.begin());
    tabulate(known, other_classes_, shifted_);
    for (std::int64_t& cost : shifted_) cost -= constant_;
}

// Costs of the weights from `first` on.
void Factorials::tabulate(std::int64_t first, double shift, std::vector<std::int64_t>& costs) const {
    constexpr std::int64_t together = 512;
    double numbers[together], found[together];
    while (first < size_ && static_cast<double>(first) * unit_ + shift < kSmallest) {
        costs[first] = compute(first, shift);
        ++first;
    }
    for (; first < size_; first += together) {
        const std::int64_t n = std::min(together, size_ - first);
        for (std::int64_t i = 0; i < n; ++i) numbers[i] = static_cast<double>(first + i) * unit_ + shift;
        kernels().log_factorials(numbers, static_cast<std::size_t>(n), found);
        for (std::int64_t i = 0; i < n; ++i) costs[first + i] = static_cast<std::int64_t>(found[i]);
    }
}

std::int64_t Factorials::compute(std::int64_t units, double shift) const {
    return to_cost(log_factorial(static_cast<double>(units) * unit_ + shift));
}

Prior::Prior(PriorKind kind, std::int64_t n_attributes, double total)
    : kind_(kind),
      n_attributes_(std::max<std::int64_t>(1, n_attributes)),
      whole_(static_cast<std::int64_t>(std::ceil(std::min(total, 0x1p62)))),
      total_(total),
      finest_(0) {
    while ((std::int64_t{1} << finest_) < whole_) ++finest_;
}

std::int64_t Prior::n_cells(int granularity) const {
    return std::min(std::int64_t{1} << granularity, whole_);
}

std::int64_t Prior::construction(std::int64_t n_bins) const {
    if (kind_ == PriorKind::boulle) return 0;
    return log_cost(2.0) + (n_bins > 1 ? log_cost(static_cast<double>(n_attributes_)) : 0);
}

std::int64_t Prior::groups(const GroupShape& shape) const {
    if (kind_ == PriorKind::boulle)
        return log_cost(static_cast<double>(shape.n_values)) +
               to_cost(log_bell(shape.n_values, shape.n_groups));
    const bool has_garbage = shape.n_garbage > 0;
    const std::int64_t kept = shape.n_values - shape.n_garbage, n_groups = shape.n_groups - has_garbage;
    if (n_groups == 1) return 0;
    std::int64_t cost = universal_cost(n_groups - 1, kept - 1) + to_cost(log_bell(kept, n_groups));
    if (shape.granularity > 0) cost += universal_cost(shape.granularity, finest_);
    if (shape.n_values > kSmallestGarbageDomain) cost += log_cost(2.0);
    if (has_garbage) {
        const double x = static_cast<double>(kept);
        cost += universal_cost(kept - 1, shape.n_values - 2) - to_cost(log_factorial(x)) +
                to_cost(x * log_positive(static_cast<double>(shape.n_values)));
    }
    return cost;
}

IntervalStructure::IntervalStructure(const Prior& prior, int granularity, const Factorials& wholes)
    : kind_(prior.kind()),
      total_(prior.total()),
      one_(prior.construction(1)),
      several_(prior.construction(2)),
      wholes_(wholes) {
    if (kind_ == PriorKind::boulle) {
        several_ += log_cost(total_) - to_cost(log_factorial(total_));
        one_ = several_ + to_cost(log_factorial(total_));
    } else if (granularity > 0) {
        const std::int64_t slots = prior.n_cells(granularity) - 1;
        several_ += log_cost(normalizer(slots)) + universal_cost(granularity, prior.finest_granularity());
        position_ = log_positive(static_cast<double>(slots));
    }
}

std::int64_t IntervalStructure::of(std::int64_t n_bins) const {
    if (n_bins == 1) return one_;
    const double others = static_cast<double>(n_bins - 1);
    return below(n_bins) + (kind_ == PriorKind::khiops ? to_cost(kLog2 * log_star(others).bits)
                                                       : to_cost(log_factorial(total_ + others)));
}

// Without log*(I-1) and log (N+I-1)!, neither of which is negative.
std::int64_t IntervalStructure::below(std::int64_t n_bins) const {
    if (n_bins == 1) return one_;
    const std::int64_t others = n_bins - 1;
    return several_ + to_cost(static_cast<double>(others) * position_) - wholes_.of(others);
}

}  // namespace bayesieve::modl
