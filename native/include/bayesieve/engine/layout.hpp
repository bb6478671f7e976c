// SPDX-License-Identifier: BSD-3-Clause
// Rows sorted by class, codes copied in that order.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "bayesieve/engine/segment.hpp"

namespace bayesieve {

// A segment as Python has it; the arrays are borrowed.
struct RawSegment {
    const std::uint8_t* narrow;  // IN (n_narrow, n_rows)
    const std::uint16_t* wide;   // IN (n_wide, n_rows)
    std::size_t n_narrow, n_wide;
    const std::uint16_t* common;       // IN (n_sparse): the code of most rows
    const std::int64_t* begins;        // IN (n_sparse + 1): where the entries of each begin
    const std::int32_t* entry_rows;    // IN (n_entries): increasing within a column
    const std::uint16_t* entry_codes;  // IN (n_entries)
    std::size_t n_sparse, n_entries;
    const std::int64_t* place;    // IN (n_columns): among narrow, wide and sparse ones, in this order
    const std::int64_t* offsets;  // IN (n_columns + 1)
    const std::int64_t* entries;  // IN (offsets[n_columns], n_classes)
    const std::int64_t* start;    // IN (n_classes)
    const std::int32_t* target;   // IN (n_rows)
    const std::int64_t* weights;  // IN (n_rows)
    const double* slopes;         // IN (n_slopes)
    std::size_t n_columns, n_rows, n_slopes;
    int n_classes;
    bool lasting;  // codes outlive the segment: not copied if rows are in class order already
};

// One sentence on what is wrong; empty if nothing is.
std::string find_fault(const RawSegment& raw);

// Call find_fault first.
Segment lay_out(const RawSegment& raw);

}  // namespace bayesieve
