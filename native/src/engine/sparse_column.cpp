// SPDX-License-Identifier: BSD-3-Clause
#include "sparse_column.hpp"

#include <algorithm>

namespace bayesieve {
namespace {

// Calls body(row - begin, code) for the entries of rows begin .. begin + n - 1.
template <typename Body>
void each_entry(const CodeEntries& column, std::size_t begin, std::size_t n, const Body& body) {
    const std::int32_t* end = column.rows + column.n;
    const std::int32_t* row = std::lower_bound(column.rows, end, static_cast<std::int32_t>(begin));
    for (; row != end && static_cast<std::size_t>(*row) < begin + n; ++row)
        body(static_cast<std::size_t>(*row) - begin, column.codes[row - column.rows]);
}

template <typename Code>
const Code* fill(const CodeEntries& column, std::size_t begin, std::size_t n, Code* out) {
    std::fill_n(out, n, static_cast<Code>(column.common));
    each_entry(column, begin, n,
               [&](std::size_t i, std::uint16_t code) { out[i] = static_cast<Code>(code); });
    return out;
}

}  // namespace

void add_entries(const CodeEntries& column, const std::int64_t* table, int n_classes, std::size_t begin,
                 std::size_t n, std::int64_t* evidence, std::size_t stride) {
    const auto classes = static_cast<std::size_t>(n_classes);
    const std::int64_t* common = table + column.common * classes;
    for (std::size_t c = 0; c < classes; ++c) {
        std::int64_t* e = evidence + c * stride;
        for (std::size_t i = 0; i < n; ++i) e[i] += common[c];
    }
    each_entry(column, begin, n, [&](std::size_t i, std::uint16_t code) {
        for (std::size_t c = 0; c < classes; ++c)
            evidence[c * stride + i] += table[code * classes + c] - common[c];
    });
}

void weigh_entries(const Segment& segment, const CodeEntries& column, int y,
                   std::vector<std::int64_t>& weights) {
    const std::size_t begin = segment.class_begin[y], n = segment.class_begin[y + 1] - begin;
    std::int64_t rest = segment.mass[y];
    each_entry(column, begin, n, [&](std::size_t i, std::uint16_t code) {
        const std::int64_t weight = segment.weights.empty() ? 1 : segment.weights[begin + i];
        weights[code] += weight;
        rest -= weight;
    });
    if (n > 0) weights[column.common] += rest;
}

void shift_entries(const CodeEntries& column, const std::int64_t* shift, std::vector<std::int64_t>& out) {
    if (out.empty()) return;
    for (std::int64_t& value : out) value += shift[column.common];
    each_entry(column, 0, out.size(),
               [&](std::size_t i, std::uint16_t code) { out[i] += shift[code] - shift[column.common]; });
}

CodeColumn spread(const CodeColumn& column, std::size_t begin, std::size_t n, std::uint16_t* out) {
    CodeColumn dense = column;
    dense.entries = {};
    if (column.n_used <= 256) {
        dense.narrow = fill(column.entries, begin, n, reinterpret_cast<std::uint8_t*>(out));
    } else {
        dense.wide = fill(column.entries, begin, n, out);
    }
    return dense;
}

}  // namespace bayesieve
