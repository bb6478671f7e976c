// SPDX-License-Identifier: BSD-3-Clause
// The way from one interval a block down to one interval: always the merge that costs least, of equal ones
// the older. A merge changes the cost of the bins by an amount that does not depend on how many others there
// are, so its key changes only when one of its two intervals does. Stale keys stay in the heap and are passed
// over.
#include <algorithm>
#include <cmath>

#include "bin_cost.hpp"
#include "interval_search.hpp"

namespace bayesieve::modl {
namespace {

constexpr std::int64_t kForced = std::int64_t{1} << 60;  // merges of intervals that are too small come first
constexpr std::uint32_t kNone = 0xffffffff;

template <typename BinCost, typename Queue>
class Chain {
  public:
    // The queue is empty.
    Chain(const Blocks& blocks, const BinCost& bin_cost, std::vector<Interval>& intervals, Queue& merges)
        : bin_cost_(bin_cost),
          sums_(blocks.sums.data()),
          least_(blocks.least),
          intervals_(intervals),
          merges_(merges) {
        intervals_.resize(blocks.n);
        const std::uint32_t n = end_ = static_cast<std::uint32_t>(blocks.n);
        if (least_ > 1) small_.resize(n);
        for (std::uint32_t i = 0; i < n; ++i) {
            std::int64_t mass;
            intervals_[i] = {bin_cost.between(at(i), at(i + 1), mass), 0, i - 1, i + 1};
            total_ += intervals_[i].cost;
            mark(i, mass);
        }
        for (std::uint32_t i = 0; i + 1 < n; ++i) renew(i);
        merges_.settle();
    }

    std::int64_t total() const { return total_; }
    bool allowed() const { return n_small_ == 0; }

    // Makes the first merge; which interval disappeared.
    std::uint32_t merge() {
        const std::uint32_t kept = merges_.first();
        Interval& left = intervals_[kept];
        const std::uint32_t gone = left.after;
        total_ += left.merged - left.cost - intervals_[gone].cost;
        left.cost = left.merged;
        left.after = intervals_[gone].after;
        if (least_ > 1) {
            n_small_ -= small_[kept] + small_[gone];
            std::int64_t mass = 0;
            for (int c = 0; c < bin_cost_.classes(); ++c) mass += at(left.after)[c] - at(kept)[c];
            mark(kept, mass);
        }
        merges_.leave(gone);
        merges_.leave(kept);
        if (left.before != kNone) renew(left.before);
        if (left.after != end_) {
            intervals_[left.after].before = kept;
            renew(kept);
        }
        merges_.climb(gone);
        if (left.before != kNone) merges_.climb(left.before);
        merges_.climb(kept);
        return gone;
    }

  private:
    const std::int64_t* at(std::uint32_t border) const {
        return sums_ + static_cast<std::size_t>(border) * bin_cost_.classes();
    }

    // Units are whole, so that no interval is too small if one unit is enough.
    void mark(std::uint32_t i, std::int64_t mass) {
        if (least_ <= 1) return;
        small_[i] = mass < least_;
        n_small_ += small_[i];
    }

    void renew(std::uint32_t left) {
        Interval& interval = intervals_[left];
        const Interval& next = intervals_[interval.after];
        std::int64_t mass;
        interval.merged = bin_cost_.between(at(left), at(next.after), mass);
        std::int64_t key = interval.merged - interval.cost - next.cost;
        if (least_ > 1 && (small_[left] || small_[interval.after])) key -= kForced;
        merges_.enter(left, key, clock_++);
    }

    const BinCost& bin_cost_;
    const std::int64_t* sums_;
    std::int64_t least_, total_ = 0, n_small_ = 0;
    std::vector<Interval>& intervals_;
    Queue& merges_;
    std::vector<std::uint8_t> small_;
    std::uint32_t clock_ = 0, end_;
};

// The number of intervals with the least cost, the smallest on equality. totals[s], after s merges; those
// before `first` are not allowed.
std::size_t best_count(const Blocks& blocks, const std::vector<std::int64_t>& totals, std::size_t first) {
    const std::size_t n = blocks.n;
    std::int64_t best = totals[n - 1] + blocks.structure_of(1);
    std::size_t fewest = 1;
    for (std::size_t k = 2; k <= n - first && static_cast<std::int64_t>(k) <= blocks.limit; ++k) {
        const std::int64_t bins_cost = totals[n - k], count = static_cast<std::int64_t>(k);
        if (bins_cost + blocks.structure->below(count + blocks.head) >= best - kTolerance) continue;
        const std::int64_t total = bins_cost + blocks.structure_of(count);
        if (total < best - kTolerance) {
            best = total;
            fewest = k;
        }
    }
    return fewest;
}

// The partition into so many of n blocks' intervals, given which interval each merge removes.
Borders borders_after(const std::vector<std::uint32_t>& removed, std::size_t n, std::size_t n_intervals) {
    std::vector<std::uint8_t> gone(n, 0);
    for (std::size_t step = 0; step < n - n_intervals; ++step) gone[removed[step]] = 1;
    Borders borders;
    for (std::size_t i = 0; i < n; ++i)
        if (!gone[i]) borders.push_back(static_cast<std::uint32_t>(i));
    borders.push_back(static_cast<std::uint32_t>(n));
    return borders;
}

}  // namespace

double largest_key(const Factorials& factorials, std::int64_t total) {
    // A bin of m rows of J classes costs between nothing and log J^m + log (m + 1)^(J - 1). Gamma functions
    // of fractions and rounding stay well within the rest.
    const double rows = static_cast<double>(total) * factorials.unit(), classes = factorials.n_classes();
    const double nats = rows * std::log(classes) + 2.0 * classes * std::log1p(rows);
    return std::ceil((1.01 * nats + classes + 1.0) * kCostOne);
}

std::vector<Borders> merge_greedily(const Blocks& blocks, MergingRoom& room,
                                    const std::function<void()>& poll) {
    const std::size_t n = blocks.n;
    std::vector<std::uint32_t>& removed = room.removed;
    std::vector<std::int64_t>& totals = room.totals;
    removed.resize(n - 1);
    totals.resize(n);
    std::size_t first = n;  // step from which on no interval is too small
    const auto run = [&](const auto& bin_cost, auto& merges) {
        Chain chain(blocks, bin_cost, room.intervals, merges);
        for (std::size_t step = 0;; ++step) {
            totals[step] = chain.total();
            if (chain.allowed()) first = std::min(first, step);
            if (step == n - 1) break;
            removed[step] = chain.merge();
            if (step % 65536 == 65535) poll();
        }
    };
    const double limit = largest_key(*blocks.factorials, blocks.total());
    const bool slim = blocks.least <= 1 && SlimQueue::fits(n, limit);  // small intervals have keys beyond
    with_bin_cost(*blocks.factorials, blocks.total(), [&](const auto& bin_cost) {
        if (slim) {
            room.slim.reset(n, limit);
            run(bin_cost, room.slim);
        } else {
            room.wide.reset(n);
            run(bin_cost, room.wide);
        }
    });
    first = std::min(first, n - 1);
    const std::size_t fewest = best_count(blocks, totals, first);
    const auto best = static_cast<std::int64_t>(fewest);
    const std::int64_t most = std::min<std::int64_t>(n - first, blocks.limit);
    std::vector<Borders> found{borders_after(removed, n, fewest)};
    for (std::int64_t k = std::max<std::int64_t>(1, best - blocks.detours);
         k <= std::min(most, best + blocks.detours); ++k)
        if (k != best) found.push_back(borders_after(removed, n, static_cast<std::size_t>(k)));
    return found;
}

}  // namespace bayesieve::modl
