// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/columns/count.hpp"

#include <algorithm>
#include <limits>

namespace bayesieve {

const char* find_fault(const Rows& rows) {
    if (rows.n_classes < 1) return "n_classes must be at least 1";
    std::int64_t room = std::numeric_limits<std::int64_t>::max();
    for (std::size_t i = 0; i < rows.n_rows; ++i) {
        if (rows.target[i] < 0 || rows.target[i] >= rows.n_classes) {
            return "target must hold values from 0 to n_classes - 1";
        }
        if (rows.weights[i] < 0) return "weights must not be negative";
        // No cell can pass the total, so one test here makes every later addition safe.
        if (rows.weights[i] > room) return "weights must sum to less than 2**63";
        room -= rows.weights[i];
    }
    return nullptr;
}

template <typename Code>
bool codes_below(const Code* codes, std::size_t n_rows, std::int64_t n_codes) {
    Code largest = 0;  // A plain maximum is vectorized; a search that stops early is not.
    for (std::size_t i = 0; i < n_rows; ++i) largest = std::max(largest, codes[i]);
    return n_rows == 0 || static_cast<std::int64_t>(largest) < n_codes;
}

template <typename Code>
void count_column(const Code* codes, const Rows& rows, std::int64_t* counts) {
    const std::size_t n_classes = static_cast<std::size_t>(rows.n_classes);
    for (std::size_t i = 0; i < rows.n_rows; ++i) {
        counts[codes[i] * n_classes + static_cast<std::size_t>(rows.target[i])] += rows.weights[i];
    }
}

template bool codes_below(const std::uint8_t*, std::size_t, std::int64_t);
template bool codes_below(const std::uint16_t*, std::size_t, std::int64_t);
template void count_column(const std::uint8_t*, const Rows&, std::int64_t*);
template void count_column(const std::uint16_t*, const Rows&, std::int64_t*);

}  // namespace bayesieve
