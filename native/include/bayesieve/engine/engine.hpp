// SPDX-License-Identifier: BSD-3-Clause
// Beliefs about all rows of all segments, and what every move would make of them.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "bayesieve/engine/row_model.hpp"
#include "bayesieve/engine/segment.hpp"
#include "bayesieve/kernels/kernels.hpp"
#include "bayesieve/ranks/ranking.hpp"
#include "bayesieve/wide.hpp"

namespace bayesieve {

// A batch of moves: move i makes the changes starts[i] .. starts[i + 1] - 1.
struct Moves {
    const std::int32_t* columns;
    const double* before;
    const double* after;
    const std::int64_t* starts;
    std::size_t n;

    Change change(std::int64_t k) const { return {columns[k], before[k], after[k]}; }
    std::vector<Change> changes(std::size_t i) const {
        std::vector<Change> own;
        for (std::int64_t k = starts[i]; k < starts[i + 1]; ++k) own.push_back(change(k));
        return own;
    }
};

// The score of a move lies within `bound` of `value`.
struct Estimate {
    double value, bound;
};

// What a criterion measures: one loss per row, pairs of rows, or rows recalibrated in the order of their
// keys.
enum class Measure { losses, pairs, refinement };

class Engine {
  public:
    using Poll = std::function<void()>;

    // `argument` is the number that the loss takes, if it takes one.
    Engine(std::vector<Segment> segments, Measure measure, Loss loss, double argument, int n_threads,
           const MakeRows& make_rows = make_additive_rows);

    std::size_t n_segments() const { return segments_.size(); }
    std::size_t n_columns() const { return segments_[0].columns.size(); }
    std::size_t state_size() const;
    // Losses have one measure per class; the others one per class too, or one for two classes.
    std::size_t n_measures() const;
    // Whether `estimate` is available: pairs of more than two classes, refinement, the smoothed log loss, and
    // losses that a row model has no scan for are measured exactly at once.
    bool can_estimate() const;
    bool has_ranks() const { return measure_ != Measure::losses; }
    // Whether histograms bound the criterion: pairs, where a column adds the same evidence to any state.
    bool has_histograms() const;

    void reset();
    void apply(const std::vector<Change>& changes);
    // Must be called before estimates of an effort; does nothing if beliefs are as they were.
    void refresh(int effort);
    // May be called before exact measures of moves, which are faster then.
    void refresh_leads() {
        if (has_leads_) refresh(0);
    }

    // Exact measures of the present state: OUT (n_segments, n_measures).
    void measure(Wide* out) const;
    // Exact measures after each move: OUT (n, n_segments, n_measures).
    void measure(const Moves& moves, Wide* out, const Poll& poll) const;
    // Scores after each move of one column, with bounds; more effort (0 or 1) gives narrower ones.
    void estimate(const Moves& moves, int effort, Estimate* out, const Poll& poll) const;

    // Of a criterion of ranks, after each move: OUT (n, n_segments, n_measures).
    void tabulate(const Moves& moves, RankTable* out, const Poll& poll) const;
    // The next two, like estimates, need a refresh (effort 0). Smallest and largest key of the present state,
    // and the number of different log-odds, or of rows if there are many: OUT (n_segments, n_measures, 3); of
    // no rows the first is larger than the second.
    void key_ranges(std::int64_t* out) const;
    // After each move of one column, the weight of the rest and of a class in buckets of its keys; buckets:
    // IN (n, n_segments, n_measures, 2), the lowest key and the bits of a bucket; OUT (n, n_segments,
    // n_measures, 2, n_buckets + 1), zeros; the last is what may belong into the bucket after its own. False
    // if a key does not fall into a bucket.
    bool histograms(const Moves& moves, const std::int64_t* buckets, std::size_t n_buckets, std::int64_t* out,
                    const Poll& poll) const;

    std::vector<std::int64_t> snapshot() const;
    // Does nothing and returns false if the token is not of such an engine.
    bool restore(const std::vector<std::int64_t>& token);

  private:
    struct ClassRows;
    struct State;
    struct Scratch;
    struct Ranked {
        std::size_t n_negative;
        const std::int64_t* weights;  // nullptr if all are 1
    };
    // One of n equal shares of the work on a move in a segment; what they measure adds up.
    struct Share {
        std::size_t index, n;

        std::size_t begin(std::size_t total) const { return total * index / n; }
        std::size_t end(std::size_t total) const { return total * (index + 1) / n; }
    };

    void measure_first(std::size_t s, const Change& change, Wide* out, Scratch& scratch) const;
    void measure_errors(std::size_t s, const Change& change, Wide* out, Scratch& scratch) const;
    void measure_share(std::size_t s, const std::vector<Change>& changes, Share share, Wide* out,
                       Scratch& scratch) const;
    void measure_losses(std::size_t s, const std::vector<Change>& changes, Share share, Wide* out,
                        Scratch& scratch) const;
    void measure_ranks(std::size_t s, const std::vector<Change>& changes, Share share, Wide* out,
                       Scratch& scratch) const;
    Ranked rank_rows(std::size_t s, int c, const std::vector<Change>& changes, const ChangeTables& tables,
                     Scratch& scratch) const;
    RankedRows ranked_rows(std::size_t s) const;
    bool count_two_classes(std::size_t s, const Change& change, const std::int64_t* buckets,
                           std::size_t n_buckets, std::int64_t* out, Scratch& scratch) const;
    bool count_classes(std::size_t s, const std::vector<Change>& changes, const std::int64_t* buckets,
                       std::size_t n_buckets, std::int64_t* out, Scratch& scratch) const;
    RankColumn rank_column(std::size_t s, const Change& change, Scratch& scratch) const;
    Wide rank_measure(std::size_t s, const Ranked& rows, Share share, Scratch& scratch) const;
    void settle();
    void refresh_beliefs(std::size_t s, bool fine);
    void refresh_ranking(std::size_t s);
    bool has_fine_scan() const;
    void refine_losses(const Moves& moves, std::size_t i, Estimate& out, Scratch& scratch) const;
    void estimate_losses(const Moves& moves, std::size_t begin, std::size_t end, Estimate* out,
                         Scratch& scratch) const;
    void estimate_errors(const Moves& moves, std::size_t begin, std::size_t end, Estimate* out,
                         Scratch& scratch) const;
    void add_intervals(std::size_t s, int y, const std::vector<ScanSum>& sums, Estimate* out) const;
    void estimate_pairs(const Moves& moves, std::size_t i, int effort, Estimate& out, Scratch& scratch) const;

    std::vector<Segment> segments_;
    Measure measure_;
    Loss loss_, scanned_;  // what is measured exactly, and whose kernel estimates it
    double argument_;
    int n_threads_;
    bool has_leads_ = false;  // errors are scanned by leads
    bool empty_ = true;       // every weight is 0
    bool fresh_[2] = {};      // what estimates of an effort need is that of the present state
    std::vector<std::shared_ptr<State>> states_;
};

}  // namespace bayesieve
