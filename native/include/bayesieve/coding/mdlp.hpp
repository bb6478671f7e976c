// SPDX-License-Identifier: BSD-3-Clause
// Intervals by recursive entropy cuts with an MDL stop (Fayyad and Irani 1993), for many contingency tables
// at once. The specification is src/bayesieve/bins/mdlp.py.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "bayesieve/coding/modl/intervals.hpp"

namespace bayesieve {

// Cuts of each table, as numbers of rows to their left. least: the least weight of an interval, in units;
// max_bins: 0 if there is no limit.
std::vector<std::vector<std::int64_t>> mdlp_intervals(const modl::IntervalTables& tables, std::int64_t least,
                                                      std::int64_t max_bins, int n_threads,
                                                      const std::function<void()>& poll);

}  // namespace bayesieve
