// SPDX-License-Identifier: BSD-3-Clause
// The space in which values are grouped: the values of a table at one granularity, and what a grouping costs.
#pragma once
#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bayesieve/coding/modl/groups.hpp"

namespace bayesieve::modl {

using Labels = std::vector<std::int32_t>;
using Counts = std::vector<std::int64_t>;  // rows of n_classes

// The cost of what is not allowed; the sum of two still fits 64 bits.
constexpr std::int64_t kNever = std::int64_t{1} << 61;

class GroupSpace {
  public:
    // values: the most frequent first, a pool of rare values last. n_fixed: 1 if a missing value stands
    // apart, which is not among them but is a value and a group to the prior.
    GroupSpace(Counts values, int granularity, std::int64_t n_fixed, const Factorials& factorials,
               const Prior& prior, const GroupLimits& limits)
        : values_(std::move(values)),
          granularity_(granularity),
          n_fixed_(n_fixed),
          n_classes_(static_cast<std::size_t>(factorials.n_classes())),
          size_(values_.size() / n_classes_),
          factorials_(factorials),
          prior_(prior),
          limits_(limits) {}

    std::size_t size() const { return size_; }
    std::size_t n_classes() const { return n_classes_; }
    int granularity() const { return granularity_; }
    std::int64_t n_fixed() const { return n_fixed_; }
    const std::int64_t* value(std::size_t v) const { return values_.data() + v * n_classes_; }

    // The largest number of groups of the values that are not fixed.
    std::int64_t max_groups() const {
        return std::min(static_cast<std::int64_t>(size_), limits_.max_bins - n_fixed_);
    }

    bool allows_garbage() const {
        return prior_.granular() && static_cast<std::int64_t>(size_) + n_fixed_ > 7;
    }

    std::int64_t bin_cost(const std::int64_t* counts) const { return factorials_.bin_cost(counts); }

    // The bin of two groups together, or of a group and a value.
    std::int64_t cost_of_sum(const std::int64_t* a, const std::int64_t* b) const {
        return cost_of(n_classes_, [&](std::size_t c) { return a[c] + b[c]; });
    }

    // The bin of a group without a value.
    std::int64_t cost_of_difference(const std::int64_t* a, const std::int64_t* b) const {
        return cost_of(n_classes_, [&](std::size_t c) { return a[c] - b[c]; });
    }

    std::int64_t mass(const std::int64_t* counts) const {
        std::int64_t sum = 0;
        for (std::size_t c = 0; c < n_classes_; ++c) sum += counts[c];
        return sum;
    }

    bool too_small(std::int64_t mass) const { return mass < limits_.min_size; }

    // The cost of stating a grouping, with the largest group as garbage if that is cheaper; no other group
    // can be the better garbage: the more values it holds, the less there is to state.
    std::int64_t structure(std::int64_t n_groups, std::int64_t largest) {
        return std::min(stated(n_groups, 0), stated(n_groups, largest));
    }

    // The cost of stating a grouping with or without garbage; kNever if the prior has no such grouping.
    std::int64_t stated(std::int64_t n_groups, std::int64_t n_garbage) {
        if (n_garbage > 0 && !(allows_garbage() && n_groups + n_fixed_ > 2)) return kNever;
        const auto [entry, is_new] = known_.try_emplace((n_groups << 32) | n_garbage, 0);
        if (is_new) {
            const std::int64_t all = n_groups + n_fixed_;
            entry->second =
                prior_.construction(all) +
                prior_.groups({static_cast<std::int64_t>(size_) + n_fixed_, all, n_garbage, granularity_});
        }
        return entry->second;
    }

  private:
    template <typename Count>
    std::int64_t cost_of(std::size_t n_classes, Count count) const {
        std::int64_t mass = 0, cost = 0;
        for (std::size_t c = 0; c < n_classes; ++c) {
            mass += count(c);
            cost -= factorials_.of(count(c));
        }
        return cost + factorials_.with_classes(mass);
    }

    Counts values_;
    int granularity_;
    std::int64_t n_fixed_;
    std::size_t n_classes_, size_;
    const Factorials& factorials_;
    const Prior& prior_;
    GroupLimits limits_;
    std::unordered_map<std::int64_t, std::int64_t> known_;
};

}  // namespace bayesieve::modl
