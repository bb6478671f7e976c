// SPDX-License-Identifier: BSD-3-Clause
// Finest bins of a column of numbers, as src/bayesieve/bins/finest_bins.py specifies them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bayesieve {

// Whether all values are positive and their sum is below the limit.
bool positive_below(const std::int64_t* values, std::size_t n, std::int64_t limit);

// Where at most about n_slots bins of n distinct values are cut, as numbers of values to the left.
//   mass  IN  (n), positive, of less than 2^62 in all
std::vector<std::int64_t> slot_cuts(const std::int64_t* mass, std::size_t n, std::int64_t n_slots);

}  // namespace bayesieve
