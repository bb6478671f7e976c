#include "bayesieve/engine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bayesieve/elementary.hpp"
#include "bayesieve/pool.hpp"
#include "evidence.hpp"

namespace bayesieve {

const std::int64_t* change_table(const Segment& segment, const Change& change,
                                 std::vector<std::int64_t>& scratch) {
    const CodeColumn& column = segment.columns[change.column];
    if (change.before == 0.0 && change.after == 1.0) return column.table;
    const auto weighted = [](double weight, std::int64_t entry) {
        return weight == 1.0 ? entry
                             : static_cast<std::int64_t>(std::nearbyint(weight * static_cast<double>(entry)));
    };
    scratch.resize(static_cast<std::size_t>(column.n_codes) * segment.n_classes);
    for (std::size_t i = 0; i < scratch.size(); ++i)
        scratch[i] = weighted(change.after, column.table[i]) - weighted(change.before, column.table[i]);
    return scratch.data();
}

// Rows of one class, as the scan wants them.
struct Engine::Block {
    std::vector<float> beliefs, weights;
    std::size_t stride = 0;
    double mass = 0.0,
           base = 0.0;  // weight of its rows; for the log loss: sum of log-beliefs in the true class
};

struct Engine::State {
    std::vector<std::int64_t> evidence;  // (n_classes, n_rows)
    std::vector<Block> blocks;           // losses: one a class
    RatioCache added;                    // losses: ratios of every column that could be added
    PackedCodes packed;                  // losses: columns of few codes
    std::vector<std::int64_t> log_odds;  // pairs of two classes
    std::vector<std::int32_t> coarse;    // the same in 32 bits
    int coarse_bits = 0;
    std::int64_t lowest = 0, highest = 0;
    Patterns patterns;
    bool few_patterns = false;
};

struct Engine::Scratch {
    std::vector<std::int64_t> chunk, losses, keys, weights;
    std::vector<double> doubles;
    std::vector<std::vector<std::int64_t>> tables;
    std::vector<std::int64_t> shift;
    std::vector<float> ratios;
    RankScratch rank;

    explicit Scratch(int n_classes)
        : chunk(n_classes * kChunk), losses(kChunk), doubles((n_classes + 2) * kChunk) {}
};

Engine::Engine(std::vector<Segment> segments, Measure measure, Loss loss, int n_threads)
    : segments_(std::move(segments)), measure_(measure), loss_(loss), n_threads_(std::max(1, n_threads)) {
    for (const Segment& segment : segments_) {
        auto state = std::make_shared<State>();
        if (measure_ == Measure::losses) {
            state->blocks.resize(segment.n_classes);
            for (int y = 0; y < segment.n_classes; ++y) {
                Block& block = state->blocks[y];
                const std::size_t begin = segment.class_begin[y], n = segment.class_begin[y + 1] - begin;
                block.stride = (n + kPadding - 1) / kPadding * kPadding;
                block.beliefs.assign(block.stride * segment.n_classes, 0.0f);
                std::fill_n(block.beliefs.begin(), block.stride, 1.0f);
                if (!segment.weights.empty()) block.weights.assign(block.stride, 0.0f);
                for (std::size_t i = 0; i < n && !segment.weights.empty(); ++i)
                    block.weights[i] = static_cast<float>(segment.weights[begin + i]);
                block.mass = static_cast<double>(segment.mass[y]);
            }
            state->added.build(segment);
            if (uses_avx2()) state->packed.build(segment);
        }
        states_.push_back(std::move(state));
    }
    reset();
    refresh();
}

std::size_t Engine::n_measures() const {
    const int n_classes = segments_[0].n_classes;
    return measure_ == Measure::pairs && n_classes == 2 ? 1 : static_cast<std::size_t>(n_classes);
}

std::size_t Engine::state_size() const {
    std::size_t size = 0;
    for (const Segment& segment : segments_) size += segment.n_classes * segment.n_rows;
    return size;
}

bool Engine::can_estimate() const { return measure_ == Measure::losses || segments_[0].n_classes == 2; }

void Engine::reset() {
    empty_ = true;
    for (std::size_t s = 0; s < segments_.size(); ++s) {
        const Segment& segment = segments_[s];
        states_[s]->evidence.resize(segment.n_classes * segment.n_rows);
        for (int c = 0; c < segment.n_classes; ++c)
            std::fill_n(states_[s]->evidence.begin() + c * segment.n_rows, segment.n_rows, segment.start[c]);
    }
}

void Engine::apply(const std::vector<Change>& changes) {
    empty_ = empty_ && changes.empty();
    std::vector<std::int64_t> scratch;
    for (std::size_t s = 0; s < segments_.size(); ++s)
        for (const Change& change : changes) {
            const std::int64_t* table = change_table(segments_[s], change, scratch);
            add_column(segments_[s].columns[change.column], table, segments_[s].n_classes, 0,
                       segments_[s].n_rows, states_[s]->evidence.data(), segments_[s].n_rows);
        }
}

void Engine::refresh() {
    for (std::size_t s = 0; s < segments_.size(); ++s) {
        const Segment& segment = segments_[s];
        State& state = *states_[s];
        const std::int64_t* evidence = state.evidence.data();
        if (measure_ == Measure::losses) {
            for (int y = 0; y < segment.n_classes; ++y) {
                Block& block = state.blocks[y];
                const std::size_t begin = segment.class_begin[y], n = segment.class_begin[y + 1] - begin;
                for (std::size_t i = 0; i < n; i += kChunk)
                    kernels().beliefs(loss_, evidence + begin + i, segment.n_rows, segment.n_classes, y,
                                      std::min(kChunk, n - i), block.beliefs.data() + i, block.stride);
                if (loss_ == Loss::log_loss) block.base = true_class_evidence(segment, evidence, y);
            }
        } else if (segment.n_classes == 2) {
            state.log_odds.resize(segment.n_rows);
            for (std::size_t i = 0; i < segment.n_rows; ++i)
                state.log_odds[i] = evidence[segment.n_rows + i] - evidence[i];
            if (segment.n_rows == 0) continue;
            const auto range = std::minmax_element(state.log_odds.begin(), state.log_odds.end());
            state.lowest = *range.first;
            state.highest = *range.second;
            state.coarse_bits = cut_log_odds(state.log_odds.data(), segment.n_rows, state.lowest,
                                             state.highest, state.coarse);
            state.few_patterns =
                find_patterns(state.log_odds.data(), segment.n_rows, kFewPatterns, state.patterns);
        }
    }
}

void Engine::measure(Wide* out) const {
    Scratch scratch(segments_[0].n_classes);
    for (std::size_t s = 0; s < segments_.size(); ++s) {
        Wide* place = out + s * n_measures();
        if (measure_ == Measure::losses) {
            measure_losses(s, {}, place, scratch);
        } else {
            measure_pairs(s, {}, place, scratch);
        }
    }
}

void Engine::measure(const Moves& moves, Wide* out, const Poll& poll) const {
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
                    Wide* place = out + i * per_move + s * n_measures();
                    if (measure_ == Measure::losses) {
                        measure_losses(s, changes, place, scratch);
                    } else {
                        measure_pairs(s, changes, place, scratch);
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
            kernels().losses(loss_, scratch.chunk.data(), kChunk, segment.n_classes, y, n,
                             scratch.doubles.data(), scratch.losses.data());
            add_losses(scratch.losses.data(), scratch.keys.data() + v, n, out[y]);
        }
    }
}

