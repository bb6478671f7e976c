// SPDX-License-Identifier: BSD-3-Clause
// Code columns as Python holds them.
#pragma once
#include <cstddef>
#include <cstdint>

namespace bayesieve {

// Code columns, of which a column is narrow, wide or sparse (a common code, and entries).
struct RawCodes {
    const std::uint8_t* narrow;  // IN (n_narrow, n_rows)
    const std::uint16_t* wide;   // IN (n_wide, n_rows)
    std::size_t n_narrow, n_wide, n_sparse, n_rows, n_columns;
    const std::int64_t*
        place;  // IN (n_columns): among the narrow ones, the wide ones, the sparse ones, in a row
    const std::int64_t* n_codes;  // IN (n_columns)
    const std::uint16_t* common;  // IN (n_sparse)
    const std::int64_t* begins;   // IN (n_sparse + 1)
    const std::int32_t* rows;     // IN (n_entries)
    const std::uint16_t* codes;   // IN (n_entries)
};

}  // namespace bayesieve
