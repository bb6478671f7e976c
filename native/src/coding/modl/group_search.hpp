// SPDX-License-Identifier: BSD-3-Clause
// The search for the best grouping at one granularity.
#pragma once
#include <optional>

#include "group_moves.hpp"

namespace bayesieve::modl {

// None if no grouping is allowed.
std::optional<GroupState> search_groups(GroupSpace& space);

}  // namespace bayesieve::modl
