// SPDX-License-Identifier: BSD-3-Clause
// Exact measures: of the present state, and after each move.
#include <algorithm>

#include "bayesieve/pool.hpp"
#include "bayesieve/ranks/refinement.hpp"
#include "state.hpp"

namespace bayesieve {

namespace {

// Which task of some threads works on which item. Items are whole, but where the last ones do not suffice for
// all threads these are divided, so that threads end together. Of many items the last are a small part.
struct Tasks {
    std::size_t n_whole, n_shares = 1, n = 0;

    Tasks(std::size_t n_items, std::size_t n_threads) : n_whole(n_items) {
        const std::size_t rest = n_items % n_threads;
        if (rest > 0 && n_items < 8 * n_threads) {
            n_shares = (n_threads + rest - 1) / rest;
            n_whole = n_items - rest;
        }
        n = n_whole + (n_items - n_whole) * n_shares;
    }

    bool is_whole(std::size_t task) const { return task < n_whole; }
    std::size_t item(std::size_t task) const {
        return is_whole(task) ? task : n_whole + (task - n_whole) / n_shares;
    }
    std::size_t share(std::size_t task) const { return (task - n_whole) % n_shares; }
};

}  // namespace

void Engine::measure(Wide* out) const {
    Scratch scratch(segments_[0].n_classes);
    for (std::size_t s = 0; s < segments_.size(); ++s)
        measure_share(s, {}, {0, 1}, out + s * n_measures(), scratch);
}

void Engine::measure(const Moves& moves, Wide* out, const Poll& poll) const {
    // Less work than this is done before another thread has heard of it.
    const int n_threads = moves.n * state_size() < 50000 ? 1 : n_threads_;
    const Tasks tasks(moves.n * segments_.size(), static_cast<std::size_t>(n_threads));
    std::vector<Scratch> scratches(static_cast<std::size_t>(n_threads), Scratch(segments_[0].n_classes));
    std::vector<Wide> shares((tasks.n - tasks.n_whole) * n_measures());
    run_blocks(
        tasks.n, 1, n_threads,
        [&](std::size_t task, std::size_t, int thread) {
            const std::size_t item = tasks.item(task);
            const bool is_whole = tasks.is_whole(task);
            measure_share(
                item % segments_.size(), moves.changes(item / segments_.size()),
                is_whole ? Share{0, 1} : Share{tasks.share(task), tasks.n_shares},
                is_whole ? out + item * n_measures() : shares.data() + (task - tasks.n_whole) * n_measures(),
                scratches[static_cast<std::size_t>(thread)]);
        },
        poll);
    for (std::size_t task = tasks.n_whole; task < tasks.n; ++task)
        for (std::size_t m = 0; m < n_measures(); ++m)
            out[tasks.item(task) * n_measures() + m].add(shares[(task - tasks.n_whole) * n_measures() + m]);
}

void Engine::measure_share(std::size_t s, const std::vector<Change>& changes, Share share, Wide* out,
                           Scratch& scratch) const {
    if (measure_ == Measure::losses) {
        measure_losses(s, changes, share, out, scratch);
    } else {
        measure_ranks(s, changes, share, out, scratch);
    }
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

void Engine::measure_losses(std::size_t s, const std::vector<Change>& changes, Share share, Wide* out,
                            Scratch& scratch) const {
    const Segment& segment = segments_[s];
    const RowModel& rows = *states_[s]->rows;
    const bool simple = changes.size() == 1 && rows.adds_up();
    if (empty_ && simple) {  // short work, which is not divided
        if (share.index == 0) measure_first(s, changes[0], out, scratch);
        return;
    }
    if (loss_ == Loss::error && segment.weights.empty() && simple) {
        const CodeColumn& column = segment.columns[changes[0].column];
        if (column.narrow != nullptr && column.n_used <= 2) {
            if (share.index == 0) measure_errors(s, changes[0], out, scratch);
            return;
        }
    }
    const ChangeTables tables = rows.tables(changes, scratch.tables);
    for (int y = 0; y < segment.n_classes; ++y) {
        const std::size_t begin = segment.class_begin[y], n_rows = segment.class_begin[y + 1] - begin;
        const std::size_t end = begin + share.end(n_rows);
        for (std::size_t i = begin + share.begin(n_rows); i < end; i += kChunk) {
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

// The measure of the keys in `scratch`, which are used up.
Wide Engine::rank_measure(std::size_t s, const Ranked& rows, Share share, Scratch& scratch) const {
    if (measure_ == Measure::pairs)
        return statistic_of_part(scratch.keys, rows.n_negative, rows.weights, {share.index, share.n},
                                 scratch.rank);
    std::uint64_t mass = 0;
    for (const std::int64_t weight : segments_[s].mass) mass += static_cast<std::uint64_t>(weight);
    return refinement_of_keys(scratch.keys, rows.n_negative, rows.weights, mass, scratch.rank);
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

// Classes are divided, or the pairs of the one that there is; rows that are recalibrated together are not.
void Engine::measure_ranks(std::size_t s, const std::vector<Change>& changes, Share share, Wide* out,
                           Scratch& scratch) const {
    // A state that has been estimated knows how far apart its log-odds are.
    if (fresh_[0] && can_estimate() && changes.size() == 1 && segments_[s].n_rows > 0 &&
        statistic_of_column(ranked_rows(s), rank_column(s, changes[0], scratch), {share.index, share.n}, *out,
                            scratch.rank))
        return;
    const ChangeTables tables = states_[s]->rows->tables(changes, scratch.tables);
    const bool divides_pairs = n_measures() == 1 && measure_ == Measure::pairs;
    const std::size_t begin = divides_pairs ? 0 : share.begin(n_measures()),
                      end = divides_pairs ? 1 : share.end(n_measures());
    for (std::size_t c = begin; c < end; ++c) {
        const Ranked rows = rank_rows(s, static_cast<int>(c), changes, tables, scratch);
        out[c] = rank_measure(s, rows, divides_pairs ? share : Share{0, 1}, scratch);
    }
}

}  // namespace bayesieve
