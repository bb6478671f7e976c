// SPDX-License-Identifier: BSD-3-Clause
// A queue of possible merges between neighboring intervals whose first key never falls. Keys wait in buckets,
// which are put in order when it is their turn: most merges are stale by then, and are passed over.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

#include "arena.hpp"

namespace bayesieve::modl {

// Of an interval with the next; of equal keys the older one, that of the lower stamp, comes first.
struct Merge {
    std::int64_t key;
    std::uint32_t stamp, left;

    bool operator<(const Merge& other) const {
        return key != other.key ? key < other.key : stamp < other.stamp;
    }
    bool operator>(const Merge& other) const { return other < *this; }
};

class MergeQueue {
  public:
    // For at most n intervals.
    MergeQueue(Arena& arena, std::size_t n)
        : first_(arena.take<Merge>(n)),
          now_(arena.take<Merge>(n + 1)),
          waiting_(arena.take<Waiting>(2 * n)),
          stamps_(arena.take<std::uint32_t>(n + 1)) {}

    static std::size_t n_bytes(std::size_t n) {
        return Arena::bytes_for<Merge>(n) + Arena::bytes_for<Merge>(n + 1) +
               Arena::bytes_for<Waiting>(2 * n) + Arena::bytes_for<std::uint32_t>(n + 1);
    }

    // Begins again with the merges of intervals 0, 1, ... that have these keys, in the order of their age;
    // memory is kept. Keys below `low` share a bucket.
    void reset(const std::int64_t* keys, std::size_t n, std::int64_t low) {
        set_buckets(keys, n, low);
        begins_.assign(n_buckets_ + 2, 0);
        for (std::size_t i = 0; i < n; ++i) ++begins_[bucket_of(keys[i]) + 2];
        for (std::size_t bucket = 2; bucket < begins_.size(); ++bucket)
            begins_[bucket] += begins_[bucket - 1];
        for (std::size_t i = 0; i < n; ++i) {
            const auto stamp = static_cast<std::uint32_t>(i);
            first_[begins_[bucket_of(keys[i]) + 1]++] = {keys[i], stamp, stamp};
            stamps_[i] = stamp;
        }
        clock_ = static_cast<std::uint32_t>(n);
        heads_.assign(n_buckets_, kNone);
        fresh_.clear();
        n_waiting_ = n_now_ = at_ = next_ = 0;
    }

    // Takes the first merge out.
    Merge pop() {
        for (;;) {
            while (at_ == n_now_ && fresh_.empty()) open();
            const Merge merge =
                at_ < n_now_ && (fresh_.empty() || now_[at_] < fresh_.front()) ? now_[at_++] : pop_fresh();
            if (is_valid(merge)) return merge;
        }
    }

    // The key must not be below that of the last merge that was taken out.
    void enter(std::uint32_t left, std::int64_t key) {
        const Merge merge{key, clock_, left};
        stamps_[left] = clock_++;
        const std::size_t bucket = bucket_of(key);
        if (bucket >= next_) {
            waiting_[n_waiting_] = {merge, heads_[bucket]};
            heads_[bucket] = n_waiting_++;
        } else {
            fresh_.push_back(merge);
            std::push_heap(fresh_.begin(), fresh_.end(), std::greater<Merge>());
        }
    }

    void leave(std::uint32_t left) { stamps_[left] = kNone; }

  private:
    static constexpr std::uint32_t kNone = 0xffffffff;
    static constexpr int kOne = 28, kMantissa = 52, kFinest = 11, kOctaves = 8;

    struct Waiting {
        Merge merge;
        std::uint32_t next;
    };

    // Buckets are as many times 2^-bits wide as their keys are above the least, and one.
    void set_buckets(const std::int64_t* keys, std::size_t n, std::int64_t low) {
        low_ = INT64_MAX;
        for (std::size_t i = 0; i < n; ++i) low_ = std::min(low_, std::max(keys[i], low));
        int bits = 0;
        while (bits < kFinest && n >> (bits + 3) != 0) ++bits;
        shift_ = kMantissa - bits;
        base_ = bits_of(std::int64_t{1} << kOne) >> shift_;
        n_buckets_ = static_cast<std::size_t>(kOctaves) << bits;
    }

    static std::uint64_t bits_of(std::int64_t number) {
        const double real = static_cast<double>(number);
        std::uint64_t bits;
        std::memcpy(&bits, &real, sizeof bits);
        return bits;
    }

    std::size_t bucket_of(std::int64_t key) const {
        const std::int64_t above = std::max<std::int64_t>(0, key - low_) + (std::int64_t{1} << kOne);
        return std::min(static_cast<std::size_t>((bits_of(above) >> shift_) - base_), n_buckets_ - 1);
    }

    bool is_valid(const Merge& merge) const { return stamps_[merge.left] == merge.stamp; }

    Merge pop_fresh() {
        std::pop_heap(fresh_.begin(), fresh_.end(), std::greater<Merge>());
        const Merge merge = fresh_.back();
        fresh_.pop_back();
        return merge;
    }

    // The next bucket; merges that wait are linked from the last to the first.
    void open() {
        const std::size_t begin = begins_[next_], end = begins_[next_ + 1];
        std::uint32_t link = heads_[next_++];
        n_now_ = at_ = 0;
        if (begin == end && link == kNone) return;
        for (std::size_t i = begin; i < end; ++i) {
            now_[n_now_] = first_[i];
            n_now_ += is_valid(first_[i]);
        }
        const std::size_t n_first = n_now_;
        for (; link != kNone; link = waiting_[link].next) {
            now_[n_now_] = waiting_[link].merge;
            n_now_ += is_valid(waiting_[link].merge);
        }
        std::reverse(now_ + n_first, now_ + n_now_);
        put_in_order();
    }

    // Merges of the open bucket are in the order of their age. Mostly they have one key, or some that differ
    // by the rounding of costs, which are counted.
    void put_in_order() {
        constexpr std::int64_t few = 64;
        std::int64_t least = INT64_MAX, largest = INT64_MIN;
        for (std::size_t i = 0; i < n_now_; ++i) {
            least = std::min(least, now_[i].key);
            largest = std::max(largest, now_[i].key);
        }
        if (n_now_ < 2 || least == largest) return;
        if (n_now_ < few || largest - least >= few) {
            std::sort(now_, now_ + n_now_);
            return;
        }
        std::uint32_t places[few + 1] = {};
        for (std::size_t i = 0; i < n_now_; ++i) ++places[now_[i].key - least + 1];
        for (std::int64_t key = 1; key < few; ++key) places[key] += places[key - 1];
        ordered_.resize(n_now_);
        for (std::size_t i = 0; i < n_now_; ++i) ordered_[places[now_[i].key - least]++] = now_[i];
        std::copy(ordered_.begin(), ordered_.end(), now_);
    }

    Merge* first_;                       // by bucket
    Merge* now_;                         // of the open bucket, in order
    Waiting* waiting_;                   // for their buckets
    std::uint32_t* stamps_;              // of the present merge of each interval
    std::vector<std::uint32_t> begins_;  // of each bucket among the first merges
    std::vector<std::uint32_t> heads_;   // the last that waits for each bucket
    std::vector<Merge> fresh_;           // a heap of those entered into a bucket that is open
    std::vector<Merge> ordered_;
    std::int64_t low_ = 0;
    std::size_t n_buckets_ = 0, next_ = 0, at_ = 0, n_now_ = 0;
    std::uint64_t base_ = 0;
    int shift_ = 0;
    std::uint32_t clock_ = 0, n_waiting_ = 0;
};

}  // namespace bayesieve::modl
