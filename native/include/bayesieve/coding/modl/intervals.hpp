// SPDX-License-Identifier: BSD-3-Clause
// Optimal intervals: the MODL search for many contingency tables at once. The specification is
// src/bayesieve/bins/modl/intervals.py, which gives the same cuts and costs to the last bit.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "bayesieve/coding/modl/cost.hpp"

namespace bayesieve::modl {

struct IntervalTables {
    const std::int64_t* counts;   // IN (offsets[n_tables], n_classes), in units, not negative
    const std::int64_t* offsets;  // IN (n_tables + 1)
    std::size_t n_tables;
    int n_classes;
    double unit;                      // a power of two
    const std::uint8_t* fixed_first;  // IN (n_tables): the first row is a bin of its own
    const std::int8_t* monotone;      // IN (n_tables): 1, -1 or 0; two classes only
};

struct IntervalRules {
    PriorKind prior;
    std::int64_t n_attributes;
    std::int64_t least;     // the least weight of an interval, in units
    std::int64_t max_bins;  // 0: no limit
};

struct FoundIntervals {
    std::vector<std::int64_t> cuts;  // numbers of rows to the left
    int granularity = 0;
    std::int64_t cost = 0, null = 0;
};

std::vector<FoundIntervals> find_intervals(const IntervalTables& tables, const IntervalRules& rules,
                                           int n_threads, const std::function<void()>& poll);

}  // namespace bayesieve::modl
