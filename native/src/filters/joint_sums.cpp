// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/filters/joint_sums.hpp"

#include <algorithm>
#include <limits>

#include "bayesieve/elementary.hpp"
#include "bayesieve/kernels/kernels.hpp"
#include "bayesieve/pool.hpp"
#include "cells.hpp"

namespace bayesieve {
namespace {

constexpr std::size_t kMostPlanes = 8;                   // of a column: codes but one
constexpr std::size_t kMostLogs = std::size_t{1} << 21;  // looked up; larger counts are rare
constexpr std::size_t kColumnsATask = 16;
constexpr std::size_t kFewCells = 1024;  // of which four tables stay in the nearest cache

// Neighbors often fall into one cell, where each addition would wait for the last: four tables take turns.
// The first n_cells numbers of `tables` become the rows of each cell other * n_codes + code.
template <typename Code>
void count_few_cells(const std::uint32_t* other, const Code* codes, std::size_t n_codes, std::size_t n,
                     std::size_t n_cells, std::vector<std::uint32_t>& tables) {
    tables.assign(4 * n_cells, 0);
    std::uint32_t *first = tables.data(), *second = first + n_cells, *third = second + n_cells,
                  *fourth = third + n_cells;
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        ++first[other[i] * n_codes + codes[i]];
        ++second[other[i + 1] * n_codes + codes[i + 1]];
        ++third[other[i + 2] * n_codes + codes[i + 2]];
        ++fourth[other[i + 3] * n_codes + codes[i + 3]];
    }
    for (; i < n; ++i) ++first[other[i] * n_codes + codes[i]];
    for (std::size_t k = 0; k < n_cells; ++k) first[k] += second[k] + third[k] + fourth[k];
}

}  // namespace

struct JointSums::Scratch {
    std::vector<std::uint32_t> column;
    std::vector<std::int64_t> cells;
    std::vector<std::uint32_t> few;
    Cells table;
};

JointSums::JointSums(const RawCodes& codes, const ClassRows& rows, int shift)
    : codes_(codes), rows_(rows), scale_(1.0), n_classes_(rows.class_begins.size() - 1) {
    for (int i = 0; i < shift; ++i) scale_ *= 2.0;
    for (int i = 0; i > shift; --i) scale_ *= 0.5;
    const std::size_t n_logs = std::min(codes.n_rows + 1, kMostLogs);
    std::vector<std::int64_t> table(n_logs);
    for (std::size_t n = 0; n < n_logs; ++n) table[n] = logs(static_cast<std::int64_t>(n));
    logs_ = std::move(table);
    planes_.assign(codes.n_columns, {kNone, 0});
    if (rows.weights != nullptr) return;
    word_begins_.assign(1, 0);
    for (std::size_t c = 0; c < n_classes_; ++c) {
        const std::size_t n = rows.class_begins[c + 1] - rows.class_begins[c];
        word_begins_.push_back(word_begins_.back() + (n + 63) / 64);
    }
    n_words_ = word_begins_.back();
    std::vector<std::uint8_t> room;
    for (std::size_t j = 0; j < codes.n_columns; ++j) {
        const auto n_codes = static_cast<std::size_t>(codes.n_codes[j]);
        if (n_codes >= 2 && n_codes <= kMostPlanes + 1) add_planes(j, room);
    }
}

std::int64_t JointSums::logs(std::int64_t n) const {
    if (static_cast<std::size_t>(n) < logs_.size()) return logs_[static_cast<std::size_t>(n)];
    const double weight = static_cast<double>(rows_.weights != nullptr ? n : n * rows_.weight);
    return n == 0 ? 0 : nearest_integer((weight * log_positive(weight)) * scale_);
}

void JointSums::spread(std::size_t column, std::vector<std::uint32_t>& out) const {
    const std::size_t n = codes_.n_rows;
    const auto place = static_cast<std::size_t>(codes_.place[column]);
    if (place < codes_.n_narrow) {
        const std::uint8_t* codes = codes_.narrow + place * n;
        out.assign(codes, codes + n);
    } else if (place < codes_.n_narrow + codes_.n_wide) {
        const std::uint16_t* codes = codes_.wide + (place - codes_.n_narrow) * n;
        out.assign(codes, codes + n);
    } else {
        const std::size_t k = place - codes_.n_narrow - codes_.n_wide;
        out.assign(n, codes_.common[k]);
        for (std::int64_t e = codes_.begins[k]; e < codes_.begins[k + 1]; ++e)
            out[codes_.rows[e]] = codes_.codes[e];
    }
}

