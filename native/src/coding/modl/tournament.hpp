// SPDX-License-Identifier: BSD-3-Clause
// A tournament of possible merges between neighboring intervals. A merge renews two keys and removes a
// third, mostly neighbors with the same ancestors; a heap would gather stale keys and move them about. Of
// equal keys the older one, that of the lower stamp, comes first.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bayesieve::modl {

// Key and stamp in one word.
struct SlimMerge {
    std::uint64_t word;

    static constexpr std::size_t kChildren = 8;  // a node fills a line of the cache
    static constexpr SlimMerge nobody() { return {UINT64_MAX}; }
    static SlimMerge first_of(const SlimMerge* eight) {
        const auto low = [&](int i) { return std::min(eight[i].word, eight[i + 1].word); };
        return {std::min(std::min(low(0), low(2)), std::min(low(4), low(6)))};
    }
    bool operator!=(const SlimMerge& other) const { return word != other.word; }
};

// For keys of any size.
struct WideMerge {
    std::int64_t key;
    std::uint32_t left, stamp;

    static constexpr std::size_t kChildren = 4;
    static constexpr WideMerge nobody() { return {INT64_MAX, 0, UINT32_MAX}; }
    bool before(const WideMerge& other) const {
#ifdef __SIZEOF_INT128__
        return wide() < other.wide();  // two instructions instead of five
#else
        return (key < other.key) | ((key == other.key) & (stamp < other.stamp));
#endif
    }
#ifdef __SIZEOF_INT128__
    __int128 wide() const {
        const auto high = static_cast<unsigned __int128>(key) << 64;
        return static_cast<__int128>(high | (std::uint64_t{stamp} << 32) | left);
    }
#endif
    static const WideMerge& first_of(const WideMerge* four) {
        const std::size_t low = four[1].before(four[0]), high = 2 + four[3].before(four[2]);
        const std::size_t swap = 0 - static_cast<std::size_t>(four[high].before(four[low]));
        return four[low ^ ((low ^ high) & swap)];
    }
    bool operator!=(const WideMerge& other) const { return (key != other.key) | (stamp != other.stamp); }
};

template <typename Merge>
class Tournament {
  public:
    // Begins again with n who have not entered yet; memory is kept.
    void reset(std::size_t n) {
        std::size_t size = 0;
        levels_.clear();
        do {
            n = (n + kChildren - 1) / kChildren;
            levels_.push_back(size);
            size += kChildren * n;
        } while (n > 1);
        levels_.push_back(size);
        nodes_.assign(size + 1, Merge::nobody());
    }

    const Merge& first() const { return nodes_.back(); }

    void reserve(std::size_t n) { nodes_.reserve(n + n / 2 + 64); }

    // Without effect on the winners: call climb, or settle after many.
    void enter(std::size_t i, const Merge& merge) { nodes_[i] = merge; }

    void climb(std::size_t i) {
        for (std::size_t level = 0; level + 1 < levels_.size(); ++level) {
            i /= kChildren;
            const Merge best = Merge::first_of(&nodes_[levels_[level] + kChildren * i]);
            Merge& parent = nodes_[levels_[level + 1] + i];
            if (!(best != parent)) return;
            parent = best;
        }
    }

    void settle() {
        for (std::size_t level = 0; level + 1 < levels_.size(); ++level)
            for (std::size_t i = 0; levels_[level] + kChildren * i < levels_[level + 1]; ++i)
                nodes_[levels_[level + 1] + i] = Merge::first_of(&nodes_[levels_[level] + kChildren * i]);
    }

  private:
    static constexpr std::size_t kChildren = Merge::kChildren;

    std::vector<std::size_t> levels_;  // where each begins
    std::vector<Merge> nodes_;
};

// Who merges with the next interval, by key and then by stamp: keys of any size.
class WideQueue {
  public:
    void reset(std::size_t n) { merges_.reset(n); }
    void reserve(std::size_t n) { merges_.reserve(n); }
    std::uint32_t first() const { return merges_.first().left; }
    void enter(std::uint32_t left, std::int64_t key, std::uint32_t stamp) {
        merges_.enter(left, {key, left, stamp});
    }
    void leave(std::uint32_t left) { merges_.enter(left, WideMerge::nobody()); }
    void climb(std::uint32_t left) { merges_.climb(left); }
    void settle() { merges_.settle(); }

  private:
    Tournament<WideMerge> merges_;
};

// The same for keys from -limit to limit, if those and the stamps fit one word.
class SlimQueue {
  public:
    // Of n intervals: n - 1 keys at first, and two more a merge.
    static bool fits(std::size_t n, double limit) {
        return 2.0 * limit + 2.0 < static_cast<double>(UINT64_MAX >> stamp_bits(n));
    }

    void reset(std::size_t n, double limit) {
        merges_.reset(n);
        bits_ = stamp_bits(n);
        limit_ = static_cast<std::int64_t>(limit);
        left_.resize(3 * n);
    }
    void reserve(std::size_t n) {
        merges_.reserve(n);
        left_.reserve(3 * n);
    }
    std::uint32_t first() const { return left_[merges_.first().word & ((std::uint64_t{1} << bits_) - 1)]; }
    void enter(std::uint32_t left, std::int64_t key, std::uint32_t stamp) {
        left_[stamp] = left;
        merges_.enter(left, {static_cast<std::uint64_t>(key + limit_) << bits_ | stamp});
    }
    void leave(std::uint32_t left) { merges_.enter(left, SlimMerge::nobody()); }
    void climb(std::uint32_t left) { merges_.climb(left); }
    void settle() { merges_.settle(); }

  private:
    static int stamp_bits(std::size_t n) {
        int bits = 1;
        while ((3 * n) >> bits != 0) ++bits;
        return bits;
    }

    Tournament<SlimMerge> merges_;
    std::vector<std::uint32_t> left_;  // whose key has a stamp
    std::int64_t limit_ = 0;
    int bits_ = 1;
};

}  // namespace bayesieve::modl
