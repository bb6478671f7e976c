// SPDX-License-Identifier: BSD-3-Clause
// Small changes of a partition: an interval is cut in two, the cut between two neighbors moves, three
// neighbors become two. Each needs the best place of one cut in a range of blocks, which is searched again
// only where the range changed.
#include <algorithm>
#include <limits>

#include "bin_cost.hpp"
#include "interval_search.hpp"

namespace bayesieve::modl {
namespace {

constexpr std::int64_t kNoChange = std::int64_t{1} << 62;
constexpr std::uint32_t kStride = 32;  // cuts

// The best way to make two intervals of some neighbors: what it changes, structure left out.
struct Change {
    std::int64_t cost;
    std::uint32_t cut;
};

template <typename BinCost>
class Neighborhood {
  public:
    Neighborhood(const Blocks& blocks, const BinCost& bin_cost, Borders& borders)
        : blocks_(blocks), bin_cost_(bin_cost), borders_(borders) {
        for (std::size_t i = 0; i + 1 < borders.size(); ++i)
            costs_.push_back(cost(borders[i], borders[i + 1]));
        for (int width = 1; width <= 3; ++width)
            fill(width, 0, 0, n() + 1 - std::min<std::size_t>(n() + 1, width));
    }

    // False if nothing helps.
    bool step() {
        Choice best = choose(3);
        for (int width = 2; width >= 1; --width) {  // on equality, fewer intervals
            const Choice other = choose(width);
            if (other.cost < best.cost - kTolerance) best = other;
        }
        if (best.cost >= -kTolerance && !(best.width == 3 && best.cost <= kTolerance)) return false;
        apply(best.width, best.first);
        return true;
    }

  private:
    struct Choice {
        std::int64_t cost;
        std::size_t first;
        int width;
    };

    std::size_t n() const { return borders_.size() - 1; }
    const std::int64_t* sums(std::uint32_t border) const {
        return &blocks_.sums[static_cast<std::size_t>(border) * bin_cost_.classes()];
    }

    std::int64_t cost(std::uint32_t begin, std::uint32_t end) const {
        std::int64_t mass;
        return bin_cost_.between(sums(begin), sums(end), mass);
    }

    Choice choose(int width) const {
        const std::int64_t after = static_cast<std::int64_t>(n()) - width + 2;
        Choice best{kNoChange, 0, width};
        if (after > blocks_.limit || after > static_cast<std::int64_t>(blocks_.n)) return best;
        const std::vector<Change>& changes = changes_[width - 1];
        for (std::size_t i = 0; i < changes.size(); ++i)
            if (changes[i].cost < best.cost) best = {changes[i].cost, i, width};
        if (best.cost < kNoChange)
            best.cost += blocks_.structure_of(after) - blocks_.structure_of(static_cast<std::int64_t>(n()));
        return best;
    }

    // From right to left: on equality the last cut.
    Change best_cut(std::uint32_t begin, std::uint32_t end) {
        if (BinCost::kTabulated && blocks_.least <= 1 && end - begin > 4 * kStride) {
            const Change best = best_cut_by_bounds(begin, end);
            if (best.cost < kNoChange) return best;
        }
        Change best{kNoChange, end};
        for (std::uint32_t cut = end - 1; cut > begin; --cut) {
            std::int64_t left, right;
            const std::int64_t* middle = sums(cut);
            const std::int64_t cost =
                bin_cost_.between(sums(begin), middle, left) + bin_cost_.between(middle, sums(end), right);
            if (cost < best.cost - kTolerance && std::min(left, right) >= blocks_.least) best = {cost, cut};
        }
        return best;
    }

    // The same without most cuts: a bin never costs less than a part of it, so that cuts of a stride cost at
    // least the left side of its first cut and the right side of its last. kNoChange if another cut costs
    // almost as little, when order matters.
    Change best_cut_by_bounds(std::uint32_t begin, std::uint32_t end) {
        const std::uint32_t n_strides = (end - begin - 2) / kStride;  // the rest is at the left end
        const auto last_of = [&](std::uint32_t stride) { return end - 1 - stride * kStride; };
        left_costs_.resize(n_strides + 1);
        right_costs_.resize(n_strides + 1);
        std::int64_t reached = kNoChange;
        for (std::uint32_t s = 0; s <= n_strides; ++s) {
            left_costs_[s] = cost(begin, last_of(s));
            right_costs_[s] = cost(last_of(s), end);
            reached = std::min(reached, left_costs_[s] + right_costs_[s]);
        }
        Change best{kNoChange, end};
        bool is_close = false;
        const auto consider = [&](std::uint32_t cut, std::int64_t total) {
            if (total >= best.cost) return;
            is_close = total >= best.cost - kTolerance;
            best = {total, cut};
            reached = std::min(reached, total);
        };
        for (std::uint32_t s = 0; s <= n_strides; ++s) {
            const std::uint32_t first = s < n_strides ? last_of(s + 1) : begin;
            consider(last_of(s), left_costs_[s] + right_costs_[s]);
            const std::int64_t left = s < n_strides ? left_costs_[s + 1] : 0;
            if (left + right_costs_[s] > reached + 2 * kTolerance) continue;
            for (std::uint32_t cut = last_of(s) - 1; cut > first; --cut)
                consider(cut, cost(begin, cut) + cost(cut, end));
        }
        return is_close ? Change{kNoChange, end} : best;
    }

    // Searches again for the changes of `width` neighbors that begin at intervals first .. stop - 1, which
    // replace `old` others.
    void fill(int width, std::size_t first, std::size_t old, std::size_t stop) {
        std::vector<Change> fresh;
        for (std::size_t i = first; i < stop; ++i) {
            Change change = best_cut(borders_[i], borders_[i + width]);
            if (change.cost < kNoChange)
                for (int k = 0; k < width; ++k) change.cost -= costs_[i + k];
            fresh.push_back(change);
        }
        std::vector<Change>& changes = changes_[width - 1];
        const auto at = changes.erase(changes.begin() + first, changes.begin() + first + old);
        changes.insert(at, fresh.begin(), fresh.end());
    }

    void apply(int width, std::size_t i) {
        const std::uint32_t cut = changes_[width - 1][i].cut;
        const std::size_t before = n();
        borders_.erase(borders_.begin() + i + 1, borders_.begin() + i + width);
        borders_.insert(borders_.begin() + i + 1, cut);
        costs_.erase(costs_.begin() + i, costs_.begin() + i + width);
        costs_.insert(costs_.begin() + i, {cost(borders_[i], cut), cost(cut, borders_[i + 2])});
        for (std::size_t v = 1; v <= 3; ++v) {
            const std::size_t first = i + 1 >= v ? i + 1 - v : 0;
            const std::size_t old_stop = std::min(i + width, before + 1 - std::min(before + 1, v));
            const std::size_t stop = std::min(i + 2, n() + 1 - std::min(n() + 1, v));
            fill(static_cast<int>(v), first, old_stop > first ? old_stop - first : 0, stop);
        }
    }

    const Blocks& blocks_;
    const BinCost& bin_cost_;
    Borders& borders_;
    std::vector<std::int64_t> costs_;
    std::vector<Change> changes_[3];
    std::vector<std::int64_t> left_costs_, right_costs_;  // of every cut of a stride's end
};

}  // namespace

void improve(const Blocks& blocks, Borders& borders, const std::function<void()>& poll) {
    with_bin_cost(*blocks.factorials, blocks.total(), [&](const auto& bin_cost) {
        Neighborhood neighborhood(blocks, bin_cost, borders);
        while (neighborhood.step()) poll();
    });
}

}  // namespace bayesieve::modl