void JointSums::add_planes(std::size_t j, std::vector<std::uint8_t>& room) {
    const auto n_codes = static_cast<std::size_t>(codes_.n_codes[j]);
    planes_[j] = {words_.size(), counts_.size()};
    words_.resize(words_.size() + (n_codes - 1) * n_words_, 0);
    counts_.resize(counts_.size() + n_codes * n_classes_, 0);
    const std::uint8_t* column = narrow_codes(j, room);
    for (std::size_t c = 0; c < n_classes_; ++c) {
        const std::size_t first = rows_.class_begins[c], n = rows_.class_begins[c + 1] - first;
        std::uint64_t* planes = words_.data() + planes_[j].begin + word_begins_[c];
        std::uint32_t* counts = counts_.data() + planes_[j].counts + c * n_codes;
        kernels().fill_planes(column + first, n, n_codes - 1, n_words_, planes);
        counts[n_codes - 1] = static_cast<std::uint32_t>(n);
        for (std::size_t p = 0; p + 1 < n_codes; ++p) {
            kernels().count_planes({planes + p * n_words_, 1}, {planes + p * n_words_, 1}, n_words_,
                                   word_begins_[c + 1] - word_begins_[c], counts + p, n_codes);
            counts[n_codes - 1] -= counts[p];
        }
    }
}

// The codes of a column of few, one byte per row.
const std::uint8_t* JointSums::narrow_codes(std::size_t column, std::vector<std::uint8_t>& room) const {
    const auto place = static_cast<std::size_t>(codes_.place[column]);
    if (place < codes_.n_narrow) return codes_.narrow + place * codes_.n_rows;
    std::vector<std::uint32_t> codes;
    spread(column, codes);
    room.resize(codes.size());
    std::transform(codes.begin(), codes.end(), room.begin(),
                   [](std::uint32_t code) { return static_cast<std::uint8_t>(code); });
    return room.data();
}

// A table of a x b cells has a - 1 + b - 1 known margins: (a - 1)(b - 1) planes have to be joined.
void JointSums::sums_of_planes(std::size_t other, std::size_t column, std::int64_t* pair,
                               std::int64_t* with_class) const {
    const auto a = static_cast<std::size_t>(codes_.n_codes[column]);
    const auto b = static_cast<std::size_t>(codes_.n_codes[other]);
    const std::uint64_t *left = words_.data() + planes_[column].begin,
                        *right = words_.data() + planes_[other].begin;
    std::int64_t joint[(kMostPlanes + 1) * (kMostPlanes + 1)] = {};
    std::int64_t sum = 0;
    for (std::size_t c = 0; c < n_classes_; ++c) {
        std::uint32_t cells[(kMostPlanes + 1) * (kMostPlanes + 1)];
        const std::size_t begin = word_begins_[c], n = word_begins_[c + 1] - begin;
        kernels().count_planes({left + begin, a - 1}, {right + begin, b - 1}, n_words_, n, cells, b);
        const std::uint32_t* of_left = counts_.data() + planes_[column].counts + c * a;
        const std::uint32_t* of_right = counts_.data() + planes_[other].counts + c * b;
        for (std::size_t j = 0; j + 1 < b; ++j) cells[(a - 1) * b + j] = of_right[j];
        std::uint32_t corner = of_right[b - 1];
        for (std::size_t i = 0; i + 1 < a; ++i) {
            std::uint32_t rest = of_left[i];
            for (std::size_t j = 0; j + 1 < b; ++j) {
                rest -= cells[i * b + j];
                cells[(a - 1) * b + j] -= cells[i * b + j];
            }
            cells[i * b + b - 1] = rest;
            corner -= rest;
        }
        cells[a * b - 1] = corner;
        for (std::size_t k = 0; k < a * b; ++k) joint[k] += cells[k];
        if (with_class != nullptr)
            for (std::size_t k = 0; k < a * b; ++k) sum += logs(cells[k]);
    }
    if (with_class != nullptr) *with_class = sum;
    *pair = 0;
    for (std::size_t k = 0; k < a * b; ++k) *pair += logs(joint[k]);
}

// Rows of weight one, and few cells relative to them.
template <typename Code>
void JointSums::sums_of_few(const std::vector<std::uint32_t>& other, std::size_t n_cells, const Code* codes,
                            std::size_t n_codes, Scratch& scratch, std::int64_t* pair,
                            std::int64_t* with_class) const {
    const std::size_t classes = with_class == nullptr ? 1 : n_classes_;
    std::int64_t sum = 0;
    scratch.cells.assign(n_cells, 0);
    for (std::size_t c = 0; c < classes; ++c) {
        const std::size_t begin = classes == 1 ? 0 : rows_.class_begins[c];
        const std::size_t end = classes == 1 ? codes_.n_rows : rows_.class_begins[c + 1];
        count_few_cells(other.data() + begin, codes + begin, n_codes, end - begin, n_cells, scratch.few);
        for (std::size_t k = 0; k < n_cells; ++k) scratch.cells[k] += scratch.few[k];
        for (std::size_t k = 0; k < n_cells && with_class != nullptr; ++k) sum += logs(scratch.few[k]);
    }
    if (with_class != nullptr) *with_class = sum;
    *pair = 0;
    for (std::size_t k = 0; k < n_cells; ++k) *pair += logs(scratch.cells[k]);
}

