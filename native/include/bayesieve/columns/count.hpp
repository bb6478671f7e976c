// SPDX-License-Identifier: BSD-3-Clause
// Weighted contingency counts: how much weight each (code, class) pair has.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bayesieve {

// Rows that all columns share. The arrays are borrowed.
struct Rows {
    const std::int32_t* target;   // IN (n_rows), 0 <= target < n_classes
    const std::int64_t* weights;  // IN (n_rows), >= 0
    std::size_t n_rows;
    std::int32_t n_classes;
};

// One sentence on what is wrong with the rows; nullptr if nothing is.
const char* find_fault(const Rows& rows);

// True if every code of a column is below n_codes.
template <typename Code>
bool codes_below(const Code* codes, std::size_t n_rows, std::int64_t n_codes);

// Adds one column to its block of counts: counts[v * n_classes + c] += weight of the rows with code v and
// class c. Does not check: call find_fault and codes_below first.
//   codes   IN   (n_rows)
//   counts  OUT  (n_codes, n_classes), must not overlap the inputs
template <typename Code>
void count_column(const Code* codes, const Rows& rows, std::int64_t* counts);

}  // namespace bayesieve
