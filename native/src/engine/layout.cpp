// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/engine/layout.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace bayesieve {
namespace {

template <typename Code>
const Code* copy_sorted(const Code* from, const std::vector<std::uint32_t>& order, Code* to) {
    for (std::size_t i = 0; i < order.size(); ++i) to[i] = from[order[i]];
    return to;
}

// The largest code that occurs, plus one.
template <typename Code>
std::int32_t count_used(const Code* codes, std::size_t n) {
    Code largest = 0;
    for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, codes[i]);
    return n == 0 ? 0 : static_cast<std::int32_t>(largest) + 1;
}

template <typename Code>
bool below(const Code* codes, std::size_t n, std::int64_t n_codes) {
    return n == 0 || count_used(codes, n) <= n_codes;
}

CodeEntries entries_of(const RawSegment& raw, std::size_t k) {
    const std::int64_t begin = raw.begins[k];
    return {raw.entry_rows + begin, raw.entry_codes + begin,
            static_cast<std::size_t>(raw.begins[k + 1] - begin), raw.common[k]};
}

std::int32_t count_used(const CodeEntries& column, std::size_t n_rows) {
    return n_rows == 0 ? 0 : std::max(column.common + 1, count_used(column.codes, column.n));
}

bool good_begins(const RawSegment& raw) {
    if (raw.begins[0] != 0 || raw.begins[raw.n_sparse] != static_cast<std::int64_t>(raw.n_entries))
        return false;
    return std::is_sorted(raw.begins, raw.begins + raw.n_sparse + 1);
}

bool good_entries(const CodeEntries& column, std::size_t n_rows, std::int64_t n_codes) {
    for (std::size_t i = 0; i < column.n; ++i)
        if (column.rows[i] <= (i == 0 ? -1 : column.rows[i - 1])) return false;
    if (column.n > 0 && static_cast<std::size_t>(column.rows[column.n - 1]) >= n_rows) return false;
    return count_used(column, n_rows) <= n_codes;
}

bool good_columns(const RawSegment& raw) {
    if (!good_begins(raw)) return false;
    for (std::size_t j = 0; j < raw.n_columns; ++j) {
        if (raw.offsets[j + 1] < raw.offsets[j] || raw.place[j] < 0) return false;
        const std::int64_t n_codes = raw.offsets[j + 1] - raw.offsets[j];  // offsets start at 0: no overflow
        auto place = static_cast<std::size_t>(raw.place[j]);
        if (place < raw.n_narrow) {
            if (!below(raw.narrow + place * raw.n_rows, raw.n_rows, n_codes)) return false;
            continue;
        }
        place -= raw.n_narrow;
        if (place < raw.n_wide) {
            if (!below(raw.wide + place * raw.n_rows, raw.n_rows, n_codes)) return false;
            continue;
        }
        place -= raw.n_wide;
        if (place >= raw.n_sparse || !good_entries(entries_of(raw, place), raw.n_rows, n_codes)) return false;
    }
    return true;
}

// Entries with the rows where class order puts them.
CodeEntries sort_entries(const CodeEntries& from, const std::vector<std::uint32_t>& position,
                         std::int32_t* rows, std::uint16_t* codes) {
    std::vector<std::pair<std::int32_t, std::uint16_t>> moved;
    for (std::size_t i = 0; i < from.n; ++i)
        moved.emplace_back(static_cast<std::int32_t>(position[from.rows[i]]), from.codes[i]);
    std::sort(moved.begin(), moved.end());
    for (std::size_t i = 0; i < from.n; ++i) std::tie(rows[i], codes[i]) = moved[i];
    return {rows, codes, from.n, from.common};
}

}  // namespace

