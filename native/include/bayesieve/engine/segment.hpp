// SPDX-License-Identifier: BSD-3-Clause
// What an engine works on: rows of a segment sorted by class, coded columns, and tables of evidence.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bayesieve {

// Evidence, tables and weighted contributions are in multiples of 2^-40 nats.

// The rows of a column that do not have its common code.
struct CodeEntries {
    const std::int32_t* rows = nullptr;    // (n), increasing
    const std::uint16_t* codes = nullptr;  // (n)
    std::size_t n = 0;
    std::uint16_t common = 0;
};

// One column of one segment, rows in class order. A sparse column has entries, the others one code per row.
struct CodeColumn {
    const std::uint8_t* narrow = nullptr;  // one of the two is set, if the column is not sparse
    const std::uint16_t* wide = nullptr;
    CodeEntries entries;
    std::int32_t n_codes = 0;             // all codes of the table, the one for unseen values included
    std::int32_t n_used = 0;              // largest code that occurs, plus one
    const std::int64_t* table = nullptr;  // n_codes x n_classes

    bool is_sparse() const { return narrow == nullptr && wide == nullptr; }
    std::uint32_t code(std::size_t i) const { return narrow != nullptr ? narrow[i] : wide[i]; }
};

struct Segment {
    int n_classes = 0;
    std::size_t n_rows = 0;
    std::vector<std::size_t> class_begin;    // n_classes + 1
    std::vector<std::uint8_t> narrow_codes;  // feature-major; empty if the caller's are used
    std::vector<std::uint16_t> wide_codes;
    std::vector<std::int32_t> entry_rows;  // of sparse columns
    std::vector<std::uint16_t> entry_codes;
    std::vector<std::int64_t> tables;  // all columns
    std::vector<CodeColumn> columns;
    std::vector<std::int64_t> start;    // n_classes
    std::vector<std::int64_t> weights;  // n_rows; empty if every weight is 1
    std::vector<double> slopes;         // of the score in each measure
    std::vector<std::int64_t> mass;     // weight of each class
};

struct Change {
    std::int32_t column;
    double before, after;
};

// What a change adds to the evidence for each code: n_codes x n_classes.
const std::int64_t* change_table(const Segment& segment, const Change& change,
                                 std::vector<std::int64_t>& scratch);

}  // namespace bayesieve
