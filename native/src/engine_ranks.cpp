// What blocks of rows that are elsewhere need for a criterion of ranks: tables of keys, and histograms.
#include <algorithm>
#include <atomic>
#include <limits>

#include "bayesieve/pool.hpp"
#include "engine_state.hpp"
#include "sparse_column.hpp"

namespace bayesieve {

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

void Engine::tabulate(const Moves& moves, RankTable* out, const Poll& poll) const {
    const std::size_t per_move = segments_.size() * n_measures();
    run_blocks(
        moves.n, 1, n_threads_,
        [&](std::size_t begin, std::size_t end, int) {
            Scratch scratch(segments_[0].n_classes);
            for (std::size_t i = begin; i < end; ++i) {
                std::vector<Change> changes;
                for (std::int64_t k = moves.starts[i]; k < moves.starts[i + 1]; ++k)
                    changes.push_back(moves.change(k));
                for (std::size_t s = 0; s < segments_.size(); ++s) {
                    std::vector<const std::int64_t*> tables;
                    if (!models_rows_) tables = change_tables(segments_[s], changes, scratch.tables);
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
    for (std::size_t s = 0; s < segments_.size(); ++s) {
        const std::vector<std::int64_t>& odds = states_[s]->log_odds;
        out[2 * s] = std::numeric_limits<std::int64_t>::max();
        out[2 * s + 1] = std::numeric_limits<std::int64_t>::min();
        if (odds.empty()) continue;
        const auto range = std::minmax_element(odds.begin(), odds.end());
        out[2 * s] = rank_key(*range.first);
        out[2 * s + 1] = rank_key(*range.second);
    }
}

bool Engine::histograms(const Moves& moves, const std::int64_t* buckets, std::size_t n_buckets,
                        std::int64_t* out, const Poll& poll) const {
    std::vector<std::int64_t> first(segments_.size()), last(segments_.size());
    for (std::size_t s = 0; s < segments_.size(); ++s) {
        const std::vector<std::int64_t>& odds = states_[s]->log_odds;
        if (odds.empty()) continue;
        const auto range = std::minmax_element(odds.begin(), odds.end());
        first[s] = *range.first;
        last[s] = *range.second;
    }
    std::vector<Scratch> scratches(static_cast<std::size_t>(n_threads_), Scratch(2));
    std::atomic<bool> all_fit{true};
    run_blocks(
        moves.n, 1, n_threads_,
        [&](std::size_t begin, std::size_t end, int thread) {
            Scratch& scratch = scratches[static_cast<std::size_t>(thread)];
            for (std::size_t k = begin * segments_.size(); k < end * segments_.size(); ++k) {
                const std::size_t i = k / segments_.size(), s = k % segments_.size();
                const Segment& segment = segments_[s];
                const std::int64_t lowest = buckets[2 * k], bits = buckets[2 * k + 1];
                if (segment.n_rows == 0) continue;
                const RankColumn column = rank_column(s, moves.change(moves.starts[i]), scratch);
                const std::int64_t low = rank_key(first[s] + column.lowest),
                                   high = rank_key(last[s] + column.highest);
                if (low < lowest || (static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(lowest)) >>
                                        bits >= n_buckets) {
                    all_fit = false;
                    continue;
                }
                const RankedRows rows{states_[s]->log_odds.data(),
                                      segment.class_begin[1],
                                      segment.n_rows,
                                      segment.weights.empty() ? nullptr : segment.weights.data(),
                                      first[s],
                                      last[s],
                                      nullptr,
                                      0};
                count_in_buckets(rows, column, lowest, static_cast<int>(bits), n_buckets,
                                 out + k * 2 * n_buckets, scratch.rank);
            }
        },
        poll);
    return all_fit;
}

}  // namespace bayesieve
