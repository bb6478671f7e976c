// Which merge comes first: a tree of winners over the intervals, four children a node. A merge renews two
// keys and removes a third, mostly neighbours with the same ancestors; a heap would gather stale keys and
// move them about.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bayesieve::modl {

// Of equal keys, the older stamp comes first.
struct Merge {
    std::int64_t key;
    std::uint32_t left, stamp;

    bool before(const Merge& other) const {
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
    bool operator!=(const Merge& other) const { return (key != other.key) | (stamp != other.stamp); }
};

class Tournament {
  public:
    static constexpr Merge kNobody{INT64_MAX, 0, UINT32_MAX};

    // Begins anew with n who have not entered yet; memory is kept.
    void reset(std::size_t n) {
        std::size_t size = 0;
        levels_.clear();
        do {
            n = (n + 3) / 4;
            levels_.push_back(size);
            size += 4 * n;
        } while (n > 1);
        levels_.push_back(size);
        nodes_.assign(size + 1, kNobody);
    }

    const Merge& first() const { return nodes_.back(); }

    void reserve(std::size_t n) { nodes_.reserve(n + n / 2 + 64); }

    // Without effect on the winners: call climb, or settle after many.
    void enter(std::size_t i, const Merge& merge) { nodes_[i] = merge; }

    void climb(std::size_t i) {
        for (std::size_t level = 0; level + 1 < levels_.size(); ++level) {
            i /= 4;
            const Merge best = winner(levels_[level] + 4 * i);
            Merge& parent = nodes_[levels_[level + 1] + i];
            if (!(best != parent)) return;
            parent = best;
        }
    }

    void settle() {
        for (std::size_t level = 0; level + 1 < levels_.size(); ++level)
            for (std::size_t i = 0; levels_[level] + 4 * i < levels_[level + 1]; ++i)
                nodes_[levels_[level + 1] + i] = winner(levels_[level] + 4 * i);
    }

  private:
    Merge winner(std::size_t at) const {
        // Whoever wins cannot be guessed: no branches.
        const Merge* four = &nodes_[at];
        const std::size_t low = four[1].before(four[0]), high = 2 + four[3].before(four[2]);
        const std::size_t swap = 0 - static_cast<std::size_t>(four[high].before(four[low]));
        return four[low ^ ((low ^ high) & swap)];
    }

    std::vector<std::size_t> levels_;  // where each begins
    std::vector<Merge> nodes_;
};

}  // namespace bayesieve::modl
