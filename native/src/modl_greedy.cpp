// The way from one interval a block down to one interval: always the merge that costs least, of equal ones
// the older. A merge changes the cost of the parts by an amount that does not depend on how many others there
// are, so its key changes only when one of its two intervals does. Stale keys stay in the heap and are passed
// over.
#include <algorithm>

#include "modl_parts.hpp"
#include "modl_search.hpp"

namespace bayesieve::modl {
namespace {

constexpr std::int64_t kForced = std::int64_t{1} << 60;  // merges of intervals that are too small come first
constexpr std::uint32_t kNone = 0xffffffff;

struct Merge {
    std::int64_t key;
    std::uint32_t stamp, left;

    bool operator<(const Merge& other) const {
        return (key < other.key) | ((key == other.key) & (stamp < other.stamp));
    }
};

// Four children a node: half the depth of a binary heap, and the children share a cache line.
class Heap {
  public:
    explicit Heap(std::vector<Merge>&& entries) : entries_(std::move(entries)) {
        for (std::size_t i = entries_.size() / 4 + 1; i-- > 0;)
            if (i < entries_.size()) sink(i, entries_[i]);
    }

    bool empty() const { return entries_.empty(); }

    Merge pop() {
        const Merge top = entries_[0], last = entries_.back();
        entries_.pop_back();
        if (!entries_.empty()) sink(0, last);
        return top;
    }

    void push(const Merge& merge) {
        std::size_t i = entries_.size();
        entries_.push_back(merge);
        while (i > 0 && merge < entries_[(i - 1) / 4]) {
            entries_[i] = entries_[(i - 1) / 4];
            i = (i - 1) / 4;
        }
        entries_[i] = merge;
    }

  private:
    void sink(std::size_t i, const Merge merge) {
        const std::size_t n = entries_.size();
        for (std::size_t child = 4 * i + 1; child < n; child = 4 * i + 1) {
            const std::size_t stop = std::min(child + 4, n);
            std::size_t least = child;
            for (std::size_t c = child + 1; c < stop; ++c) least = entries_[c] < entries_[least] ? c : least;
            if (!(entries_[least] < merge)) break;
            entries_[i] = entries_[least];
            i = least;
        }
        entries_[i] = merge;
    }

    std::vector<Merge> entries_;
};

struct Interval {
    std::int64_t cost, merged;  // merged: cost of this and the next as one
    std::uint32_t before, after, stamp;
    bool small;
};

template <typename Part>
class Chain {
  public:
    Chain(const Blocks& blocks, const Part& parts)
        : parts_(parts), least_(blocks.least), counts_(blocks.n * parts.classes()), intervals_(blocks.n) {
        const int n_classes = parts.classes();
        for (std::size_t i = 0; i < counts_.size(); ++i)
            counts_[i] = blocks.sums[i + n_classes] - blocks.sums[i];
        for (std::size_t i = 0; i < blocks.n; ++i) {
            std::int64_t mass;
            Interval& interval = intervals_[i];
            interval.cost =
                parts.between(&blocks.sums[i * n_classes], &blocks.sums[(i + 1) * n_classes], mass);
            interval.before = static_cast<std::uint32_t>(i) - 1;
            interval.after = i + 1 < blocks.n ? static_cast<std::uint32_t>(i) + 1 : kNone;
            interval.stamp = static_cast<std::uint32_t>(i);
            interval.small = mass < least_;
            total_ += interval.cost;
            n_small_ += interval.small;
        }
        clock_ = static_cast<std::uint32_t>(blocks.n);
    }

    std::int64_t total() const { return total_; }
    bool allowed() const { return n_small_ == 0; }

    Heap make_heap() {
        std::vector<Merge> entries;
        entries.reserve(3 * intervals_.size());
        for (std::uint32_t i = 0; i + 1 < intervals_.size(); ++i) {
            intervals_[i].merged = parts_.joined(at(i), at(i + 1));
            entries.push_back({key(i), i, i});
        }
        return Heap(std::move(entries));
    }

