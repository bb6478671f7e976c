// SPDX-License-Identifier: BSD-3-Clause
// Sums of gradients per code of a column: integers, so that no sum depends on an order.
#pragma once
#include <cstddef>
#include <cstdint>

#include "bayesieve/engine/segment.hpp"

namespace bayesieve {

// Both numbers at once.
inline void add_pair(const std::int64_t* pair, std::int64_t* sum) {
    const std::int64_t first = pair[0], second = pair[1];
    sum[0] += first;
    sum[1] += second;
}

// Neighbors often have one code, where each addition would wait for the last: of many rows, every second one
// has a table of its own.
template <typename Code>
void add_pairs(const Code* codes, const std::int64_t* gradients, std::size_t begin, std::size_t end,
               std::int64_t* sums) {
    constexpr std::size_t few = 256;
    std::size_t i = begin;
    if (sizeof(Code) == 1 && end - begin >= 8 * few) {
        std::int64_t others[2 * few] = {};
        for (; i + 2 <= end; i += 2) {
            add_pair(gradients + 2 * i, sums + 2 * static_cast<std::size_t>(codes[i]));
            add_pair(gradients + 2 * i + 2, others + 2 * static_cast<std::size_t>(codes[i + 1]));
        }
        // Entries beyond the codes of the column, which `sums` does not have, are zero.
        for (std::size_t v = 0; v < few; ++v)
            if (others[2 * v] != 0 || others[2 * v + 1] != 0) add_pair(others + 2 * v, sums + 2 * v);
    }
    for (; i < end; ++i) add_pair(gradients + 2 * i, sums + 2 * static_cast<std::size_t>(codes[i]));
}

// sums[codes[i]][k] += gradients[i][k] for the rows begin .. end - 1; `width` numbers per row.
template <typename Code>
void add_gradients(const Code* codes, const std::int64_t* gradients, std::size_t width, std::size_t begin,
                   std::size_t end, std::int64_t* sums) {
    if (width == 2) {
        add_pairs(codes, gradients, begin, end, sums);
        return;
    }
    for (std::size_t i = begin; i < end; ++i) {
        std::int64_t* sum = sums + width * static_cast<std::size_t>(codes[i]);
        for (std::size_t k = 0; k < width; ++k) sum[k] += gradients[width * i + k];
    }
}

// The rows with the common code have what the entries leave of the total.
inline void add_entry_gradients(const CodeEntries& column, const std::int64_t* gradients,
                                const std::int64_t* total, std::size_t width, std::int64_t* sums) {
    std::int64_t* common = sums + width * column.common;
    for (std::size_t k = 0; k < width; ++k) common[k] += total[k];
    for (std::size_t e = 0; e < column.n; ++e) {
        const std::int64_t* gradient = gradients + width * static_cast<std::size_t>(column.rows[e]);
        std::int64_t* sum = sums + width * column.codes[e];
        for (std::size_t k = 0; k < width; ++k) {
            sum[k] += gradient[k];
            common[k] -= gradient[k];
        }
    }
}

}  // namespace bayesieve
