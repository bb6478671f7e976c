// SPDX-License-Identifier: BSD-3-Clause
// The way from one interval a block down to one interval: always the merge that costs least, of equal ones
// the older. A merge changes the cost of the bins by an amount that does not depend on how many others there
// are, so its key changes only when one of its two intervals does. Right after a merge, then, only those of
// the new interval with its neighbors can have lower keys than that merge had: they are made, one after the
// other, without the queue, and the queue is of merges whose keys do not fall.
#include <algorithm>

#include "bin_cost.hpp"
#include "interval_search.hpp"

namespace bayesieve::modl {
namespace {

constexpr std::int64_t kForced = std::int64_t{1} << 60;  // merges of intervals that are too small come first
constexpr std::int64_t kNoMerge = INT64_MAX;
constexpr std::int64_t kRounding = std::int64_t{1} << 16;  // more than that of any two structure costs
constexpr std::uint32_t kNone = 0xffffffff;

template <typename BinCost>
class Chain {
  public:
    Chain(const Blocks& blocks, const BinCost& bin_cost, MergingRoom& room)
        : bin_cost_(bin_cost),
          sums_(blocks.sums),
          least_(blocks.least),
          room_(room),
          intervals_(room.intervals),
          first_allowed_(blocks.n) {
        const std::uint32_t n = end_ = static_cast<std::uint32_t>(blocks.n);
        if (least_ > 1) small_.resize(n);
        for (std::uint32_t i = 0; i < n; ++i) {
            std::int64_t mass;
            intervals_[i] = {bin_cost.between(at(i), at(i + 1), mass), i - 1, i + 1};
            total_ += intervals_[i].cost;
            if (least_ > 1) n_small_ += small_[i] = mass < least_;
        }
        for (std::uint32_t i = 0; i + 1 < n; ++i)
            room_.totals[i] = key(i, intervals_[i].cost, i + 1, intervals_[i + 1].cost, i + 2);
        room_.merges.reset(room_.totals, n - 1, -kForced / 2);
        note();
    }

    // Merges down to one interval; the first step after which no interval is too small.
    std::size_t run(const std::function<void()>& poll) {
        while (step_ + 1 < end_) {
            const std::size_t before = step_;
            const Merge merge = room_.merges.pop();
            grow(merge.left, merge.key);
            if (before >> 16 != step_ >> 16) poll();
        }
        return first_allowed_;
    }

  private:
    const std::int64_t* at(std::uint32_t border) const {
        return sums_ + static_cast<std::size_t>(border) * bin_cost_.classes();
    }

    // The key of the merge of two intervals, the second of which ends at `end`.
    std::int64_t key(std::uint32_t left, std::int64_t left_cost, std::uint32_t right, std::int64_t right_cost,
                     std::uint32_t end) const {
        std::int64_t mass;
        const std::int64_t change = bin_cost_.between(at(left), at(end), mass) - left_cost - right_cost;
        // Units are whole, so that no interval is too small if one unit is enough.
        return least_ > 1 && (small_[left] || small_[right]) ? change - kForced : change;
    }

    // Merges interval i with the next, and the new one with its neighbors as long as their keys are lower
    // than the first.
    void grow(std::uint32_t i, const std::int64_t limit) {
        Interval grown = intervals_[i];
        std::int64_t left_key = kNoMerge, right_key = limit;
        do {
            std::uint32_t gone;
            if (left_key <= right_key) {
                gone = i;
                i = grown.before;
                const Interval& other = intervals_[i];
                grown = {grown.cost + other.cost, other.before, grown.after};
                add(i, gone, left_key, grown);
            } else {
                gone = grown.after;
                const Interval& other = intervals_[gone];
                grown = {grown.cost + other.cost, grown.before, other.after};
                add(i, gone, right_key, grown);
            }
            left_key = right_key = kNoMerge;
            if (grown.before != kNone)
                left_key = key(grown.before, intervals_[grown.before].cost, i, grown.cost, grown.after);
            if (grown.after != end_) {
                const Interval& next = intervals_[grown.after];
                right_key = key(i, grown.cost, grown.after, next.cost, next.after);
            }
        } while (std::min(left_key, right_key) < limit);
        intervals_[i] = grown;
        if (grown.before != kNone) room_.merges.enter(grown.before, left_key);
        if (grown.after == end_) {
            room_.merges.leave(i);
        } else {
            intervals_[grown.after].before = i;
            room_.merges.enter(i, right_key);
        }
    }

