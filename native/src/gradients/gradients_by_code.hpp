// How the rows of each code of a column pull together: integers, so that no sum depends on an order.
#pragma once
#include <cstddef>
#include <cstdint>

#include "bayesieve/engine/segment.hpp"

namespace bayesieve {

// sums[codes[i]][k] += pulls[i][k] for the rows begin .. end - 1; `width` pulls a row.
template <typename Code>
void add_pulls(const Code* codes, const std::int64_t* pulls, std::size_t width, std::size_t begin,
               std::size_t end, std::int64_t* sums) {
    if (width == 2) {
        for (std::size_t i = begin; i < end; ++i) {
            std::int64_t* sum = sums + 2 * static_cast<std::size_t>(codes[i]);
            sum[0] += pulls[2 * i];
            sum[1] += pulls[2 * i + 1];
        }
        return;
    }
    for (std::size_t i = begin; i < end; ++i) {
        std::int64_t* sum = sums + width * static_cast<std::size_t>(codes[i]);
        for (std::size_t k = 0; k < width; ++k) sum[k] += pulls[width * i + k];
    }
}

// The rows with the common code pull by what is left of all pulls.
inline void add_entry_pulls(const CodeEntries& column, const std::int64_t* pulls, const std::int64_t* total,
                            std::size_t width, std::int64_t* sums) {
    std::int64_t* common = sums + width * column.common;
    for (std::size_t k = 0; k < width; ++k) common[k] += total[k];
    for (std::size_t e = 0; e < column.n; ++e) {
        const std::int64_t* pull = pulls + width * static_cast<std::size_t>(column.rows[e]);
        std::int64_t* sum = sums + width * column.codes[e];
        for (std::size_t k = 0; k < width; ++k) {
            sum[k] += pull[k];
            common[k] -= pull[k];
        }
    }
}

}  // namespace bayesieve
