// SPDX-License-Identifier: BSD-3-Clause
// Segments from Python: arrays checked, rows put in class order.
#pragma once
#include <string>
#include <vector>

#include "arrays.hpp"
#include "bayesieve/engine/layout.hpp"

namespace bayesieve_python {

// Python's arrays of one segment, in the order of src/bayesieve/search/engine/segments.py.
inline bayesieve::RawSegment raw_segment(const nb::tuple& sequence) {
    constexpr std::size_t n_arrays = 13;
    require(sequence.size() == n_arrays, "a segment must have thirteen arrays");
    std::vector<Array> arrays;
    for (std::size_t i = 0; i < n_arrays; ++i) arrays.push_back(nb::cast<Array>(sequence[i]));
    bayesieve::RawSegment raw{};
    raw.narrow = matrix_of<std::uint8_t>(arrays[0], "narrow must be a contiguous uint8 matrix");
    raw.wide = matrix_of<std::uint16_t>(arrays[1], "wide must be a contiguous uint16 matrix");
    raw.n_narrow = arrays[0].shape(0);
    raw.n_wide = arrays[1].shape(0);
    raw.n_rows = arrays[0].shape(1);
    require(arrays[1].shape(1) == raw.n_rows, "narrow and wide must have the same rows");
    raw.n_sparse = arrays[2].size();
    raw.n_entries = arrays[4].size();
    raw.common =
        vector_of<std::uint16_t>(arrays[2], raw.n_sparse, "common must be a contiguous uint16 vector");
    raw.begins =
        vector_of<std::int64_t>(arrays[3], raw.n_sparse + 1, "begins must have one entry more than common");
    raw.entry_rows =
        vector_of<std::int32_t>(arrays[4], raw.n_entries, "rows must be a contiguous int32 vector");
    raw.entry_codes = vector_of<std::uint16_t>(arrays[5], raw.n_entries, "codes must have one entry per row");
    raw.n_columns = arrays[6].size();
    raw.place = vector_of<std::int64_t>(arrays[6], raw.n_columns, "place must be a contiguous int64 vector");
    raw.offsets = vector_of<std::int64_t>(arrays[7], raw.n_columns + 1,
                                          "offsets must have one entry more than columns");
    raw.entries = matrix_of<std::int64_t>(arrays[8], "entries must be a contiguous int64 matrix");
    raw.n_classes = static_cast<int>(arrays[8].shape(1));
    require(raw.offsets[raw.n_columns] == static_cast<std::int64_t>(arrays[8].shape(0)),
            "entries must fit offsets");
    raw.start = vector_of<std::int64_t>(arrays[9], arrays[8].shape(1), "start must have one entry per class");
    raw.target = vector_of<std::int32_t>(arrays[10], raw.n_rows, "target must be a contiguous int32 vector");
    raw.weights =
        vector_of<std::int64_t>(arrays[11], raw.n_rows, "weights must be a contiguous int64 vector");
    raw.n_slopes = arrays[12].size();
    raw.slopes = vector_of<double>(arrays[12], raw.n_slopes, "slopes must be a contiguous float64 vector");
    raw.lasting = true;
    return raw;
}

// Checked, with rows in class order. A segment's slopes must be as many as `n_slopes` returns for its number
// of classes.
template <typename F>
std::vector<bayesieve::Segment> segments_of(const nb::tuple& segments, F&& n_slopes) {
    require(segments.size() > 0, "at least one segment is needed");
    std::vector<bayesieve::Segment> laid_out;
    std::size_t n_columns = 0;
    for (std::size_t s = 0; s < segments.size(); ++s) {
        const bayesieve::RawSegment raw = raw_segment(nb::cast<nb::tuple>(segments[s]));
        require(raw.n_slopes == n_slopes(raw.n_classes), "slopes must have one entry per measure");
        require(s == 0 || (raw.n_columns == n_columns && raw.n_classes == laid_out[0].n_classes),
                "segments must have the same columns and classes");
        n_columns = raw.n_columns;
        nb::gil_scoped_release release;
        const std::string fault = bayesieve::find_fault(raw);
        if (!fault.empty()) {
            nb::gil_scoped_acquire gil;
            throw nb::value_error(fault.c_str());
        }
        laid_out.push_back(bayesieve::lay_out(raw));
    }
    return laid_out;
}

}  // namespace bayesieve_python
