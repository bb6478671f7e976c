// SPDX-License-Identifier: BSD-3-Clause
// Stacked contingency tables from Python, checked, and cuts back to it.
#pragma once
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "bayesieve/coding/modl/intervals.hpp"

namespace bayesieve_python {

constexpr std::int64_t kMostUnits = std::int64_t{1} << 62, kMostWeight = std::int64_t{1} << 30;

// Returns the largest total. None may pass the range in which costs are exact integers.
inline std::int64_t check_tables(const std::int64_t* counts, const std::int64_t* offsets,
                                 std::size_t n_tables, std::int64_t n_classes, double unit,
                                 std::size_t n_rows) {
    int exponent;
    require(n_classes >= 1, "there must be a class");
    require(unit > 0.0 && std::frexp(unit, &exponent) == 0.5, "unit must be a power of two");
    require(offsets[0] == 0, "offsets must start at 0");
    for (std::size_t t = 0; t < n_tables; ++t)
        require(offsets[t] <= offsets[t + 1], "offsets must not decrease");
    require(offsets[n_tables] == static_cast<std::int64_t>(n_rows), "offsets must end at the number of rows");
    std::int64_t largest = 0;
    for (std::size_t t = 0; t < n_tables; ++t) {
        std::int64_t total = 0;
        for (std::int64_t i = offsets[t] * n_classes; i < offsets[t + 1] * n_classes; ++i) {
            require(counts[i] >= 0, "counts must not be negative");
            require(counts[i] < kMostUnits - total, "the counts of a table must add up to less than 2**62");
            total += counts[i];
        }
        largest = std::max(largest, total);
    }
    require(static_cast<double>(largest) * unit <= static_cast<double>(kMostWeight),
            "the weights of a table must add up to at most 2**30");
    return largest;
}

inline void check_tables(const bayesieve::modl::IntervalTables& tables, std::size_t n_rows) {
    for (std::size_t t = 0; t < tables.n_tables; ++t)
        require(tables.monotone[t] == 0 || tables.n_classes == 2, "monotone needs two classes");
    check_tables(tables.counts, tables.offsets, tables.n_tables, tables.n_classes, tables.unit, n_rows);
}

inline bayesieve::modl::IntervalTables interval_tables(const Array& counts, const Array& offsets, double unit,
                                                       const Array& fixed_first, const Array& monotone) {
    require(offsets.size() > 0, "offsets must start at 0");
    const std::size_t n_tables = offsets.size() - 1;
    const bayesieve::modl::IntervalTables tables{
        matrix_of<std::int64_t>(counts, "counts must be a C-contiguous int64 matrix"),
        vector_of<std::int64_t>(offsets, n_tables + 1, "offsets must be a contiguous int64 vector"),
        n_tables,
        static_cast<int>(counts.shape(1)),
        unit,
        vector_of<std::uint8_t>(fixed_first, n_tables,
                                "fixed_first must be a contiguous uint8 vector, one entry per table"),
        vector_of<std::int8_t>(monotone, n_tables,
                               "monotone must be a contiguous int8 vector, one entry per table")};
    return tables;
}

// Cuts of all tables one after the other, and where each table's begin.
inline std::pair<nb::object, nb::object> stacked(const std::vector<std::vector<std::int64_t>>& all) {
    std::size_t size = 0;
    for (const auto& one : all) size += one.size();
    std::int64_t *cuts, *offsets;
    nb::object shown_cuts = zeros(nb::make_tuple(size), "int64", cuts);
    nb::object shown_offsets = zeros(nb::make_tuple(all.size() + 1), "int64", offsets);
    for (std::size_t t = 0; t < all.size(); ++t) {
        std::copy(all[t].begin(), all[t].end(), cuts + offsets[t]);
        offsets[t + 1] = offsets[t] + static_cast<std::int64_t>(all[t].size());
    }
    return {shown_cuts, shown_offsets};
}

}  // namespace bayesieve_python
