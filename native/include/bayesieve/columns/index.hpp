// SPDX-License-Identifier: BSD-3-Clause
// Distinct numbers in order, and where each row's stands among them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bayesieve {

// NaN is missing: its position is the number of distinct values. Minus zero is zero.
//   values  IN  (n)
//   ids     OUT (n)
std::vector<double> index_numbers(const double* values, std::size_t n, std::int32_t* ids);

}  // namespace bayesieve
