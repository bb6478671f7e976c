// SPDX-License-Identifier: BSD-3-Clause
// Distinct numbers in order, and where each row's stands among them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bayesieve {

// Numbers that are not neighbors in memory: a column of a table by rows.
template <typename Number>
struct Strided {
    const Number* first;
    std::ptrdiff_t step;

    Number operator[](std::size_t i) const { return first[static_cast<std::ptrdiff_t>(i) * step]; }
};

// NaN is missing: its position is the number of distinct values. Minus zero is zero, and whole numbers that no
// double has are rounded. Instantiated for floats and for integers of 8 to 64 bits.
//   values  IN  (n)
//   ids     OUT (n)
template <typename Number>
std::vector<double> index_numbers(const Strided<Number>& values, std::size_t n, std::int32_t* ids);

}  // namespace bayesieve
