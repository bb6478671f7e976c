// SPDX-License-Identifier: BSD-3-Clause
// The MODL criterion, with the bits of src/bayesieve/coding/modl: costs are integers, multiples of 2^-28
// nats.
#pragma once
#include <cstdint>
#include <vector>

namespace bayesieve::modl {

constexpr double kCostOne = 268435456.0;  // 2^28
constexpr std::int64_t kTolerance = 268;  // 1e-6 nats: costs that are closer count as equal
constexpr double kLog2 = 0x1.62e42fefa39efp-1;

// Nats to the fixed point of costs, halves to even.
std::int64_t to_cost(double nats);

// log x! = log Gamma(x + 1), x >= 0
double log_factorial(double x);

// log of the number of ways to put values into at most n_groups groups
double log_bell(std::int64_t n_values, std::int64_t n_groups);

// log*(n) in bits, and 2^log*(n); n >= 1
struct Star {
    double bits, power;
};
Star log_star(double n);

// Rissanen's code of 1 <= n <= bound
std::int64_t universal_cost(std::int64_t n, std::int64_t bound);

// log-factorials of weights in units, and what a bin costs; small weights are tabulated.
class Factorials {
  public:
    // tabulated: log-factorials of 0 .. tabulated units are looked up; at most 2^22
    Factorials(double unit, int n_classes, std::int64_t tabulated);

    // log m!
    std::int64_t of(std::int64_t units) const { return units < size_ ? plain_[units] : compute(units, 0.0); }

    // log (m+J-1)! - log (J-1)!
    std::int64_t with_classes(std::int64_t units) const {
        return units < size_ ? shifted_[units] : compute(units, other_classes_) - constant_;
    }

    // log (m+J-1)! - log (J-1)! - sum log m_j!; counts IN (n_classes)
    std::int64_t bin_cost(const std::int64_t* counts) const {
        std::int64_t mass = 0, cost = 0;
        for (int c = 0; c < n_classes_; ++c) {
            mass += counts[c];
            cost -= of(counts[c]);
        }
        return cost + with_classes(mass);
    }

    double unit() const { return unit_; }
    int n_classes() const { return n_classes_; }
    std::int64_t size() const { return size_; }
    const std::int64_t* plain() const { return plain_.data(); }
    const std::int64_t* shifted() const { return shifted_.data(); }

  private:
    std::int64_t compute(std::int64_t units, double shift) const;
    void tabulate(std::int64_t first, double shift, std::vector<std::int64_t>& costs) const;

    double unit_, other_classes_;
    int n_classes_;
    std::int64_t constant_, size_;
    std::vector<std::int64_t> plain_, shifted_;
};

// The sizes that a grouping's structure cost depends on: values after granularization, groups with the
// garbage group, values in the garbage group (0: there is none), granularity (0: none).
struct GroupShape {
    std::int64_t n_values, n_groups, n_garbage;
    int granularity;
};

enum class PriorKind { khiops, boulle };

// Structure costs, which depend on the number of bins only.
class Prior {
  public:
    Prior(PriorKind kind, std::int64_t n_attributes, double total);

    PriorKind kind() const { return kind_; }
    double total() const { return total_; }
    bool granular() const { return kind_ == PriorKind::khiops; }
    int finest_granularity() const { return finest_; }
    // min(2^g, ceil N): the cells of a granularity
    std::int64_t n_cells(int granularity) const;

    std::int64_t construction(std::int64_t n_bins) const;
    std::int64_t groups(const GroupShape& shape) const;

  private:
    PriorKind kind_;
    std::int64_t n_attributes_, whole_;
    double total_;
    int finest_;
};

// Structure costs of intervals at one granularity, construction included.
class IntervalStructure {
  public:
    // wholes: log-factorials of whole numbers
    IntervalStructure(const Prior& prior, int granularity, const Factorials& wholes);

    std::int64_t of(std::int64_t n_bins) const;
    // At most of(n_bins), and faster.
    std::int64_t below(std::int64_t n_bins) const;
    // Whether that, but for rounding, does not fall from 2 bins to as many as there are cells.
    bool grows() const { return kind_ == PriorKind::khiops; }

  private:
    PriorKind kind_;
    double total_, position_ = 0.0;
    std::int64_t one_, several_;
    const Factorials& wholes_;
};

}  // namespace bayesieve::modl
