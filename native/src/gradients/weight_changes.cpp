// SPDX-License-Identifier: BSD-3-Clause
// Changes of the start and of weights: evidence and gradients of all rows.
#include <algorithm>
#include <mutex>

#include "bayesieve/gradients/weight_gradients.hpp"
#include "bayesieve/kernels/kernels.hpp"
#include "bayesieve/pool.hpp"
#include "engine/evidence.hpp"
#include "gradients_by_code.hpp"

namespace bayesieve {
namespace {

constexpr std::size_t kRowsAtHand = 1024;  // whose gradients stay in the nearest cache

}  // namespace

void WeightGradients::reset(const std::int64_t* start, const double* weights, const Poll& poll) {
    start_.assign(start, start + n_classes());
    weights_.assign(weights, weights + n_columns());
    std::vector<std::int64_t> scratch, leads;
    look_ahead(kNoColumn);
    for (std::size_t s = 0; s < segments_.size(); ++s) {
        const Segment& segment = segments_[s];
        for (std::size_t c = 0; c < n_channels(); ++c)
            std::fill_n(evidence_[s].begin() + c * segment.n_rows, segment.n_rows,
                        n_classes() == 2 ? start_[1] - start_[0] : start_[c]);
        for (std::size_t j = 0; j < n_columns(); ++j) {
            if (weights_[j] == 0.0) continue;
            const std::int64_t* table =
                channel_table(s, {static_cast<std::int32_t>(j), 0.0, weights_[j]}, scratch, leads);
            add_column(segment.columns[j], table, static_cast<int>(n_channels()), 0, segment.n_rows,
                       evidence_[s].data(), segment.n_rows);
        }
        renew(s, poll, [](std::size_t, std::size_t) {});
    }
}

void WeightGradients::find_gradients(std::size_t s, std::size_t begin, std::size_t end) {
    const Segment& segment = segments_[s];
    std::vector<double> scratch(n_classes() == 2 ? 0 : (n_classes() + 1) * kChunk);
    const bool weighted = !segment.weights.empty();
    for (int y = 0; y < segment.n_classes; ++y) {
        const std::size_t last = std::min(end, segment.class_begin[y + 1]);
        for (std::size_t i = std::max(begin, segment.class_begin[y]); i < last; i += kChunk) {
            const std::size_t n = std::min(kChunk, last - i);
            kernels().gradients(evidence_[s].data() + i, segment.n_rows, segment.n_classes, y, n,
                                row_scale_[s].data() + (weighted ? i : 0), scratch.data(),
                                gradients_[s].data() + i * 2 * n_channels());
        }
    }
}

bool WeightGradients::is_sparse(std::int32_t column) const {
    return std::any_of(segments_.begin(), segments_.end(),
                       [&](const Segment& segment) { return segment.columns[column].is_sparse(); });
}

// The column whose histograms the next change of evidence adds up while its gradients are at hand.
void WeightGradients::look_ahead(std::int32_t next) {
    ahead_column_ = next == kNoColumn || is_sparse(next) ? kNoColumn : next;
    totals_known_ = false;
    ahead_.resize(segments_.size());
    for (std::size_t s = 0; s < segments_.size() && ahead_column_ != kNoColumn; ++s)
        ahead_[s].assign(2 * n_channels() * static_cast<std::size_t>(segments_[s].columns[next].n_codes), 0);
}

// Changes the evidence of n rows by change(begin, n), for all rows, and renews their gradients.
template <typename ChangeRows>
void WeightGradients::renew(std::size_t s, const Poll& poll, const ChangeRows& change) {
    static const CodeColumn none;
    const bool ahead = ahead_column_ != kNoColumn;
    const CodeColumn& next = ahead ? segments_[s].columns[ahead_column_] : none;
    std::mutex joining;
    run_blocks(
        segments_[s].n_rows, kTileRows, row_threads_,
        [&](std::size_t begin, std::size_t end, int) {
            CodeSums own(next, 2 * n_channels(), end - begin);
            for (std::size_t i = begin; i < end; i += kRowsAtHand) {
                const std::size_t stop = std::min(end, i + kRowsAtHand);
                change(i, stop - i);
                find_gradients(s, i, stop);
                if (ahead) own.add(gradients_[s].data(), i, stop);
            }
            if (!ahead) return;
            const std::lock_guard<std::mutex> lock(joining);
            own.add_to(ahead_[s].data());
        },
        poll);
}

void WeightGradients::shift_start(const std::int64_t* change, const Poll& poll, std::int32_t next) {
    for (std::size_t c = 0; c < n_classes(); ++c) start_[c] += change[c];
    look_ahead(next);
    for (std::size_t s = 0; s < segments_.size(); ++s)
        renew(s, poll, [&](std::size_t begin, std::size_t n) {
            for (std::size_t c = 0; c < n_channels(); ++c) {
                const std::int64_t shift = n_classes() == 2 ? change[1] - change[0] : change[c];
                std::int64_t* evidence = evidence_[s].data() + c * segments_[s].n_rows + begin;
                for (std::size_t i = 0; i < n; ++i) evidence[i] += shift;
            }
        });
}

// What a change adds to the evidence of each channel: n_codes x n_channels.
const std::int64_t* WeightGradients::channel_table(std::size_t s, const Change& change,
                                                   std::vector<std::int64_t>& scratch,
                                                   std::vector<std::int64_t>& leads) const {
    const std::int64_t* table = change_table(segments_[s], change, scratch);
    if (n_classes() != 2) return table;
    leads.resize(static_cast<std::size_t>(segments_[s].columns[change.column].n_codes));
    for (std::size_t v = 0; v < leads.size(); ++v) leads[v] = table[2 * v + 1] - table[2 * v];
    return leads.data();
}

void WeightGradients::shift(const Change& change, const Poll& poll, std::int32_t next) {
    weights_[change.column] = change.after;
    look_ahead(next);
    std::vector<std::int64_t> scratch, leads;
    for (std::size_t s = 0; s < segments_.size(); ++s) {
        const Segment& segment = segments_[s];
        const std::int64_t* table = channel_table(s, change, scratch, leads);
        renew(s, poll, [&](std::size_t begin, std::size_t n) {
            add_column(segment.columns[change.column], table, static_cast<int>(n_channels()), begin, n,
                       evidence_[s].data() + begin, segment.n_rows);
        });
    }
}

}  // namespace bayesieve
