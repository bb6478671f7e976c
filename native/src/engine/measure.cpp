// SPDX-License-Identifier: BSD-3-Clause
// Exact measures: of the present state, and after each move.
#include <algorithm>

#include "bayesieve/pool.hpp"
#include "bayesieve/ranks/refinement.hpp"
#include "state.hpp"

namespace bayesieve {

void Engine::measure(Wide* out) const {
    Scratch scratch(segments_[0].n_classes);
    for (std::size_t s = 0; s < segments_.size(); ++s) {
        Wide* place = out + s * n_measures();
        if (measure_ == Measure::losses) {
            measure_losses(s, {}, place, scratch);
        } else {
            measure_ranks(s, {}, place, scratch);
        }
    }
}

void Engine::measure(const Moves& moves, Wide* out, const Poll& poll) const {
    const std::size_t per_move = segments_.size() * n_measures();
    // Less work than this is done before another thread has heard of it.
    const bool short_work = moves.n * state_size() < 50000;
    run_blocks(
        moves.n, 1, short_work ? 1 : n_threads_,
        [&](std::size_t begin, std::size_t end, int) {
            Scratch scratch(segments_[0].n_classes);
            for (std::size_t i = begin; i < end; ++i) {
                const std::vector<Change> changes = moves.changes(i);
                for (std::size_t s = 0; s < segments_.size(); ++s) {
                    Wide* place = out + i * per_move + s * n_measures();
                    if (measure_ == Measure::losses) {
                        measure_losses(s, changes, place, scratch);
                    } else {
                        measure_ranks(s, changes, place, scratch);
                    }
                }
            }
        },
        poll);
}

// Without any column yet, rows of a class differ only in the code of the one that is added.
void Engine::measure_first(std::size_t s, const Change& change, Wide* out, Scratch& scratch) const {
    const Segment& segment = segments_[s];
    const CodeColumn& column = segment.columns[change.column];
    const std::int64_t* table = change_table(segment, change, scratch.shift);
    for (int y = 0; y < segment.n_classes; ++y) {
        code_weights(segment, column, y, scratch.keys);
        for (std::size_t v = 0; v < scratch.keys.size(); v += kChunk) {
            const std::size_t n = std::min(kChunk, scratch.keys.size() - v);
            for (int c = 0; c < segment.n_classes; ++c)
                for (std::size_t k = 0; k < n; ++k)
                    scratch.chunk[c * kChunk + k] = segment.start[c] + table[(v + k) * segment.n_classes + c];
            kernels().losses(loss_, argument_, scratch.chunk.data(), kChunk, segment.n_classes, y, n,
                             scratch.doubles.data(), scratch.losses.data());
            add_losses(scratch.losses.data(), scratch.keys.data() + v, n, out[y]);
        }
    }
}

void Engine::measure_losses(std::size_t s, const std::vector<Change>& changes, Wide* out,
                            Scratch& scratch) const {
    const Segment& segment = segments_[s];
    const RowModel& rows = *states_[s]->rows;
    const bool simple = changes.size() == 1 && rows.adds_up();
    if (empty_ && simple) {
        measure_first(s, changes[0], out, scratch);
        return;
    }
    if (loss_ == Loss::error && segment.weights.empty() && simple) {
        const CodeColumn& column = segment.columns[changes[0].column];
        if (column.narrow != nullptr && column.n_used <= 2) {
            measure_errors(s, changes[0], out, scratch);
            return;
        }
    }
    const ChangeTables tables = rows.tables(changes, scratch.tables);
    for (int y = 0; y < segment.n_classes; ++y) {
        const std::size_t end = segment.class_begin[y + 1];
        for (std::size_t i = segment.class_begin[y]; i < end; i += kChunk) {
            const std::size_t n = std::min(kChunk, end - i);
            rows.changed_evidence(changes, tables, i, n, scratch.chunk.data());
            kernels().losses(loss_, argument_, scratch.chunk.data(), kChunk, segment.n_classes, y, n,
                             scratch.doubles.data(), scratch.losses.data());
            add_losses(scratch.losses.data(), segment.weights.empty() ? nullptr : segment.weights.data() + i,
                       n, out[y]);
        }
    }
}

// Counts, without writing down the evidence that each row would have. Among redundant binary columns hundreds
// of moves tie, and all of them are measured.
void Engine::measure_errors(std::size_t s, const Change& change, Wide* out, Scratch& scratch) const {
    const Segment& segment = segments_[s];
    const CodeColumn& column = segment.columns[change.column];
    const std::int64_t* table = change_table(segment, change, scratch.shift);
    for (int y = 0; y < segment.n_classes; ++y) {
        const std::size_t begin = segment.class_begin[y], end = segment.class_begin[y + 1];
        if (has_leads_ && fresh_[0]) {
            ErrorLeads::Table steps;
            LeadColumn candidate;
            ScanSum sum;
            const ErrorLeads& leads = states_[s]->leads;
            const bool decided = leads.find(segment, change, y, scratch.shift, steps, candidate);
            for (std::size_t i = 0; i < end - begin && decided; i += kTile)
                kernels().scan_leads(leads.rows(y), i, std::min(end - begin, i + kTile), candidate, sum);
            if (decided && sum.low == sum.high) {  // no row was left open
                out[y].add(static_cast<std::uint64_t>(sum.low) << 40);
                continue;
            }
        }
        for (std::size_t i = begin; i < end; i += kChunk) {
            const std::size_t wrong = kernels().count_errors(
                column.narrow + i, table, column.n_used, segment.n_classes, y, std::min(kChunk, end - i),
                states_[s]->rows->evidence().data() + i, segment.n_rows);
            out[y].add(static_cast<std::uint64_t>(wrong) << 40);
        }
    }
}

// Of the keys in `scratch`, which are used up.
Wide Engine::rank_measure(std::size_t s, std::size_t n_negative, const std::int64_t* weights,
                          Scratch& scratch) const {
    if (measure_ == Measure::pairs) return statistic_of_keys(scratch.keys, n_negative, weights, scratch.rank);
    std::uint64_t mass = 0;
    for (const std::int64_t weight : segments_[s].mass) mass += static_cast<std::uint64_t>(weight);
    return refinement_of_keys(scratch.keys, n_negative, weights, mass, scratch.rank);
}

// Fills the keys of `scratch` with those of a class, whose rows come last: the positives. Of two classes it
// is the second.
Engine::Ranked Engine::rank_rows(std::size_t s, int c, const std::vector<Change>& changes,
                                 const ChangeTables& tables, Scratch& scratch) const {
    const Segment& segment = segments_[s];
    const std::size_t n = segment.n_rows;
    if (segment.n_classes == 2) {
        states_[s]->rows->changed_log_odds(states_[s]->log_odds, changes, tables, scratch.keys);
        for (std::int64_t& key : scratch.keys) key = rank_key(key);
        return {segment.class_begin[1], segment.weights.empty() ? nullptr : segment.weights.data()};
    }
    const std::size_t begin = segment.class_begin[c], end = segment.class_begin[c + 1];
    scratch.keys.resize(n);
    scratch.weights.resize(segment.weights.empty() ? 0 : n);
    for (std::size_t i = 0; i < n; i += kChunk) {
        const std::size_t m = std::min(kChunk, n - i);
        states_[s]->rows->changed_evidence(changes, tables, i, m, scratch.chunk.data());
        rank_keys(scratch.chunk.data(), segment.n_classes, c, m, scratch.losses.data());
        for (std::size_t k = 0; k < m; ++k) {
            const std::size_t row = i + k;
            const std::size_t place = row < begin ? row : row < end ? n - end + row : row - (end - begin);
            scratch.keys[place] = scratch.losses[k];
            if (!segment.weights.empty()) scratch.weights[place] = segment.weights[row];
        }
    }
    return {n - (end - begin), segment.weights.empty() ? nullptr : scratch.weights.data()};
}

void Engine::measure_ranks(std::size_t s, const std::vector<Change>& changes, Wide* out,
                           Scratch& scratch) const {
    const ChangeTables tables = states_[s]->rows->tables(changes, scratch.tables);
    for (std::size_t c = 0; c < n_measures(); ++c) {
        const Ranked rows = rank_rows(s, static_cast<int>(c), changes, tables, scratch);
        out[c] = rank_measure(s, rows.n_negative, rows.weights, scratch);
    }
}

}  // namespace bayesieve