void Engine::measure_losses(std::size_t s, const std::vector<Change>& changes, Wide* out,
                            Scratch& scratch) const {
    const Segment& segment = segments_[s];
    if (empty_ && changes.size() == 1) {
        measure_first(s, changes[0], out, scratch);
        return;
    }
    const std::vector<const std::int64_t*> tables = change_tables(segment, changes, scratch.tables);
    for (int y = 0; y < segment.n_classes; ++y) {
        const std::size_t end = segment.class_begin[y + 1];
        for (std::size_t i = segment.class_begin[y]; i < end; i += kChunk) {
            const std::size_t n = std::min(kChunk, end - i);
            changed_evidence(segment, states_[s]->evidence.data(), changes, tables, i, n,
                             scratch.chunk.data());
            kernels().losses(loss_, scratch.chunk.data(), kChunk, segment.n_classes, y, n,
                             scratch.doubles.data(), scratch.losses.data());
            add_losses(scratch.losses.data(), segment.weights.empty() ? nullptr : segment.weights.data() + i,
                       n, out[y]);
        }
    }
}

void Engine::measure_pairs(std::size_t s, const std::vector<Change>& changes, Wide* out,
                           Scratch& scratch) const {
    const Segment& segment = segments_[s];
    const std::vector<const std::int64_t*> tables = change_tables(segment, changes, scratch.tables);
    if (segment.n_classes == 2) {
        changed_log_odds(segment, states_[s]->log_odds, changes, tables, scratch.keys);
        for (std::int64_t& key : scratch.keys) key = rank_key(key);
        out[0] = statistic_of_keys(scratch.keys, segment.class_begin[1],
                                   segment.weights.empty() ? nullptr : segment.weights.data(), scratch.rank);
        return;
    }
    for (int c = 0; c < segment.n_classes; ++c) {
        // The rows of class c last: the positives.
        const std::size_t begin = segment.class_begin[c], end = segment.class_begin[c + 1],
                          n = segment.n_rows;
        scratch.keys.resize(n);
        scratch.weights.resize(segment.weights.empty() ? 0 : n);
        for (std::size_t i = 0; i < n; i += kChunk) {
            const std::size_t m = std::min(kChunk, n - i);
            changed_evidence(segment, states_[s]->evidence.data(), changes, tables, i, m,
                             scratch.chunk.data());
            rank_keys(scratch.chunk.data(), segment.n_classes, c, m, scratch.losses.data());
            for (std::size_t k = 0; k < m; ++k) {
                const std::size_t row = i + k;
                const std::size_t place = row < begin ? row : row < end ? n - end + row : row - (end - begin);
                scratch.keys[place] = scratch.losses[k];
                if (!segment.weights.empty()) scratch.weights[place] = segment.weights[row];
            }
        }
        out[c] = statistic_of_keys(scratch.keys, n - (end - begin),
                                   segment.weights.empty() ? nullptr : scratch.weights.data(), scratch.rank);
    }
}