    // Makes the first merge of the heap; which interval disappeared.
    std::uint32_t merge(Heap& heap) {
        Merge first = heap.pop();
        while (intervals_[first.left].stamp != first.stamp) first = heap.pop();
        Interval& left = intervals_[first.left];
        const std::uint32_t gone = left.after;
        Interval& right = intervals_[gone];
        total_ += left.merged - left.cost - right.cost;
        n_small_ -= left.small + right.small;
        left.cost = left.merged;
        left.after = right.after;
        std::int64_t mass = 0;
        for (int c = 0; c < parts_.classes(); ++c) mass += at(first.left)[c] += at(gone)[c];
        left.small = mass < least_;
        n_small_ += left.small;
        left.stamp = right.stamp = kNone;
        if (left.before != kNone) renew(left.before, heap);
        if (left.after != kNone) {
            intervals_[left.after].before = first.left;
            renew(first.left, heap);
        }
        return gone;
    }

  private:
    std::int64_t* at(std::uint32_t i) { return &counts_[static_cast<std::size_t>(i) * parts_.classes()]; }

    std::int64_t key(std::uint32_t left) const {
        const Interval &a = intervals_[left], &b = intervals_[a.after];
        const std::int64_t change = a.merged - a.cost - b.cost;
        return a.small || b.small ? change - kForced : change;
    }

    void renew(std::uint32_t left, Heap& heap) {
        intervals_[left].merged = parts_.joined(at(left), at(intervals_[left].after));
        intervals_[left].stamp = clock_;
        heap.push({key(left), clock_++, left});
    }

    const Part& parts_;
    std::int64_t least_, total_ = 0, n_small_ = 0;
    std::vector<std::int64_t> counts_;
    std::vector<Interval> intervals_;
    std::uint32_t clock_;
};

// The number of intervals with the least cost, the smallest on equality. totals[s], after s merges; those
// before `first` are not allowed.
std::size_t best_count(const Blocks& blocks, const std::vector<std::int64_t>& totals, std::size_t first) {
    const std::size_t n = blocks.n;
    std::int64_t best = totals[n - 1] + blocks.structure_of(1);
    std::size_t fewest = 1;
    for (std::size_t k = 2; k <= n - first && static_cast<std::int64_t>(k) <= blocks.limit; ++k) {
        const std::int64_t parts = totals[n - k], count = static_cast<std::int64_t>(k);
        if (parts + blocks.structure->below(count + blocks.head) >= best - kTolerance) continue;
        const std::int64_t total = parts + blocks.structure_of(count);
        if (total < best - kTolerance) {
            best = total;
            fewest = k;
        }
    }
    return fewest;
}

}  // namespace

Borders merge_greedily(const Blocks& blocks, const std::function<void()>& poll) {
    const std::size_t n = blocks.n;
    std::vector<std::uint32_t> removed(n - 1);
    std::vector<std::int64_t> totals(n);
    std::size_t first = n;  // step from which on no interval is too small
    with_parts(*blocks.factorials, blocks.total(), [&](const auto& parts) {
        Chain chain(blocks, parts);
        Heap heap = chain.make_heap();
        for (std::size_t step = 0;; ++step) {
            totals[step] = chain.total();
            if (chain.allowed()) first = std::min(first, step);
            if (step == n - 1) break;
            removed[step] = chain.merge(heap);
            if (step % 65536 == 65535) poll();
        }
    });
    std::vector<std::uint8_t> gone(n, 0);
    const std::size_t fewest = best_count(blocks, totals, std::min(first, n - 1));
    for (std::size_t step = 0; step < n - fewest; ++step) gone[removed[step]] = 1;
    Borders borders;
    for (std::size_t i = 0; i < n; ++i)
        if (!gone[i]) borders.push_back(static_cast<std::uint32_t>(i));
    borders.push_back(static_cast<std::uint32_t>(n));
    return borders;
}

}  // namespace bayesieve::modl
