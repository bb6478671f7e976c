// SPDX-License-Identifier: BSD-3-Clause
// What the steps of the search for intervals share: blocks in a row, and the prices of cutting between them.
#pragma once
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include "bayesieve/coding/modl/cost.hpp"
#include "merge_queue.hpp"

namespace bayesieve::modl {

// Blocks are the finest intervals that the search considers.
struct Blocks {
    const Factorials* factorials;
    const IntervalStructure* structure;
    std::int64_t head;     // bins before these intervals: 0 or 1
    std::int64_t limit;    // the largest number of intervals
    std::int64_t least;    // the least weight of an interval
    std::int64_t detours;  // how many intervals more and fewer than the cheapest merge to begin from as well
    const std::int64_t* sums;  // (n + 1, n_classes): weight of each class before each border
    std::size_t n;

    std::int64_t structure_of(std::int64_t n_intervals) const { return structure->of(n_intervals + head); }
    std::int64_t total() const {
        const auto n_classes = static_cast<std::size_t>(factorials->n_classes());
        return std::accumulate(sums + n * n_classes, sums + (n + 1) * n_classes, std::int64_t{0});
    }
};

using Borders = std::vector<std::uint32_t>;  // of a partition of blocks: 0 first, n last

// An interval is known by its first block and ends where the next begins.
struct Interval {
    std::int64_t cost;
    std::uint32_t before, after;
};

// Memory that one merging after the other uses, of at most n blocks.
struct MergingRoom {
    Interval* intervals;
    std::int64_t* totals;  // (n): cost of the bins after each number of merges; the first keys before
    std::uint32_t* removed;
    MergeQueue merges;

    MergingRoom(Arena& arena, std::size_t n)
        : intervals(arena.take<Interval>(n)),
          totals(arena.take<std::int64_t>(n)),
          removed(arena.take<std::uint32_t>(n)),
          merges(arena, n) {}

    static std::size_t n_bytes(std::size_t n) {
        return Arena::bytes_for<Interval>(n) + Arena::bytes_for<std::int64_t>(n) +
               Arena::bytes_for<std::uint32_t>(n) + MergeQueue::n_bytes(n);
    }
};

// Merges neighbors, cheapest first, down to one interval; the best partition on that way, and its detours.
std::vector<Borders> merge_greedily(const Blocks& blocks, MergingRoom& room,
                                    const std::function<void()>& poll);

// Makes the best small change again and again until none helps.
void improve(const Blocks& blocks, Borders& borders, const std::function<void()>& poll);

}  // namespace bayesieve::modl