void Engine::estimate(const Moves& moves, int effort, Estimate* out, const Poll& poll) const {
    const std::size_t block = measure_ == Measure::losses ? 16 : 1;
    run_blocks(
        moves.n, block, n_threads_,
        [&](std::size_t begin, std::size_t end, int) {
            Scratch scratch(segments_[0].n_classes);
            if (measure_ == Measure::losses) {
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
        const ScanBound bound = scan_bound(loss_, segment.n_classes);
        for (int y = 0; y < segment.n_classes; ++y) {
            const Block& block = state.blocks[y];
            const std::size_t first = segment.class_begin[y], rows = segment.class_begin[y + 1] - first;
            if (rows == 0) continue;
            // Tables first: they share one buffer, whose place is fixed only when it has its full size.
            scratch.ratios.resize(ratio_room(segment, moves.columns + moves.starts[begin], n));
            float* room = scratch.ratios.data();
            for (std::size_t j = 0; j < n; ++j) {
                const Change change = moves.change(moves.starts[begin + j]);
                bool is_extreme = false;
                columns[j] = scan_column(segment, state.added, change, y, room, scratch.shift, is_extreme);
                state.packed.find(change.column, y, columns[j]);
                if (is_extreme) extreme[j] = 1;
                sums[j] = {};
            }
            const ScanBlock scan{block.beliefs.data(), block.stride,
                                 block.weights.empty() ? nullptr : block.weights.data(), rows,
                                 segment.n_classes};
            for (std::size_t i = 0; i < rows; i += kTile)
                kernels().scan(loss_, scan, i, std::min(rows, i + kTile), columns.data(), n, sums.data());
            for (std::size_t j = 0; j < n; ++j) {
                const Interval interval = loss_interval(loss_, sums[j], bound, block.mass, block.base);
                // Measures are in multiples of 2^-40, and so are slopes.
                const double slope = segment.slopes[y] * kFixedOne;
                out[begin + j].value += slope * interval.middle;
                out[begin + j].bound += std::fabs(slope) * interval.radius;
            }
        }
    }
    // Heavy weights times large ratios, or squares of sums over many classes, can exceed float32.
    for (std::size_t j = 0; j < n; ++j)
        if (extreme[j] || !std::isfinite(out[begin + j].value) || !std::isfinite(out[begin + j].bound))
            out[begin + j] = {0.0, std::numeric_limits<double>::infinity()};
}

void Engine::estimate_pairs(const Moves& moves, std::size_t i, int effort, Estimate& out,
                            Scratch& scratch) const {
    out = {0.0, 0.0};
    const Change change = moves.change(moves.starts[i]);
    for (std::size_t s = 0; s < segments_.size(); ++s) {
        const Segment& segment = segments_[s];
        const State& state = *states_[s];
        if (segment.n_rows == 0) continue;
        scratch.tables.resize(1);
        const std::int64_t* table = change_table(segment, change, scratch.tables[0]);
        const CodeColumn& column = segment.columns[change.column];
        scratch.shift.resize(column.n_used);
        for (std::int32_t v = 0; v < column.n_used; ++v) scratch.shift[v] = table[2 * v + 1] - table[2 * v];
        const auto range = std::minmax_element(scratch.shift.begin(), scratch.shift.end());
        const RankColumn ranked{column.narrow, column.wide,  scratch.shift.data(),
                                column.n_used, *range.first, *range.second};
        const RankedRows rows{state.log_odds.data(),
                              segment.class_begin[1],
                              segment.n_rows,
                              segment.weights.empty() ? nullptr : segment.weights.data(),
                              state.lowest,
                              state.highest,
                              effort == 0 ? state.coarse.data() : nullptr,
                              state.coarse_bits};
        double low, high;
        if (state.few_patterns && state.patterns.values.size() * column.n_used <= kFewCells) {
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

std::vector<std::int64_t> Engine::snapshot() const {
    std::vector<std::int64_t> all;
    for (const auto& state : states_) all.insert(all.end(), state->evidence.begin(), state->evidence.end());
    return all;
}

void Engine::restore(const std::vector<std::int64_t>& all) {
    empty_ = false;
    auto from = all.begin();
    for (const auto& state : states_) {
        std::copy_n(from, state->evidence.size(), state->evidence.begin());
        from += static_cast<std::ptrdiff_t>(state->evidence.size());
    }
}

}  // namespace bayesieve
