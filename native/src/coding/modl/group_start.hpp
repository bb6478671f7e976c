// SPDX-License-Identifier: BSD-3-Clause
// Where the search for a grouping starts: a ladder of groupings, one for each number of groups.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "group_space.hpp"

namespace bayesieve::modl {

struct Ladder {
    // costs[k]: of k groups, without fixed values; kNever if there is no such step
    std::vector<std::int64_t> costs;
    // number of groups to the group of each value
    std::function<Labels(std::int64_t)> labels;

    bool has(std::int64_t n_groups) const {
        return n_groups < static_cast<std::int64_t>(costs.size()) && costs[n_groups] < kNever;
    }
    // The number of groups of least cost, of equal ones the smallest; 0 if the ladder is empty.
    std::int64_t choose() const;
};

Ladder build_ladder(GroupSpace& space);

}  // namespace bayesieve::modl
