// SPDX-License-Identifier: BSD-3-Clause
// Coded rows of an additive model, as all columns of one fit see them.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bayesieve/additive/priors.hpp"
#include "bayesieve/kernels/kernels.hpp"

namespace bayesieve {

// Coded rows, in the order of their folds. Nothing is owned.
struct AdditiveRows {
    std::size_t n_rows, n_columns, n_narrow;
    const std::uint8_t* narrow;   // IN (n_narrow, n_rows)
    const std::uint16_t* wide;    // IN (n_wide, n_rows)
    const std::int64_t* place;    // IN (n_columns) row of narrow, or n_narrow + row of wide
    const std::int64_t* offsets;  // IN (n_columns + 1) where the bins of a column begin
    const std::uint8_t* nominal;  // IN (n_columns)
    const std::int8_t* monotone;  // IN (n_columns) -1, 0 or 1
    const std::uint8_t* missing;  // IN (n_columns) whether the first bin is that of missing values
    const double *gaps, *line, *rank, *square;  // IN (offsets[n_columns]) each
    const double* target;                       // IN (n_rows) number of the class, or the value
    const double* scale;                        // IN (n_rows) weight x 2^bits
    // IN (offsets[n_columns]) shares of the other bins in the score of missing values; 0 where it is free
    const double* neutral;
    double unit;  // 2^-bits

    std::size_t n_bins() const { return static_cast<std::size_t>(offsets[n_columns]); }  // of all columns
    std::size_t first(std::size_t k) const { return static_cast<std::size_t>(offsets[k]); }
    std::size_t n_bins(std::size_t k) const { return first(k + 1) - first(k); }
    bool is_neutral(std::size_t k) const {
        return std::any_of(neutral + first(k), neutral + first(k + 1),
                           [](double share) { return share > 0.0; });
    }
};

// The bins of rows from `begin` on in a column.
inline LaneCodes codes_of(const AdditiveRows& rows, std::size_t k, std::size_t begin) {
    const auto place = static_cast<std::size_t>(rows.place[k]);
    if (place < rows.n_narrow) return {rows.narrow + place * rows.n_rows + begin, nullptr};
    return {nullptr, rows.wide + (place - rows.n_narrow) * rows.n_rows + begin};
}

// Where rows elsewhere are learned from, too: what to add to first derivatives, and the least second
// derivatives, per bin of all columns and then of all rows, per score of a row; none where these rows are
// all.
struct SumCorrection {
    std::vector<std::int64_t> slopes, least;

    std::int64_t slope(std::size_t i, std::int64_t own) const {
        return slopes.empty() ? own : own + slopes[i];
    }
    std::int64_t curvature(std::size_t i, std::int64_t own) const {
        return least.empty() || own > least[i] ? own : least[i];
    }
};

inline ShapeBasis basis_of(const AdditiveRows& rows, std::size_t k) {
    const std::int64_t first = rows.offsets[k];
    return {static_cast<std::size_t>(rows.offsets[k + 1] - first),
            rows.gaps + first,
            rows.line + first,
            rows.rank + first,
            rows.square + first,
            rows.nominal[k] != 0};
}

}  // namespace bayesieve
