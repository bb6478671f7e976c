// SPDX-License-Identifier: BSD-3-Clause
// Code columns from Python, checked.
#pragma once
#include <vector>

#include "arrays.hpp"
#include "bayesieve/columns/count.hpp"
#include "bayesieve/columns/raw_codes.hpp"

namespace bayesieve_python {

inline bool entries_below(const bayesieve::RawCodes& raw, std::size_t k, std::int64_t n_codes) {
    const auto n = static_cast<std::size_t>(raw.begins[k + 1] - raw.begins[k]);
    return raw.common[k] < n_codes && bayesieve::codes_below(raw.codes + raw.begins[k], n, n_codes);
}

inline void check_codes(const bayesieve::RawCodes& raw, std::size_t n_entries) {
    const std::size_t n_dense = raw.n_narrow + raw.n_wide;
    require(raw.begins[0] == 0 && raw.begins[raw.n_sparse] == static_cast<std::int64_t>(n_entries),
            "begins must cover the entries");
    for (std::size_t k = 0; k < raw.n_sparse; ++k)
        require(raw.begins[k] <= raw.begins[k + 1], "begins must not decrease");
    for (std::size_t e = 0; e < n_entries; ++e)
        require(0 <= raw.rows[e] && raw.rows[e] < static_cast<std::int64_t>(raw.n_rows),
                "entries must be in rows that there are");
    for (std::size_t j = 0; j < raw.n_columns; ++j) {
        const auto place = static_cast<std::size_t>(raw.place[j]);
        require(raw.place[j] >= 0 && place < n_dense + raw.n_sparse,
                "place must name columns that there are");
        const std::int64_t n_codes = raw.n_codes[j];
        require(1 <= n_codes && n_codes <= 65536, "n_codes must be from 1 to 65536");
        const bool fits =
            place < raw.n_narrow
                ? bayesieve::codes_below(raw.narrow + place * raw.n_rows, raw.n_rows, n_codes)
            : place < n_dense
                ? bayesieve::codes_below(raw.wide + (place - raw.n_narrow) * raw.n_rows, raw.n_rows, n_codes)
                : entries_below(raw, place - n_dense, n_codes);
        require(fits, "codes of a column must be smaller than its n_codes");
    }
}

// The eight arrays of codes, in the order of src/bayesieve/filters/joint_counts.py, which must live as long
// as what `raw_codes` makes of them.
inline std::vector<Array> code_arrays(const nb::tuple& sequence) {
    constexpr std::size_t n_arrays = 8;
    require(sequence.size() == n_arrays, "codes must be eight arrays");
    std::vector<Array> arrays;
    for (std::size_t i = 0; i < n_arrays; ++i) arrays.push_back(nb::cast<Array>(sequence[i]));
    return arrays;
}

inline bayesieve::RawCodes raw_codes(const std::vector<Array>& kept) {
    bayesieve::RawCodes raw{};
    raw.narrow = matrix_of<std::uint8_t>(kept[0], "narrow must be a contiguous uint8 matrix");
    raw.wide = matrix_of<std::uint16_t>(kept[1], "wide must be a contiguous uint16 matrix");
    raw.n_narrow = kept[0].shape(0), raw.n_wide = kept[1].shape(0), raw.n_rows = kept[0].shape(1);
    require(kept[1].shape(1) == raw.n_rows, "narrow and wide must have the same rows");
    raw.n_columns = kept[2].size();
    raw.place = vector_of<std::int64_t>(kept[2], raw.n_columns, "place must be a contiguous int64 vector");
    raw.n_codes = vector_of<std::int64_t>(kept[3], raw.n_columns, "n_codes must have one entry per column");
    raw.n_sparse = kept[4].size();
    raw.common = vector_of<std::uint16_t>(kept[4], raw.n_sparse, "common must be a contiguous uint16 vector");
    raw.begins =
        vector_of<std::int64_t>(kept[5], raw.n_sparse + 1, "begins must have one entry more than common");
    raw.rows = vector_of<std::int32_t>(kept[6], kept[6].size(), "rows must be a contiguous int32 vector");
    raw.codes = vector_of<std::uint16_t>(kept[7], kept[6].size(), "codes must have one entry per row");
    check_codes(raw, kept[6].size());
    return raw;
}

}  // namespace bayesieve_python
