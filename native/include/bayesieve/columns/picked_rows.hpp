// SPDX-License-Identifier: BSD-3-Clause
// Some rows of indexed columns, with the labels that occur in them, as src/bayesieve/data/indexed_table.py
// specifies it.
#pragma once
#include <cstddef>
#include <cstdint>

namespace bayesieve {

// Writes the positions of the picked rows' labels among those that occur, which keep their order; a missing
// value comes after the last of them.
//   ids     IN   (n_rows), from 0 to n_labels, which is *missing*
//   rows    IN   (n), each below n_rows
//   occurs  OUT  (n_labels + 1): 1 for labels of some picked row, 0 for the others
//   picked  OUT  (n)
// Returns whether all ids and rows are within their ranges; otherwise the rest is undefined.
bool pick_rows(const std::int32_t* ids, std::size_t n_rows, std::int32_t n_labels, const std::int64_t* rows,
               std::size_t n, std::uint8_t* occurs, std::int32_t* picked);

}  // namespace bayesieve
