// SPDX-License-Identifier: BSD-3-Clause
// Changes of the start and of weights: evidence and gradients of all rows.
#include <algorithm>

#include "bayesieve/gradients/weight_gradients.hpp"
#include "bayesieve/kernels/kernels.hpp"
#include "bayesieve/pool.hpp"
#include "engine/evidence.hpp"

namespace bayesieve {
namespace {

constexpr std::size_t kRowsAtHand = 1024;  // whose gradients stay in the nearest cache

}  // namespace

void WeightGradients::reset(const std::int64_t* start, const double* weights, const Poll& poll) {
    start_.assign(start, start + n_classes());
    weights_.assign(n_columns(), 0.0);
    for (std::size_t s = 0; s < segments_.size(); ++s)
        for (std::size_t c = 0; c < n_channels(); ++c)
            std::fill_n(evidence_[s].begin() + c * segments_[s].n_rows, segments_[s].n_rows,
                        n_classes() == 2 ? start_[1] - start_[0] : start_[c]);
    std::vector<Change> changes;
    for (std::size_t j = 0; j < n_columns(); ++j)
        if (weights[j] != 0.0) changes.push_back({static_cast<std::int32_t>(j), 0.0, weights[j]});
    shift(std::vector<std::int64_t>(n_classes(), 0).data(), changes, poll);
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

// Changes the evidence of n rows by change(begin, n), for all rows, and renews their gradients.
template <typename ChangeRows>
void WeightGradients::renew(std::size_t s, const Poll& poll, const ChangeRows& change) {
    run_blocks(
        segments_[s].n_rows, kTileRows, row_threads_,
        [&](std::size_t begin, std::size_t end, int) {
            for (std::size_t i = begin; i < end; i += kRowsAtHand) {
                const std::size_t stop = std::min(end, i + kRowsAtHand);
                change(i, stop - i);
                find_gradients(s, i, stop);
            }
        },
        poll);
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

void WeightGradients::shift(const std::int64_t* start_change, const std::vector<Change>& changes,
                            const Poll& poll) {
    for (std::size_t c = 0; c < n_classes(); ++c) start_[c] += start_change[c];
    for (const Change& change : changes) weights_[change.column] = change.after;
    totals_known_ = false;
    std::vector<std::int64_t> scratch, leads;
    std::vector<std::vector<std::int64_t>> tables(changes.size());
    for (std::size_t s = 0; s < segments_.size(); ++s) {
        const Segment& segment = segments_[s];
        for (std::size_t k = 0; k < changes.size(); ++k) {
            const std::int64_t* table = channel_table(s, changes[k], scratch, leads);
            const auto n_codes = static_cast<std::size_t>(segment.columns[changes[k].column].n_codes);
            tables[k].assign(table, table + n_codes * n_channels());
        }
        renew(s, poll, [&](std::size_t begin, std::size_t n) {
            for (std::size_t c = 0; c < n_channels(); ++c) {
                const std::int64_t shift =
                    n_classes() == 2 ? start_change[1] - start_change[0] : start_change[c];
                std::int64_t* evidence = evidence_[s].data() + c * segment.n_rows + begin;
                for (std::size_t i = 0; i < n; ++i) evidence[i] += shift;
            }
            for (std::size_t k = 0; k < changes.size(); ++k)
                add_column(segment.columns[changes[k].column], tables[k].data(),
                           static_cast<int>(n_channels()), begin, n, evidence_[s].data() + begin,
                           segment.n_rows);
        });
    }
}

}  // namespace bayesieve