std::string find_fault(const RawSegment& raw) {
    if (raw.n_classes < 2) return "n_classes must be at least 2";
    if (raw.n_rows >= (std::size_t{1} << 31)) return "a segment must have fewer than 2**31 rows";
    if (raw.n_columns > 0 && raw.offsets[0] != 0) return "offsets must start at 0";
    for (std::size_t i = 0; i < raw.n_rows; ++i) {
        if (raw.target[i] < 0 || raw.target[i] >= raw.n_classes)
            return "target must hold values from 0 to n_classes - 1";
        if (raw.weights[i] < 0 || raw.weights[i] > (std::int64_t{1} << 32))
            return "weights must lie between 0 and 2**32";
    }
    return good_columns(raw)
               ? ""
               : "codes must be smaller than their column's number of codes, and place must fit";
}

Segment lay_out(const RawSegment& raw) {
    Segment segment;
    segment.n_classes = raw.n_classes;
    segment.n_rows = raw.n_rows;
    segment.start.assign(raw.start, raw.start + raw.n_classes);
    segment.slopes.assign(raw.slopes, raw.slopes + raw.n_slopes);
    segment.class_begin.assign(raw.n_classes + 1, 0);
    segment.mass.assign(raw.n_classes, 0);
    for (std::size_t i = 0; i < raw.n_rows; ++i) {
        ++segment.class_begin[raw.target[i] + 1];
        segment.mass[raw.target[i]] += raw.weights[i];
    }
    for (int c = 0; c < raw.n_classes; ++c) segment.class_begin[c + 1] += segment.class_begin[c];
    std::vector<std::size_t> next(segment.class_begin.begin(), segment.class_begin.end() - 1);
    std::vector<std::uint32_t> order(raw.n_rows);
    for (std::size_t i = 0; i < raw.n_rows; ++i) order[next[raw.target[i]]++] = static_cast<std::uint32_t>(i);
    if (std::any_of(raw.weights, raw.weights + raw.n_rows, [](std::int64_t w) { return w != 1; }))
        for (std::uint32_t row : order) segment.weights.push_back(raw.weights[row]);

    segment.tables.assign(raw.entries, raw.entries + raw.offsets[raw.n_columns] * raw.n_classes);
    const bool as_it_is = raw.lasting && std::is_sorted(raw.target, raw.target + raw.n_rows);
    std::vector<std::uint32_t> position(as_it_is ? 0 : raw.n_rows);
    for (std::size_t i = 0; i < position.size(); ++i) position[order[i]] = static_cast<std::uint32_t>(i);
    if (!as_it_is) {
        segment.narrow_codes.resize(raw.n_narrow * raw.n_rows);
        segment.wide_codes.resize(raw.n_wide * raw.n_rows);
        segment.entry_rows.resize(raw.n_entries);
        segment.entry_codes.resize(raw.n_entries);
    }
    for (std::size_t j = 0; j < raw.n_columns; ++j) {
        CodeColumn column;
        column.n_codes = static_cast<std::int32_t>(raw.offsets[j + 1] - raw.offsets[j]);
        column.table = segment.tables.data() + raw.offsets[j] * raw.n_classes;
        const auto place = static_cast<std::size_t>(raw.place[j]);
        if (place < raw.n_narrow) {
            const std::size_t at = place * raw.n_rows;
            column.narrow = as_it_is ? raw.narrow + at
                                     : copy_sorted(raw.narrow + at, order, segment.narrow_codes.data() + at);
            column.n_used = count_used(column.narrow, raw.n_rows);
        } else if (place < raw.n_narrow + raw.n_wide) {
            const std::size_t at = (place - raw.n_narrow) * raw.n_rows;
            column.wide =
                as_it_is ? raw.wide + at : copy_sorted(raw.wide + at, order, segment.wide_codes.data() + at);
            column.n_used = count_used(column.wide, raw.n_rows);
        } else {
            const std::size_t k = place - raw.n_narrow - raw.n_wide;
            column.entries = entries_of(raw, k);
            if (!as_it_is)
                column.entries =
                    sort_entries(column.entries, position, segment.entry_rows.data() + raw.begins[k],
                                 segment.entry_codes.data() + raw.begins[k]);
            column.n_used = count_used(column.entries, raw.n_rows);
        }
        segment.columns.push_back(column);
    }
    return segment;
}

}  // namespace bayesieve
