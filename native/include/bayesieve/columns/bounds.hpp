// SPDX-License-Identifier: BSD-3-Clause
// Where a bound stands between two neighboring values, as src/bayesieve/bins/finest_bins.py specifies it.
#pragma once
#include <cstddef>

namespace bayesieve {

// The number of fewest digits near each midpoint; out (n).
void readable_between(const double* left, const double* right, std::size_t n, double* out);

}  // namespace bayesieve
