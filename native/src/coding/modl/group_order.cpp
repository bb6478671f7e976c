// SPDX-License-Identifier: BSD-3-Clause
// Two classes have an order: groups are intervals of the share of a class, the best found by dynamic
// programming.
#include <memory>
#include <numeric>

#include "group_items.hpp"

namespace bayesieve::modl {
namespace {

constexpr std::int64_t kPatience = 8;  // numbers of groups to try beyond twice the best

// Items in the order of the second class's share, and the block of each in that order: its own, or blocks of
// about one weight.
struct Order {
    std::vector<std::size_t> items;
    std::vector<std::size_t> block;
};

Order order_items(const Items& items) {
    const std::size_t n = items.n();
    std::vector<double> share(n);
    std::int64_t total = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const std::int64_t mass = items.counts[2 * i] + items.counts[2 * i + 1];
        share[i] = static_cast<double>(items.counts[2 * i + 1]) / static_cast<double>(mass);
        total += mass;
    }
    Order order;
    order.items.resize(n);
    std::iota(order.items.begin(), order.items.end(), std::size_t{0});
    std::stable_sort(order.items.begin(), order.items.end(),
                     [&](std::size_t a, std::size_t b) { return share[a] < share[b]; });
    order.block.resize(n);
    std::iota(order.block.begin(), order.block.end(), std::size_t{0});
    if (n <= kMostItems) return order;
    const std::int64_t width = total / static_cast<std::int64_t>(kMostItems) + 1;
    std::int64_t before = 0, last = -1;
    std::size_t n_blocks = 0;
    for (std::size_t i = 0; i < n; ++i) {
        if (before / width != last) ++n_blocks;
        last = before / width;
        order.block[i] = n_blocks - 1;
        const std::size_t item = order.items[i];
        before += items.counts[2 * item] + items.counts[2 * item + 1];
    }
    return order;
}

// The ways back of the dynamic program: back[k - 2][t] is where the last of k intervals up to t begins.
using Back = std::vector<std::vector<std::int32_t>>;

std::vector<std::int32_t> follow(const Back& back, std::int64_t n_groups, std::size_t n) {
    std::vector<std::int32_t> cuts(n_groups + 1, 0);
    cuts[n_groups] = static_cast<std::int32_t>(n);
    for (std::int64_t k = n_groups; k > 1; --k) cuts[k - 1] = back[k - 2][cuts[k]];
    return cuts;
}

// Cost of the bin from u to t at u * (n + 1) + t, u < t, given cumulative counts; kNever if it is too small.
std::vector<std::int64_t> interval_costs(const GroupSpace& space, const Counts& cumulative, std::size_t n) {
    std::vector<std::int64_t> costs((n + 1) * (n + 1), kNever);
    for (std::size_t u = 0; u < n; ++u) {
        for (std::size_t t = u + 1; t <= n; ++t) {
            const std::int64_t within[2] = {cumulative[2 * t] - cumulative[2 * u],
                                            cumulative[2 * t + 1] - cumulative[2 * u + 1]};
            if (!space.too_small(within[0] + within[1])) costs[u * (n + 1) + t] = space.bin_cost(within);
        }
    }
    return costs;
}

}  // namespace

// F(k, t) = min over u of F(k-1, u) + cost(u..t).
Ladder by_proportion(GroupSpace& space, const Items& items) {
    const Order order = order_items(items);
    const std::size_t n = order.block.back() + 1;
    Counts cumulative(2 * (n + 1), 0);
    std::vector<std::int64_t> places(n + 1, 0);
    for (std::size_t i = 0; i < items.n(); ++i) {
        const std::size_t item = order.items[i], at = order.block[i] + 1;
        for (std::size_t c = 0; c < 2; ++c) cumulative[2 * at + c] += items.counts[2 * item + c];
        places[at] += items.sizes[item];
    }
    for (std::size_t t = 1; t <= n; ++t) {
        for (std::size_t c = 0; c < 2; ++c) cumulative[2 * t + c] += cumulative[2 * t - 2 + c];
        places[t] += places[t - 1];
    }
    const std::vector<std::int64_t> costs = interval_costs(space, cumulative, n);
    const std::int64_t most = std::min(static_cast<std::int64_t>(n), space.max_groups());
    Ladder ladder{std::vector<std::int64_t>(std::max<std::int64_t>(most, 0) + 1, kNever), {}};
    auto back = std::make_shared<Back>();
    std::vector<std::int64_t> costs_to(costs.begin(), costs.begin() + n + 1), longer(n + 1);
    std::int64_t best_cost = kNever, best_size = 0;
    for (std::int64_t k = 1; k <= most; ++k) {
        if (k > 1) {
            std::fill(longer.begin(), longer.end(), kNever);
            back->emplace_back(n + 1, 0);
            for (std::size_t u = 0; u < n; ++u) {
                if (costs_to[u] >= kNever) continue;
                for (std::size_t t = u + 1; t <= n; ++t) {
                    const std::int64_t cost = costs_to[u] + costs[u * (n + 1) + t];
                    if (cost >= longer[t]) continue;
                    longer[t] = cost;
                    back->back()[t] = static_cast<std::int32_t>(u);
                }
            }
            costs_to.swap(longer);
        }
        if (costs_to[n] < kNever) {
            const std::vector<std::int32_t> cuts = follow(*back, k, n);
            std::int64_t largest = 0;
            for (std::int64_t i = 0; i < k; ++i)
                largest = std::max(largest, places[cuts[i + 1]] - places[cuts[i]]);
            ladder.costs[k] = costs_to[n] + space.structure(k, largest);
            if (ladder.costs[k] < best_cost - kTolerance) {
                best_cost = ladder.costs[k];
                best_size = k;
            }
        }
        if (k > 2 * best_size + kPatience) break;
    }
    ladder.labels = [order, back, n](std::int64_t n_groups) {
        const std::vector<std::int32_t> cuts = follow(*back, n_groups, n);
        Labels labels(order.items.size());
        std::int32_t group = 0;
        for (std::size_t i = 0; i < order.items.size(); ++i) {
            while (static_cast<std::int32_t>(order.block[i]) >= cuts[group + 1]) ++group;
            labels[order.items[i]] = group;
        }
        return labels;
    };
    return ladder;
}

}  // namespace bayesieve::modl
