// SPDX-License-Identifier: BSD-3-Clause
// What a ladder is built of: values, or all values of one class together.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "group_start.hpp"

namespace bayesieve::modl {

constexpr std::size_t kMostItems = 128;  // a finer start costs more than the moves that follow need

struct Items {
    Counts counts;
    std::vector<std::int64_t> sizes;

    std::size_t n() const { return sizes.size(); }
    const std::int64_t* of(std::size_t item, std::size_t n_classes) const {
        return counts.data() + item * n_classes;
    }
    void add(std::size_t item, const std::int64_t* row, std::int64_t size, std::size_t n_classes) {
        if (item == n()) {
            counts.resize(counts.size() + n_classes, 0);
            sizes.push_back(0);
        }
        for (std::size_t c = 0; c < n_classes; ++c) counts[item * n_classes + c] += row[c];
        sizes[item] += size;
    }
};

// Labels of these ladders are of items.
Ladder by_proportion(GroupSpace& space, const Items& items);  // two classes
Ladder by_merging(GroupSpace& space, const Items& items);

}  // namespace bayesieve::modl
