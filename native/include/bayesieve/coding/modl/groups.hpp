// SPDX-License-Identifier: BSD-3-Clause
// Optimal groups of the values of a table, as src/bayesieve/bins/modl/groups.py finds them.
#pragma once
#include <cstddef>
#include <cstdint>

#include "bayesieve/coding/modl/cost.hpp"

namespace bayesieve::modl {

// What a grouping must not exceed: the least weight of a group in units (a missing value that stands apart is
// exempt), and the largest number of groups.
struct GroupLimits {
    std::int64_t min_size, max_bins;
};

// A table of values and classes.
struct GroupTable {
    const std::int64_t* counts;  // IN (n_values, n_classes)
    std::size_t n_values;
    double unit;
    bool
        fixed_first;  // the first value is the missing one, a group of its own unless everything is one group
};

struct Grouping {
    std::int64_t n_groups;
    std::int64_t other;  // the group for values that are not in the table, the last one; -1 if there is none
    std::int64_t n_garbage;  // values in the garbage group, a pool counting for one
    std::int64_t granularity;
    std::int64_t cost, null_cost;
};

// The classes and the largest weight of the table are those of `factorials`.
//   groups  OUT (n_values), -1 without weight
Grouping group_values(const GroupTable& table, const Factorials& factorials, PriorKind kind,
                      std::int64_t n_attributes, const GroupLimits& limits, std::int32_t* groups);

}  // namespace bayesieve::modl