template <typename Code>
void JointSums::sums_of_column(const std::vector<std::uint32_t>& other, std::size_t n_other,
                               const Code* codes, std::size_t n_codes, Scratch& scratch, std::int64_t* pair,
                               std::int64_t* with_class) const {
    const auto add_logs = [this](std::int64_t& sum) {
        return [this, &sum](std::int64_t n) { sum += logs(n); };
    };
    const std::size_t classes = with_class == nullptr ? 1 : n_classes_, n_cells = n_other * n_codes;
    if (rows_.weights == nullptr && n_cells <= kFewCells && n_cells * classes <= codes_.n_rows &&
        codes_.n_rows < std::numeric_limits<std::uint32_t>::max()) {
        sums_of_few(other, n_cells, codes, n_codes, scratch, pair, with_class);
        return;
    }
    Cells& table = scratch.table;
    *pair = 0;
    if (with_class != nullptr) *with_class = 0;
    // The classes one after the other; then all rows, which for a small table is the sum of what was counted.
    const bool dense = table.open(n_cells, codes_.n_rows);
    if (dense) scratch.cells.assign(n_cells, 0);
    for (std::size_t c = 0; c < classes; ++c) {
        const std::size_t begin = classes == 1 ? 0 : rows_.class_begins[c];
        const std::size_t end = classes == 1 ? codes_.n_rows : rows_.class_begins[c + 1];
        for (std::size_t i = begin; i < end; ++i)
            table.add(std::uint64_t{other[i]} * n_codes + codes[i],
                      rows_.weights == nullptr ? 1 : rows_.weights[i]);
        if (classes == 1) {
            table.drain(add_logs(*pair));
            if (with_class != nullptr) *with_class = *pair;
        } else if (dense) {
            table.drain_into(scratch.cells.data(), add_logs(*with_class));
        } else {
            table.drain(add_logs(*with_class));
        }
    }
    if (classes == 1) return;
    if (dense) {
        for (const std::int64_t n : scratch.cells) *pair += logs(n);
        return;
    }
    for (std::size_t i = 0; i < codes_.n_rows; ++i)
        table.add(std::uint64_t{other[i]} * n_codes + codes[i],
                  rows_.weights == nullptr ? 1 : rows_.weights[i]);
    table.drain(add_logs(*pair));
}

void JointSums::sums_of_codes(const std::vector<std::uint32_t>& other, std::size_t n_other,
                              std::size_t column, Scratch& scratch, std::int64_t* pair,
                              std::int64_t* with_class) const {
    const auto place = static_cast<std::size_t>(codes_.place[column]);
    const auto n_codes = static_cast<std::size_t>(codes_.n_codes[column]);
    if (place < codes_.n_narrow) {
        sums_of_column(other, n_other, codes_.narrow + place * codes_.n_rows, n_codes, scratch, pair,
                       with_class);
        return;
    }
    spread(column, scratch.column);
    sums_of_column(other, n_other, scratch.column.data(), n_codes, scratch, pair, with_class);
}

void JointSums::sums(std::size_t other, const std::int64_t* columns, std::size_t n, std::int64_t* pairs,
                     std::int64_t* with_class, const Threads& threads) const {
    std::vector<std::uint32_t> codes;
    const bool by_planes = has_planes(other);
    for (std::size_t i = 0; i < n && codes.empty(); ++i)
        if (!by_planes || !has_planes(static_cast<std::size_t>(columns[i]))) spread(other, codes);
    std::vector<Scratch> scratch(static_cast<std::size_t>(std::max(1, threads.n_threads)));
    run_blocks(
        n, kColumnsATask, threads.n_threads,
        [&](std::size_t begin, std::size_t end, int thread) {
            Scratch& own = scratch[static_cast<std::size_t>(thread)];
            for (std::size_t i = begin; i < end; ++i) {
                const auto column = static_cast<std::size_t>(columns[i]);
                std::int64_t* triple = with_class == nullptr ? nullptr : with_class + i;
                if (by_planes && has_planes(column)) {
                    sums_of_planes(other, column, pairs + i, triple);
                } else {
                    sums_of_codes(codes, static_cast<std::size_t>(codes_.n_codes[other]), column, own,
                                  pairs + i, triple);
                }
            }
        },
        threads.poll);
}

}  // namespace bayesieve
