// SPDX-License-Identifier: BSD-3-Clause
// Columns of categories: the position of each row's value among the categories, -1 where it is missing.
// Instantiated for positions of 8 to 64 bits.
#pragma once
#include <cstddef>
#include <cstdint>

namespace bayesieve {

// Marks the entries that occur; returns whether all positions are from -1 to n_entries - 1.
//   positions  IN   (n)
//   occurs     OUT  (n_entries), zeros on entry: 1 where some row has the entry
template <typename Position>
bool mark_positions(const Position* positions, std::size_t n, std::size_t n_entries, std::uint8_t* occurs);

// Looks up the id of each position; returns whether all positions are from -1 to n_entries - 1.
//   positions  IN   (n)
//   ids        IN   (n_entries + 1), the last is that of -1
//   out        OUT  (n)
template <typename Position>
bool look_up_positions(const Position* positions, std::size_t n, const std::int32_t* ids,
                       std::size_t n_entries, std::int32_t* out);

}  // namespace bayesieve
