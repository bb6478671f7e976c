// SPDX-License-Identifier: BSD-3-Clause
#include <numeric>

#include "group_moves.hpp"

namespace bayesieve::modl {

bool GroupState::fill_garbage() {
    if (!space_->allows_garbage()) return false;
    const std::size_t n = labels_.size(), n_before = sizes_.size();
    std::vector<std::int64_t> leaving(n);
    for (std::size_t v = 0; v < n; ++v)
        leaving[v] = space_->cost_of_difference(row(labels_[v]), space_->value(v)) - costs_[labels_[v]];
    const std::int64_t all_costs = std::accumulate(costs_.begin(), costs_.end(), std::int64_t{0});
    std::int64_t promised = cost();
    std::size_t target = n_before + 1;
    std::vector<std::size_t> chosen, outside;
    std::vector<std::int64_t> changes(n);
    append_empty();
    for (std::size_t t = 0; t <= n_before; ++t) {
        const std::int64_t n_groups = static_cast<std::int64_t>(n_before) + (t == n_before);
        if (n_groups > space_->max_groups()) continue;
        outside.clear();
        for (std::size_t v = 0; v < n; ++v) {
            if (labels_[v] == static_cast<std::int32_t>(t)) continue;
            outside.push_back(v);
            changes[v] = leaving[v] + space_->cost_of_sum(row(t), space_->value(v)) - costs_[t];
        }
        std::stable_sort(outside.begin(), outside.end(),
                         [&](std::size_t a, std::size_t b) { return changes[a] < changes[b]; });
        // The other groups keep a value each.
        const std::int64_t most = std::min(static_cast<std::int64_t>(outside.size()),
                                           static_cast<std::int64_t>(n) - sizes_[t] - (n_groups - 1));
        std::int64_t sum = all_costs, n_summed = 0;
        for (std::int64_t n_moved = 1; n_moved <= most; n_moved += std::max<std::int64_t>(1, n_moved / 8)) {
            for (; n_summed < n_moved; ++n_summed) sum += changes[outside[n_summed]];
            const std::int64_t cost = sum + space_->stated(n_groups, sizes_[t] + n_moved);
            if (cost >= promised) continue;
            promised = cost;
            target = t;
            chosen.assign(outside.begin(), outside.begin() + n_moved);
        }
    }
    for (const std::size_t v : chosen) move(v, target);
    drop_empty();
    if (target > n_before) return false;
    for (std::size_t g = 0; g < sizes_.size(); ++g)
        if (space_->too_small(space_->mass(row(g)))) return false;
    return true;
}

}  // namespace bayesieve::modl
