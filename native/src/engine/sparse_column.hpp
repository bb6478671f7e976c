// SPDX-License-Identifier: BSD-3-Clause
// What the loops over rows become for a column that has one code in most rows: the common code's part for all
// of them, and a correction for each entry.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bayesieve/engine/segment.hpp"

namespace bayesieve {

// As add_column in evidence.hpp.
void add_entries(const CodeEntries& column, const std::int64_t* table, int n_classes, std::size_t begin,
                 std::size_t n, std::int64_t* evidence, std::size_t stride);

// As code_weights in evidence.hpp; `weights` are zeros on entry.
void weigh_entries(const Segment& segment, const CodeEntries& column, int y,
                   std::vector<std::int64_t>& weights);

// out[i] += shift[code of row i] for all rows.
void shift_entries(const CodeEntries& column, const std::int64_t* shift, std::vector<std::int64_t>& out);

// How many 16-bit words the codes of n rows of a sparse column take, spread out.
inline std::size_t spread_size(const CodeColumn& column, std::size_t n) {
    return column.n_used <= 256 ? (n + 1) / 2 : n;
}

// A sparse column with a code for each of the rows begin .. begin + n - 1, for loops that want it so; `out`
// has room for them.
CodeColumn spread(const CodeColumn& column, std::size_t begin, std::size_t n, std::uint16_t* out);

}  // namespace bayesieve
