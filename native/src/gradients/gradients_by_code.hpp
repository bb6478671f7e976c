// SPDX-License-Identifier: BSD-3-Clause
// Sums of gradients per code of a column: integers, so that no sum depends on an order.
#pragma once
#include <cstddef>
#include <cstdint>

#include "bayesieve/engine/segment.hpp"

namespace bayesieve {

// sums[codes[i]][k] += gradients[i][k] for the rows begin .. end - 1; `width` numbers per row.
template <typename Code>
void add_gradients(const Code* codes, const std::int64_t* gradients, std::size_t width, std::size_t begin,
                   std::size_t end, std::int64_t* sums) {
    if (width == 2) {
        for (std::size_t i = begin; i < end; ++i) {
            std::int64_t* sum = sums + 2 * static_cast<std::size_t>(codes[i]);
            sum[0] += gradients[2 * i];
            sum[1] += gradients[2 * i + 1];
        }
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
