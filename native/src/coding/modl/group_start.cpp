// SPDX-License-Identifier: BSD-3-Clause
#include "group_start.hpp"

#include <utility>

#include "group_items.hpp"

namespace bayesieve::modl {
namespace {

// The only class of a value; -1 if it has several.
std::int32_t only_class(const std::int64_t* value, std::size_t n_classes) {
    std::int32_t found = -1;
    for (std::size_t c = 0; c < n_classes; ++c) {
        if (value[c] == 0) continue;
        if (found >= 0) return -1;
        found = static_cast<std::int32_t>(c);
    }
    return found;
}

// Values of one class only belong together; items are in the order of their first values.
Labels merge_pure(const GroupSpace& space, Items& items) {
    Labels members(space.size());
    std::vector<std::int32_t> item_of(space.n_classes(), -1);
    for (std::size_t v = 0; v < space.size(); ++v) {
        const std::int32_t c = only_class(space.value(v), space.n_classes());
        std::int32_t item = c >= 0 ? item_of[c] : -1;
        if (item < 0) item = static_cast<std::int32_t>(items.n());
        if (c >= 0) item_of[c] = item;
        members[v] = item;
        items.add(item, space.value(v), 1, space.n_classes());
    }
    return members;
}

}  // namespace

std::int64_t Ladder::choose() const {
    std::int64_t chosen = 0;
    for (std::int64_t k = 1; k < static_cast<std::int64_t>(costs.size()); ++k)
        if (has(k) && (chosen == 0 || costs[k] < costs[chosen] - kTolerance)) chosen = k;
    return chosen;
}

Ladder build_ladder(GroupSpace& space) {
    Items items;
    Labels members = merge_pure(space, items);
    Ladder ladder = space.n_classes() == 2 ? by_proportion(space, items) : by_merging(space, items);
    ladder.labels = [members = std::move(members),
                     of_items = std::move(ladder.labels)](std::int64_t n_groups) {
        const Labels found = of_items(n_groups);
        Labels labels(members.size());
        for (std::size_t v = 0; v < members.size(); ++v) labels[v] = found[members[v]];
        return labels;
    };
    return ladder;
}

}  // namespace bayesieve::modl
