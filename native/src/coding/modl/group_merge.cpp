// SPDX-License-Identifier: BSD-3-Clause
// More than two classes: the two groups whose merge costs least are merged, again and again.
#include <numeric>
#include <utility>

#include "group_items.hpp"

namespace bayesieve::modl {
namespace {

constexpr std::int64_t kFavor = std::int64_t{1} << 60;  // puts a merge before all others

// All but the first items join the one of these with which they cost least.
Labels join_nearest(const GroupSpace& space, const Items& items, Items& groups) {
    const std::size_t n_classes = space.n_classes(), n = std::min(items.n(), kMostItems);
    Labels start(items.n());
    std::vector<std::int64_t> costs(n);
    for (std::size_t i = 0; i < n; ++i) {
        start[i] = static_cast<std::int32_t>(i);
        groups.add(i, items.of(i, n_classes), items.sizes[i], n_classes);
        costs[i] = space.bin_cost(items.of(i, n_classes));
    }
    for (std::size_t i = n; i < items.n(); ++i) {
        std::size_t nearest = 0;
        std::int64_t least = kNever, joined = 0;
        for (std::size_t g = 0; g < n; ++g) {
            const std::int64_t cost = space.cost_of_sum(groups.of(g, n_classes), items.of(i, n_classes));
            if (cost - costs[g] >= least) continue;
            least = cost - costs[g];
            joined = cost;
            nearest = g;
        }
        start[i] = static_cast<std::int32_t>(nearest);
        groups.add(nearest, items.of(i, n_classes), items.sizes[i], n_classes);
        costs[nearest] = joined;
    }
    return start;
}

// More classes: merge the two groups whose merge adds least to the bins' cost, down to one group. Groups
// that are too small come first.
class Merging {
  public:
    Merging(GroupSpace& space, Items groups)
        : space_(space), groups_(std::move(groups)), n_(groups_.n()), live_(n_, 1), small_(n_), costs_(n_) {
        for (std::size_t g = 0; g < n_; ++g) {
            costs_[g] = space_.bin_cost(row(g));
            small_[g] = space_.too_small(space_.mass(row(g)));
            total_ += costs_[g];
        }
        added_.resize(n_ * n_, kNever);
        for (std::size_t a = 0; a < n_; ++a)
            for (std::size_t b = a + 1; b < n_; ++b) added_[a * n_ + b] = change(a, b);
    }

    // One cost for each number of groups from n down, as far as they are allowed.
    std::vector<std::int64_t> run() {
        std::vector<std::int64_t> costs(n_ + 1, kNever);
        for (std::size_t k = n_; k > 0; --k) {
            std::int64_t largest = 0;
            bool allowed = static_cast<std::int64_t>(k) <= space_.max_groups();
            for (std::size_t g = 0; g < n_; ++g) {
                if (live_[g]) largest = std::max(largest, groups_.sizes[g]);
                allowed = allowed && !small_[g];
            }
            if (allowed) costs[k] = total_ + space_.structure(static_cast<std::int64_t>(k), largest);
            if (k > 1) merge_best();
        }
        return costs;
    }

    std::vector<std::pair<std::int32_t, std::int32_t>> merges;

  private:
    const std::int64_t* row(std::size_t g) const { return groups_.of(g, space_.n_classes()); }

    std::int64_t change(std::size_t a, std::size_t b) const {
        return space_.cost_of_sum(row(a), row(b)) - costs_[a] - costs_[b];
    }

    void merge_best() {
        std::size_t a = 0, b = 0;
        std::int64_t least = kNever;
        for (std::size_t i = 0; i < n_; ++i) {
            if (!live_[i]) continue;
            for (std::size_t j = i + 1; j < n_; ++j) {
                if (!live_[j]) continue;
                const std::int64_t key = added_[i * n_ + j] - (small_[i] || small_[j] ? kFavor : 0);
                if (key >= least) continue;
                least = key;
                a = i;
                b = j;
            }
        }
        merges.emplace_back(static_cast<std::int32_t>(a), static_cast<std::int32_t>(b));
        total_ += added_[a * n_ + b];
        groups_.add(a, row(b), groups_.sizes[b], space_.n_classes());
        costs_[a] = space_.bin_cost(row(a));
        live_[b] = small_[b] = 0;
        small_[a] = space_.too_small(space_.mass(row(a)));
        for (std::size_t g = 0; g < n_; ++g)
            if (live_[g] && g != a)
                added_[std::min(a, g) * n_ + std::max(a, g)] = change(std::min(a, g), std::max(a, g));
    }

    GroupSpace& space_;
    Items groups_;
    std::size_t n_;
    std::vector<char> live_, small_;
    std::vector<std::int64_t> costs_, added_;
    std::int64_t total_ = 0;
};

}  // namespace

Ladder by_merging(GroupSpace& space, const Items& items) {
    Items groups;
    Labels start = join_nearest(space, items, groups);
    const auto n = static_cast<std::int64_t>(groups.n());
    Merging merging(space, std::move(groups));
    Ladder ladder{merging.run(), {}};
    ladder.labels = [n, start = std::move(start), merges = std::move(merging.merges)](std::int64_t n_groups) {
        Labels root(n);
        std::iota(root.begin(), root.end(), 0);
        for (std::int64_t m = 0; m < n - n_groups; ++m)
            for (std::int32_t& r : root)
                if (r == merges[m].second) r = merges[m].first;
        Labels number(n, -1), labels(start.size());
        std::int32_t next = 0;
        for (std::size_t i = 0; i < start.size(); ++i) {
            std::int32_t& group = number[root[start[i]]];
            if (group < 0) group = next++;
            labels[i] = group;
        }
        return labels;
    };
    return ladder;
}

}  // namespace bayesieve::modl
