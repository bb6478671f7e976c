// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/gradients/weight_gradients.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "bayesieve/elementary.hpp"
#include "bayesieve/kernels/kernels.hpp"
#include "bayesieve/pool.hpp"
#include "channel_values.hpp"
#include "engine/evidence.hpp"
#include "gradients_by_code.hpp"

namespace bayesieve {
namespace {

constexpr double kLargestSum = 0x1p51;  // all together, so that sums are exact

}  // namespace

WeightGradients::WeightGradients(std::vector<Segment> segments, double unit, int n_threads, double total)
    : segments_(std::move(segments)), scale_(kFixedOne), n_threads_(n_threads) {
    double own = 0.0;
    std::size_t n_rows = 0;
    for (const Segment& segment : segments_) {
        n_rows += segment.n_rows;
        for (const CodeColumn& column : segment.columns) has_sparse_ = has_sparse_ || column.is_sparse();
        for (const std::int64_t mass : segment.mass) own = own + static_cast<double>(mass) * unit;
    }
    while (scale_ * (total < 0.0 ? own : total) > kLargestSum) scale_ /= 2.0;
    row_threads_ = n_rows >= 4 * kTileRows ? n_threads : 1;
    for (const Segment& segment : segments_) {
        evidence_.emplace_back(n_channels() * segment.n_rows);
        gradients_.emplace_back(2 * n_channels() * segment.n_rows);
        row_scale_.emplace_back(segment.weights.empty() ? kChunk : segment.n_rows, unit * scale_);
        for (std::size_t i = 0; i < segment.weights.size(); ++i)
            row_scale_.back()[i] = static_cast<double>(segment.weights[i]) * unit * scale_;
    }
    totals_.assign(segments_.size(), std::vector<std::int64_t>(2 * n_channels(), 0));
    start_ = segments_[0].start;
    weights_.assign(n_columns(), 0.0);
}

void WeightGradients::sum_totals() {
    if (totals_known_) return;
    totals_known_ = true;
    const std::size_t width = 2 * n_channels();
    for (std::size_t s = 0; s < segments_.size(); ++s) {
        totals_[s].assign(width, 0);
        const std::int64_t* gradients = gradients_[s].data();
        std::int64_t* totals = totals_[s].data();
        const std::size_t size = segments_[s].n_rows * width;
        std::size_t k = 0;
        if (width == 2) {
            std::int64_t lanes[8] = {};  // four rows side by side, so that the loop vectorizes
            for (; k + 8 <= size; k += 8)
                for (std::size_t lane = 0; lane < 8; ++lane) lanes[lane] += gradients[k + lane];
            for (std::size_t lane = 0; lane < 8; ++lane) totals[lane % 2] += lanes[lane];
        }
        for (; k < size; k += width)
            for (std::size_t c = 0; c < width; ++c) totals[c] += gradients[k + c];
    }
}

void WeightGradients::totals(std::int64_t* out) {
    sum_totals();
    for (const std::vector<std::int64_t>& total : totals_)
        for (std::size_t k = 0; k < total.size(); ++k) out[k] += total[k];
}

void WeightGradients::add_histogram(std::size_t s, const CodeColumn& column, std::int64_t* sums,
                                    int n_threads, const Poll& poll) const {
    const std::size_t width = 2 * n_channels();
    if (column.is_sparse()) {
        add_entry_gradients(column.entries, gradients_[s].data(), totals_[s].data(), width, sums);
        return;
    }
    std::mutex joining;
    const auto add = [&](std::size_t begin, std::size_t end, int) {
        CodeSums own(column, width, end - begin);
        own.add(gradients_[s].data(), begin, end);
        const std::lock_guard<std::mutex> lock(joining);
        own.add_to(sums);
    };
    if (n_threads == 1) {
        add(0, segments_[s].n_rows, 0);
    } else {
        run_blocks(segments_[s].n_rows, kTileRows, n_threads, add, poll);
    }
}

// With z the table entry of a code in a channel, and R, H the sums of gradients and hessians of its rows:
//     slope = sum z R,   curvature = f sum z^2 H,
// less f (sum z H)^2 / sum H of each channel when centered. f = 1 is exact for two classes; for more, f = 2
// bounds the true curvature sum over pairs of classes of p_i p_j (z_i - z_j)^2.
WeightGradients::Slope WeightGradients::slope_of(std::int32_t column, std::vector<std::int64_t>& sums,
                                                 int n_threads, const Poll& poll) const {
    const std::size_t width = 2 * n_channels();
    std::vector<double> value(n_classes()), mean(n_channels(), 0.0), mass(n_channels(), 0.0);
    double slope = 0.0, curvature = 0.0;
    for (std::size_t s = 0; s < segments_.size(); ++s) {
        const CodeColumn& codes = segments_[s].columns[column];
        sums.assign(width * static_cast<std::size_t>(codes.n_codes), 0);
        add_histogram(s, codes, sums.data(), n_threads, poll);
        const std::int64_t* sum = sums.data();
        for (std::size_t v = 0; v < static_cast<std::size_t>(codes.n_codes); ++v) {
            channel_values(codes.table + v * n_classes(), n_classes(), value.data());
            for (std::size_t c = 0; c < n_channels(); ++c) {
                const double z = value[c], residual = static_cast<double>(sum[v * width + 2 * c]);
                const double weight = static_cast<double>(sum[v * width + 2 * c + 1]);
                slope = slope + z * residual;
                curvature = curvature + z * z * weight;
                mean[c] = mean[c] + z * weight;
                mass[c] = mass[c] + weight;
            }
        }
    }
    const double factor = n_classes() == 2 ? 1.0 : 2.0;
    double taken = 0.0;
    for (std::size_t c = 0; c < n_channels(); ++c)
        if (mass[c] > 0.0) taken = taken + mean[c] * mean[c] / mass[c];
    return {slope / scale_, factor * curvature / scale_ + kFlattest,
            std::max(factor * (curvature - taken) / scale_, 0.0) + kFlattest};
}

void WeightGradients::slopes(const std::int32_t* columns, std::size_t n, Slope* out, const Poll& poll) {
    if (has_sparse_) sum_totals();
    // Threads take columns, or, of few columns, rows.
    const bool few = n < 2 * static_cast<std::size_t>(row_threads_);
    run_blocks(
        n, 1, few ? 1 : n_threads_,
        [&](std::size_t begin, std::size_t end, int) {
            std::vector<std::int64_t> sums;
            for (std::size_t k = begin; k < end; ++k)
                out[k] = slope_of(columns[k], sums, few ? row_threads_ : 1, [] {});
        },
        poll);
}

std::size_t WeightGradients::sums_size(const std::int32_t* columns, std::size_t n) const {
    std::size_t n_codes = 0;
    for (const Segment& segment : segments_)
        for (std::size_t k = 0; k < n; ++k)
            n_codes += static_cast<std::size_t>(segment.columns[columns[k]].n_codes);
    return n_codes * 2 * n_channels();
}

void WeightGradients::sums(const std::int32_t* columns, std::size_t n, std::int64_t* out, const Poll& poll) {
    if (has_sparse_) sum_totals();
    std::vector<std::size_t> begins(n, 0);
    for (std::size_t k = 1; k < n; ++k) begins[k] = begins[k - 1] + sums_size(columns + k - 1, 1);
    run_blocks(
        n, 1, n_threads_,
        [&](std::size_t begin, std::size_t end, int) {
            for (std::size_t k = begin; k < end; ++k) {
                std::int64_t* place = out + begins[k];
                for (std::size_t s = 0; s < segments_.size(); ++s) {
                    const CodeColumn& column = segments_[s].columns[columns[k]];
                    add_histogram(s, column, place, 1, [] {});
                    place += 2 * n_channels() * static_cast<std::size_t>(column.n_codes);
                }
            }
        },
        poll);
}

void WeightGradients::losses(Wide* out) const {
    std::vector<std::int64_t> losses(kChunk);
    std::vector<double> scratch((n_classes() + 2) * kChunk);
    std::vector<std::int64_t> evidence(n_classes() * kChunk, 0);  // of two classes, the first has none
    for (std::size_t s = 0; s < segments_.size(); ++s) {
        const Segment& segment = segments_[s];
        for (int y = 0; y < segment.n_classes; ++y) {
            const std::size_t end = segment.class_begin[y + 1];
            for (std::size_t i = segment.class_begin[y]; i < end; i += kChunk) {
                const std::size_t n = std::min(kChunk, end - i);
                for (std::size_t c = 0; c < n_channels(); ++c)
                    std::copy_n(evidence_[s].data() + c * segment.n_rows + i, n,
                                evidence.data() + (n_classes() == 2 ? 1 : c) * kChunk);
                kernels().losses(Loss::log_loss, 0.0, evidence.data(), kChunk, segment.n_classes, y, n,
                                 scratch.data(), losses.data());
                add_losses(losses.data(), segment.weights.empty() ? nullptr : segment.weights.data() + i, n,
                           out[s * n_classes() + y]);
            }
        }
    }
}

}  // namespace bayesieve