    // Interval `gone` has become part of `kept`; `grown.cost` is the sum of both costs so far.
    void add(std::uint32_t kept, std::uint32_t gone, std::int64_t key, Interval& grown) {
        const std::int64_t change = key < -kForced / 2 ? key + kForced : key;
        grown.cost += change;
        total_ += change;
        room_.merges.leave(gone);
        room_.removed[step_++] = gone;
        if (least_ > 1) {
            std::int64_t mass = 0;
            for (int c = 0; c < bin_cost_.classes(); ++c) mass += at(grown.after)[c] - at(kept)[c];
            n_small_ -= small_[kept] + small_[gone];
            n_small_ += small_[kept] = mass < least_;
        }
        note();
    }

    void note() {
        room_.totals[step_] = total_;
        if (n_small_ == 0) first_allowed_ = std::min(first_allowed_, step_);
    }

    const BinCost& bin_cost_;
    const std::int64_t* sums_;
    std::int64_t least_, total_ = 0, n_small_ = 0;
    MergingRoom& room_;
    Interval* intervals_;
    std::vector<std::uint8_t> small_;
    std::size_t step_ = 0, first_allowed_;
    std::uint32_t end_;
};

// The number of intervals with the least cost, the smallest on equality. totals[s], after s merges; those
// before `first` are not allowed.
std::size_t best_count(const Blocks& blocks, const std::int64_t* totals, std::size_t first) {
    const std::size_t n = blocks.n;
    std::int64_t best = totals[n - 1] + blocks.structure_of(1), known = 0;
    std::size_t fewest = 1;
    for (std::size_t k = 2; k <= n - first && static_cast<std::int64_t>(k) <= blocks.limit; ++k) {
        const std::int64_t bins_cost = totals[n - k], count = static_cast<std::int64_t>(k);
        if (bins_cost + known >= best - kTolerance) continue;
        const std::int64_t below = blocks.structure->below(count + blocks.head);
        if (blocks.structure->grows()) known = below - kRounding;
        if (bins_cost + below >= best - kTolerance) continue;
        const std::int64_t total = bins_cost + blocks.structure_of(count);
        if (total < best - kTolerance) {
            best = total;
            fewest = k;
        }
    }
    return fewest;
}

// The partition into so many of n blocks' intervals, given which interval each merge removes.
Borders borders_after(const std::uint32_t* removed, std::size_t n, std::size_t n_intervals) {
    Borders borders(removed + (n - n_intervals), removed + (n - 1));
    borders.push_back(0);
    borders.push_back(static_cast<std::uint32_t>(n));
    std::sort(borders.begin(), borders.end());
    return borders;
}

}  // namespace

std::vector<Borders> merge_greedily(const Blocks& blocks, MergingRoom& room,
                                    const std::function<void()>& poll) {
    const std::size_t n = blocks.n;
    const std::size_t first = with_bin_cost(*blocks.factorials, blocks.total(), [&](const auto& bin_cost) {
        return std::min(Chain(blocks, bin_cost, room).run(poll), n - 1);
    });
    const std::size_t fewest = best_count(blocks, room.totals, first);
    const auto best = static_cast<std::int64_t>(fewest);
    const std::int64_t most = std::min<std::int64_t>(n - first, blocks.limit);
    std::vector<Borders> found{borders_after(room.removed, n, fewest)};
    for (std::int64_t k = std::max<std::int64_t>(1, best - blocks.detours);
         k <= std::min(most, best + blocks.detours); ++k)
        if (k != best) found.push_back(borders_after(room.removed, n, static_cast<std::size_t>(k)));
    return found;
}

}  // namespace bayesieve::modl
