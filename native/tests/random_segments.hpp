// SPDX-License-Identifier: BSD-3-Clause
// Segments of two classes with a column of each kind of codes.
#pragma once
#include <cstdint>
#include <random>
#include <vector>

#include "case.hpp"

namespace bayesieve_test {

constexpr int kThreads[] = {1, 3};
constexpr std::size_t kColumns = 5, kWide = 3, kSparse = 4;  // the others are narrow

inline std::size_t code_of(const SegmentArrays& segment, std::size_t j, std::size_t i) {
    if (j < segment.n_narrow) return segment.narrow[j * segment.n_rows + i];
    if (j == segment.n_narrow) return segment.wide[i];
    std::size_t code = segment.common[0];
    for (std::size_t k = 0; k < segment.entry_rows.size(); ++k)
        if (segment.entry_rows[k] == static_cast<std::int32_t>(i)) code = segment.entry_codes[k];
    return code;
}

// All columns but the last two are narrow. Entries of the first class are in 1 .. largest - 1, those of the
// others in -(largest - 1) .. 0.
inline SegmentArrays random_segment(std::mt19937_64& random, std::int64_t largest,
                                    std::size_t n_columns = kColumns, int n_classes = 2,
                                    std::uint64_t most_rows = 900) {
    const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
    SegmentArrays segment;
    const auto n_codes = static_cast<std::uint64_t>(2 + below(8));
    segment.n_rows = static_cast<std::size_t>(1 + below(most_rows));
    segment.n_columns = n_columns, segment.n_narrow = n_columns - 2, segment.n_wide = 1;
    segment.n_classes = n_classes;
    for (std::size_t i = 0; i < segment.n_narrow * segment.n_rows; ++i)
        segment.narrow.push_back(static_cast<std::uint8_t>(below(n_codes)));
    segment.common = {static_cast<std::uint16_t>(below(n_codes))};
    for (std::size_t i = 0; i < segment.n_rows; ++i) {
        segment.wide.push_back(static_cast<std::uint16_t>(below(n_codes)));
        const auto code = static_cast<std::uint16_t>(below(n_codes));
        if (code == segment.common[0] || below(2) == 0) continue;
        segment.entry_rows.push_back(static_cast<std::int32_t>(i));
        segment.entry_codes.push_back(code);
    }
    segment.begins = {0, static_cast<std::int64_t>(segment.entry_rows.size())};
    for (std::size_t j = 0; j <= n_columns; ++j) {
        if (j < n_columns) segment.place.push_back(static_cast<std::int64_t>(j));
        segment.offsets.push_back(static_cast<std::int64_t>(j * n_codes));
    }
    for (std::size_t i = 0; i < n_columns * n_codes; ++i) {
        segment.entries.push_back(1 + below(static_cast<std::uint64_t>(largest - 1)));
        for (int c = 1; c < n_classes; ++c)
            segment.entries.push_back(-below(static_cast<std::uint64_t>(largest)));
    }
    segment.start.assign(static_cast<std::size_t>(n_classes), largest - largest / 3);
    segment.start[0] = largest / 3;
    for (std::size_t i = 0; i < segment.n_rows; ++i) {
        segment.target.push_back(static_cast<std::int32_t>(below(static_cast<std::uint64_t>(n_classes))));
        segment.weights.push_back(1 + below(5));
    }
    segment.slopes.assign(static_cast<std::size_t>(n_classes), 1e-15);
    return segment;
}

inline std::vector<bayesieve::Segment> laid_out(const std::vector<SegmentArrays>& arrays) {
    std::vector<bayesieve::Segment> segments;
    for (const SegmentArrays& each : arrays) segments.push_back(bayesieve::lay_out(each.raw()));
    return segments;
}

}  // namespace bayesieve_test
