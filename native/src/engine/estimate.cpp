// SPDX-License-Identifier: BSD-3-Clause
// Scans: scores after each move of one column, with bounds of their error.
#include <algorithm>
#include <cmath>
#include <limits>

#include "bayesieve/elementary.hpp"
#include "bayesieve/pool.hpp"
#include "sparse_column.hpp"
#include "state.hpp"

namespace bayesieve {
namespace {

// Gives the scan one code per row of class y, for those candidates that are sparse.
void spread_candidates(const Segment& segment, const Moves& moves, std::size_t begin, int y,
                       std::vector<ScanColumn>& columns, std::vector<std::uint16_t>& room) {
    const std::size_t first = segment.class_begin[y], rows = segment.class_begin[y + 1] - first;
    const auto column_of = [&](std::size_t j) -> const CodeColumn& {
        return segment.columns[moves.columns[moves.starts[begin + j]]];
    };
    // They share one buffer, whose place is fixed only when it has its full size.
    std::size_t size = 0;
    for (std::size_t j = 0; j < columns.size(); ++j)
        if (column_of(j).is_sparse()) size += spread_size(column_of(j), rows);
    if (room.size() < size) room.resize(size);
    std::uint16_t* out = room.data();
    for (std::size_t j = 0; j < columns.size(); ++j) {
        if (!column_of(j).is_sparse()) continue;
        const CodeColumn dense = spread(column_of(j), first, rows, out);
        columns[j].narrow = dense.narrow;
        columns[j].wide = dense.wide;
        out += spread_size(column_of(j), rows);
    }
}

}  // namespace

void Engine::estimate(const Moves& moves, int effort, Estimate* out, const Poll& poll) const {
    const bool fine = effort > 0 && has_fine_scan();
    // Candidates that pass over a tile together; of few candidates less at a time, so that threads end
    // together.
    const std::size_t together =
        moves.n < 256 * static_cast<std::size_t>(n_threads_) && n_threads_ > 1 ? 8 : 16;
    const std::size_t block = measure_ == Measure::losses && !fine ? together : 1;
    std::vector<Scratch> scratches(static_cast<std::size_t>(n_threads_), Scratch(segments_[0].n_classes));
    run_blocks(
        moves.n, block, n_threads_,
        [&](std::size_t begin, std::size_t end, int thread) {
            Scratch& scratch = scratches[static_cast<std::size_t>(thread)];
            if (fine) {
                for (std::size_t i = begin; i < end; ++i) refine_losses(moves, i, out[i], scratch);
            } else if (has_leads_) {
                estimate_errors(moves, begin, end, out, scratch);
            } else if (measure_ == Measure::losses) {
                estimate_losses(moves, begin, end, out, scratch);
            } else {
                for (std::size_t i = begin; i < end; ++i) estimate_pairs(moves, i, effort, out[i], scratch);
            }
        },
        poll);
}

void Engine::estimate_losses(const Moves& moves, std::size_t begin, std::size_t end, Estimate* out,
                             Scratch& scratch) const {
    const std::size_t n = end - begin;
    std::vector<ScanColumn> columns(n);
    std::vector<ScanSum> sums(n);
    std::vector<char> extreme(n);
    for (std::size_t j = 0; j < n; ++j) out[begin + j] = {0.0, 0.0};
    for (std::size_t s = 0; s < segments_.size(); ++s) {
        const Segment& segment = segments_[s];
        const State& state = *states_[s];
        for (int y = 0; y < segment.n_classes; ++y) {
            const ClassRows& of_class = state.class_rows[y];
            const std::size_t first = segment.class_begin[y], rows = segment.class_begin[y + 1] - first;
            if (rows == 0) continue;
            // Tables first: they share one buffer, whose place is fixed only when it has its full size.
            scratch.ratios.resize(ratio_room(segment, moves.columns + moves.starts[begin], n));
            float* room = scratch.ratios.data();
            for (std::size_t j = 0; j < n; ++j) {
                const Change change = moves.change(moves.starts[begin + j]);
                bool is_extreme = false;
                columns[j] = state.rows->scan_column(scanned_, change, y, room, scratch.shift, is_extreme);
                state.packed.find(change.column, y, columns[j]);
                if (is_extreme) extreme[j] = 1;
                sums[j] = {};
            }
            spread_candidates(segment, moves, begin, y, columns, scratch.codes);
            const ScanBlock scan{of_class.beliefs.data(), of_class.stride,
                                 of_class.weights.empty() ? nullptr : of_class.weights.data(), rows,
                                 segment.n_classes};
            for (std::size_t i = 0; i < rows; i += kTile)
                kernels().scan(scanned_, scan, i, std::min(rows, i + kTile), columns.data(), n, sums.data());
            add_intervals(s, y, sums, out + begin);
        }
    }
    // Heavy weights times large ratios, or squares of sums over many classes, can exceed float32.
    for (std::size_t j = 0; j < n; ++j)
        if (extreme[j] || !std::isfinite(out[begin + j].value) || !std::isfinite(out[begin + j].bound))
            out[begin + j] = {0.0, std::numeric_limits<double>::infinity()};
}

void Engine::add_intervals(std::size_t s, int y, const std::vector<ScanSum>& sums, Estimate* out) const {
    const ClassRows& of_class = states_[s]->class_rows[y];
    const ScanBound bound = scan_bound(scanned_, segments_[s].n_classes);
    // Measures are in multiples of 2^-40, and so are slopes.
    const double slope = segments_[s].slopes[y] * kFixedOne;
    for (std::size_t j = 0; j < sums.size(); ++j) {
        const Interval interval =
            states_[s]->rows->interval(scanned_, sums[j], bound, of_class.mass, of_class.base);
        out[j].value += slope * interval.middle;
        out[j].bound += std::fabs(slope) * interval.radius;
    }
}

void Engine::estimate_errors(const Moves& moves, std::size_t begin, std::size_t end, Estimate* out,
                             Scratch& scratch) const {
    const std::size_t n = end - begin;
    std::vector<ErrorLeads::Table> tables(n);
    std::vector<LeadColumn> columns(n);
    std::vector<ScanSum> sums(n);
    for (std::size_t j = 0; j < n; ++j) out[begin + j] = {0.0, 0.0};
    for (std::size_t s = 0; s < segments_.size(); ++s) {
        const Segment& segment = segments_[s];
        const ErrorLeads& leads = states_[s]->leads;
        for (int y = 0; y < segment.n_classes; ++y) {
            const std::size_t rows = segment.class_begin[y + 1] - segment.class_begin[y];
            if (rows == 0) continue;
            for (std::size_t j = 0; j < n; ++j) {
                const Change change = moves.change(moves.starts[begin + j]);
                if (!leads.find(segment, change, y, scratch.shift, tables[j], columns[j]))
                    out[begin + j].bound = std::numeric_limits<double>::infinity();
                sums[j] = {};
            }
            const LeadBlock block = leads.rows(y);
            for (std::size_t i = 0; i < rows; i += kTile)
                for (std::size_t j = 0; j < n; ++j)
                    kernels().scan_leads(block, i, std::min(rows, i + kTile), columns[j], sums[j]);
            add_intervals(s, y, sums, out + begin);
        }
    }
}

// A count of errors is exact already but for ties, and a log loss is large enough for its bound to be narrow.
bool Engine::has_fine_scan() const {
    return measure_ == Measure::losses &&
           (scanned_ == Loss::error_probability || scanned_ == Loss::brier || scanned_ == Loss::linear);
}

void Engine::refine_losses(const Moves& moves, std::size_t i, Estimate& out, Scratch& scratch) const {
    out = {0.0, 0.0};
    const Change change = moves.change(moves.starts[i]);
    for (std::size_t s = 0; s < segments_.size(); ++s) {
        const Segment& segment = segments_[s];
        const ScanBound bound = fine_bound(scanned_, segment.n_classes);
        for (int y = 0; y < segment.n_classes; ++y) {
            const ClassRows& of_class = states_[s]->class_rows[y];
            const std::size_t rows = segment.class_begin[y + 1] - segment.class_begin[y];
            if (rows == 0) continue;
            bool extreme = false;
            const RowModel& model = *states_[s]->rows;
            FineColumn column =
                model.fine_column(scanned_, change, y, scratch.fine_ratios, scratch.shift, extreme);
            const CodeColumn& candidate = segment.columns[change.column];
            if (candidate.is_sparse()) {
                scratch.codes.resize(std::max(scratch.codes.size(), spread_size(candidate, rows)));
                const CodeColumn dense =
                    spread(candidate, segment.class_begin[y], rows, scratch.codes.data());
                column.narrow = dense.narrow;
                column.wide = dense.wide;
            }
            ScanSum sum;
            kernels().fine_scan(scanned_,
                                {of_class.fine_beliefs.data(), rows,
                                 of_class.fine_weights.empty() ? nullptr : of_class.fine_weights.data(), rows,
                                 segment.n_classes},
                                column, sum);
            const Interval interval = model.interval(scanned_, sum, bound, of_class.mass, of_class.base);
            const double slope = segment.slopes[y] * kFixedOne;
            out.value += slope * interval.middle;
            out.bound += extreme ? std::numeric_limits<double>::infinity()
                                 : std::fabs(slope) * interval.radius + std::fabs(out.value) * 0x1p-50;
        }
    }
}

void Engine::estimate_pairs(const Moves& moves, std::size_t i, int effort, Estimate& out,
                            Scratch& scratch) const {
    out = {0.0, 0.0};
    const Change change = moves.change(moves.starts[i]);
    for (std::size_t s = 0; s < segments_.size(); ++s) {
        const Segment& segment = segments_[s];
        const State& state = *states_[s];
        if (segment.n_rows == 0) continue;
        const RankColumn ranked = rank_column(s, change, scratch);
        RankedRows rows = ranked_rows(s);
        if (effort == 0) {
            rows.coarse = state.coarse.data();
            rows.coarse_bits = state.coarse_bits;
        }
        double low, high;
        if (state.few_patterns && state.patterns.values.size() * ranked.n_codes <= kFewCells) {
            low = high = cell_statistic(rows, state.patterns, ranked, scratch.rank).approximate();
        } else {
            const RankBounds bounds =
                statistic_bounds(rows, ranked, effort == 0 ? 1 << 11 : 1 << 16, scratch.rank);
            low = bounds.low;
            high = bounds.high;
        }
        // What rounding to double may lose, in the statistic or the score.
        out.value += segment.slopes[0] * (low + high) / 2;
        out.bound += std::fabs(segment.slopes[0]) * ((high - low) / 2 + high * 0x1p-48);
    }
}

}  // namespace bayesieve
