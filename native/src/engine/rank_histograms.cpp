// SPDX-License-Identifier: BSD-3-Clause
// What blocks of rows that are elsewhere need for a criterion of ranks: tables of keys, and histograms.
#include <algorithm>
#include <atomic>
#include <limits>

#include "bayesieve/pool.hpp"
#include "sparse_column.hpp"
#include "state.hpp"

namespace bayesieve {
namespace {

constexpr std::size_t kCoarse = 1 << 13;  // buckets for which 32 bits of log-odds are enough

}  // namespace

// Sparse columns are spread out in `scratch`, where the shifts are too.
RankColumn Engine::rank_column(std::size_t s, const Change& change, Scratch& scratch) const {
    const Segment& segment = segments_[s];
    scratch.tables.resize(1);
    const std::int64_t* table = change_table(segment, change, scratch.tables[0]);
    CodeColumn column = segment.columns[change.column];
    if (column.is_sparse()) {
        scratch.codes.resize(std::max(scratch.codes.size(), spread_size(column, segment.n_rows)));
        column = spread(column, 0, segment.n_rows, scratch.codes.data());
    }
    scratch.shift.resize(column.n_used);
    for (std::int32_t v = 0; v < column.n_used; ++v) scratch.shift[v] = table[2 * v + 1] - table[2 * v];
    const auto range = std::minmax_element(scratch.shift.begin(), scratch.shift.end());
    return {column.narrow, column.wide, scratch.shift.data(), column.n_used, *range.first, *range.second};
}

RankedRows Engine::ranked_rows(std::size_t s) const {
    const Segment& segment = segments_[s];
    return {states_[s]->log_odds.data(),
            segment.class_begin[1],
            segment.n_rows,
            segment.weights.empty() ? nullptr : segment.weights.data(),
            states_[s]->lowest,
            states_[s]->highest,
            nullptr,
            0};
}

void Engine::tabulate(const Moves& moves, RankTable* out, const Poll& poll) const {
    const std::size_t per_move = segments_.size() * n_measures();
    run_blocks(
        moves.n, 1, n_threads_,
        [&](std::size_t begin, std::size_t end, int) {
            Scratch scratch(segments_[0].n_classes);
            for (std::size_t i = begin; i < end; ++i) {
                const std::vector<Change> changes = moves.changes(i);
                for (std::size_t s = 0; s < segments_.size(); ++s) {
                    const State& state = *states_[s];
                    if (fresh_[0] && changes.size() == 1 && segments_[s].n_rows > 0 && state.few_patterns) {
                        const RankColumn column = rank_column(s, changes[0], scratch);
                        if (state.patterns.values.size() * column.n_codes <= kFewCells) {
                            out[i * per_move + s] =
                                table_of_cells(ranked_rows(s), state.patterns, column, scratch.rank);
                            continue;
                        }
                    }
                    const ChangeTables tables = state.rows->tables(changes, scratch.tables);
                    for (std::size_t c = 0; c < n_measures(); ++c) {
                        const Ranked rows = rank_rows(s, static_cast<int>(c), changes, tables, scratch);
                        out[i * per_move + s * n_measures() + c] =
                            table_of_keys(scratch.keys, rows.n_negative, rows.weights, scratch.rank);
                    }
                }
            }
        },
        poll);
}

void Engine::key_ranges(std::int64_t* out) const {
    Scratch scratch(segments_[0].n_classes);
    for (std::size_t s = 0; s < segments_.size(); ++s) {
        const State& state = *states_[s];
        for (std::size_t c = 0; c < n_measures(); ++c, out += 3) {
            out[0] = std::numeric_limits<std::int64_t>::max();
            out[1] = std::numeric_limits<std::int64_t>::min();
            out[2] = 0;
            if (segments_[s].n_rows == 0) continue;
            if (segments_[s].n_classes == 2) {
                out[0] = rank_key(state.lowest);
                out[1] = rank_key(state.highest);
                out[2] = static_cast<std::int64_t>(state.few_patterns ? state.patterns.values.size()
                                                                      : segments_[s].n_rows);
                continue;
            }
            const Ranked rows =
                rank_rows(s, static_cast<int>(c), {}, state.rows->tables({}, scratch.tables), scratch);
            const auto range = std::minmax_element(scratch.keys.begin(), scratch.keys.end());
            out[0] = *range.first;
            out[1] = *range.second;
            out[2] = static_cast<std::int64_t>(
                table_of_keys(scratch.keys, rows.n_negative, rows.weights, scratch.rank).keys.size());
        }
    }
}

bool Engine::count_two_classes(std::size_t s, const Change& change, const std::int64_t* buckets,
                               std::size_t n_buckets, std::int64_t* out, Scratch& scratch) const {
    const RankColumn column = rank_column(s, change, scratch);
    RankedRows rows = ranked_rows(s);
    if (n_buckets <= kCoarse) {
        rows.coarse = states_[s]->coarse.data();
        rows.coarse_bits = states_[s]->coarse_bits;
    }
    const std::int64_t low = rank_key(rows.lowest + column.lowest),
                       high = rank_key(rows.highest + column.highest);
    if (low < buckets[0] || (static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(buckets[0])) >>
                                buckets[1] >= n_buckets)
        return false;
    count_in_buckets(rows, column, buckets[0], static_cast<int>(buckets[1]), n_buckets, out, scratch.rank);
    return true;
}

bool Engine::count_classes(std::size_t s, const std::vector<Change>& changes, const std::int64_t* buckets,
                           std::size_t n_buckets, std::int64_t* out, Scratch& scratch) const {
    const ChangeTables tables = states_[s]->rows->tables(changes, scratch.tables);
    for (std::size_t c = 0; c < n_measures(); ++c, buckets += 2, out += 2 * (n_buckets + 1)) {
        const Ranked rows = rank_rows(s, static_cast<int>(c), changes, tables, scratch);
        const auto lowest = static_cast<std::uint64_t>(buckets[0]);
        for (std::size_t i = 0; i < scratch.keys.size(); ++i) {
            // A key below the lowest is a very large number here.
            const std::uint64_t place = (static_cast<std::uint64_t>(scratch.keys[i]) - lowest) >> buckets[1];
            if (place >= n_buckets) return false;
            out[(i < rows.n_negative ? 0 : n_buckets + 1) + place] +=
                rows.weights == nullptr ? 1 : rows.weights[i];
        }
    }
    return true;
}

bool Engine::histograms(const Moves& moves, const std::int64_t* buckets, std::size_t n_buckets,
                        std::int64_t* out, const Poll& poll) const {
    const int n_classes = segments_[0].n_classes;
    std::vector<Scratch> scratches(static_cast<std::size_t>(n_threads_), Scratch(n_classes));
    std::atomic<bool> all_fit{true};
    run_blocks(
        moves.n, 1, n_threads_,
        [&](std::size_t begin, std::size_t end, int thread) {
            Scratch& scratch = scratches[static_cast<std::size_t>(thread)];
            for (std::size_t k = begin * segments_.size(); k < end * segments_.size(); ++k) {
                const std::size_t i = k / segments_.size(), s = k % segments_.size(),
                                  first = k * n_measures();
                if (segments_[s].n_rows == 0) continue;
                const std::int64_t* own = buckets + 2 * first;
                std::int64_t* counts = out + first * 2 * (n_buckets + 1);
                const bool fits =
                    n_classes == 2
                        ? count_two_classes(s, moves.change(moves.starts[i]), own, n_buckets, counts, scratch)
                        : count_classes(s, moves.changes(i), own, n_buckets, counts, scratch);
                if (!fits) all_fit = false;
            }
        },
        poll);
    return all_fit;
}

}  // namespace bayesieve
