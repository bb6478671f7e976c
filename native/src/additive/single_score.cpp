// SPDX-License-Identifier: BSD-3-Clause
// What all losses with one score per row have in common.
#include <algorithm>
#include <cmath>
#include <vector>

#include "add_pair.hpp"
#include "bayesieve/additive/losses.hpp"
#include "bayesieve/kernels/kernels.hpp"
#include "clip.hpp"

namespace bayesieve {
namespace {

constexpr std::size_t kCopies = 4;    // of sums per bin: rows of one bin need not wait for each other
constexpr std::size_t kFewBins = 64;  // more have one copy

template <typename Code>
void add_entries(const Code* codes, std::size_t n, const double* table, double* scores) {
    for (std::size_t i = 0; i < n; ++i) scores[i] += table[codes[i]];
}

// Entries of two tables in one pass over the codes.
template <typename Code>
void add_entries(const Code* codes, std::size_t n, const double* table, double* scores, const double* spread,
                 double* variances) {
    for (std::size_t i = 0; i < n; ++i) {
        const auto code = static_cast<std::size_t>(codes[i]);
        scores[i] += table[code];
        variances[i] += spread[code];
    }
}

// Scores of rows, which are changed by adding entries.
class ScoreRows final : public FitRows {
  public:
    ScoreRows(const AdditiveRows& rows, const ScoreLoss& loss, bool moderated)
        : rows_(rows), loss_(loss), scores_(rows.n_rows), variances_(moderated ? rows.n_rows : 0) {}

    void set(std::size_t begin, std::size_t n, double* scores, const double* variances) override {
        std::copy_n(scores, n, scores_.data() + begin);
        if (variances != nullptr) std::copy_n(variances, n, variances_.data() + begin);
    }

    void set_change(std::size_t n_bins, const double* scores, const double* variances) override {
        change_.assign(scores, scores + n_bins);
        if (variances != nullptr) spread_.assign(variances, variances + n_bins);
    }

    void hold(std::size_t begin, std::size_t end) override {
        held_.resize(2 * rows_.n_rows);
        for (std::size_t i = 0; i < begin; i += kChunk)
            compute(i, std::min(kChunk, begin - i), true, held_.data() + 2 * i);
        for (std::size_t i = end; i < rows_.n_rows; i += kChunk)
            compute(i, std::min(kChunk, rows_.n_rows - i), true, held_.data() + 2 * i);
    }
    void release() override { std::vector<std::int64_t>().swap(held_); }

    void begin_sums(std::size_t summed) override {
        const std::size_t n = summed == rows_.n_columns ? 1 : rows_.n_bins(summed);
        n_copies_ = n <= kFewBins ? kCopies : 1;
        sums_.assign(2 * n * n_copies_, 0);
    }

    void visit(std::size_t begin, std::size_t n, std::size_t changed, std::size_t summed) override {
        if (changed != kNone) change(changed, begin, n);
        if (summed == kNone) return;
        const bool is_column = summed < rows_.n_columns;
        std::int64_t own[2 * kChunk];
        const std::int64_t* derivatives = own;
        if (!held_.empty() && is_column)
            derivatives = held_.data() + 2 * begin;
        else
            compute(begin, n, is_column, own);  // over all rows, scores are not moderated
        if (!is_column) {
            for (std::size_t i = 0; i < n; ++i) add_pair(derivatives + 2 * i, sums_.data());
            return;
        }
        const LaneCodes codes = codes_of(rows_, summed, begin);
        if (codes.narrow != nullptr)
            add(codes.narrow, n, derivatives);
        else
            add(codes.wide, n, derivatives);
    }

    const std::int64_t* end_sums(std::size_t) override {
        const std::size_t n = sums_.size() / n_copies_;
        for (std::size_t first = n; first < sums_.size(); first += n)
            for (std::size_t v = 0; v < n; ++v) sums_[v] += sums_[first + v];
        return sums_.data();
    }

    const double* mass(std::size_t) override { return nullptr; }

  private:
    void compute(std::size_t begin, std::size_t n, bool moderated, std::int64_t* out) const {
        const double* variances = moderated && !variances_.empty() ? variances_.data() + begin : nullptr;
        loss_.gradients(scores_.data() + begin, variances, rows_.target + begin, rows_.scale + begin, n, out);
    }

    void change(std::size_t k, std::size_t begin, std::size_t n) {
        double* scores = scores_.data() + begin;
        if (k == rows_.n_columns) {
            const double shift = change_[0];
            for (std::size_t i = 0; i < n; ++i) scores[i] += shift;
            return;
        }
        const auto add_all = [&](const auto* codes) {
            if (variances_.empty())
                add_entries(codes, n, change_.data(), scores);
            else
                add_entries(codes, n, change_.data(), scores, spread_.data(), variances_.data() + begin);
        };
        const LaneCodes codes = codes_of(rows_, k, begin);
        if (codes.narrow != nullptr)
            add_all(codes.narrow);
        else
            add_all(codes.wide);
    }

    template <typename Code>
    void add(const Code* codes, std::size_t n, const std::int64_t* derivatives) {
        const std::size_t gap = n_copies_ > 1 ? sums_.size() / n_copies_ : 0;
        std::int64_t* sums = sums_.data();
        const auto add_row = [&](std::size_t i, std::int64_t* own) {
            add_pair(derivatives + 2 * i, own + 2 * static_cast<std::size_t>(codes[i]));
        };
        std::size_t i = 0;
        for (; i + kCopies <= n; i += kCopies)
            for (std::size_t c = 0; c < kCopies; ++c) add_row(i + c, sums + c * gap);
        for (; i < n; ++i) add_row(i, sums);
    }

    const AdditiveRows& rows_;
    const ScoreLoss& loss_;
    std::vector<double> scores_, variances_, change_, spread_;
    std::vector<std::int64_t> sums_, held_;  // (n_copies, n_bins, 2); (n_rows, 2) where derivatives are held
    std::size_t n_copies_ = 1;
};

// Weighted derivatives and losses of some rows, multiplied by scores of members.
class ScoreBatch final : public StackBatch {
  public:
    ScoreBatch(const StackRows& rows, const ScoreLoss& loss) : rows_(rows), loss_(loss) {
        std::fill_n(ones_, kChunk, 1.0);
    }

    std::size_t most_rows() const override { return kChunk; }

    void set(const double* a, const double* b, std::size_t begin, std::size_t n) override {
        begin_ = begin, n_ = n;
        double z[kChunk];
        std::fill_n(z, n, b[0]);
        for (std::size_t j = 0; j < rows_.n_members; ++j) kernels().add_scaled(scores(j), a[j], n, z);
        loss_.slopes(z, rows_.target + begin, n, slope_, curvature_, losses_);
        // Dividing by a power of two and multiplying by its inverse are the same.
        const double scale = 1.0 / rows_.unit, *weights = rows_.weights + begin;
        for (std::size_t i = 0; i < n; ++i) {
            slope_[i] = weights[i] * slope_[i] * scale;
            curvature_[i] = weights[i] * curvature_[i] * scale;
            losses_[i] = weights[i] * losses_[i] * scale;
        }
    }

    std::int64_t loss() override { return sum(losses_, ones_); }
    std::int64_t size() override {
        std::int64_t total = 0;
        for (std::size_t i = 0; i < n_; ++i) total += static_cast<std::int64_t>(losses_[i] * 0x1p-20);
        return total;
    }
    std::int64_t intercept_slope(std::size_t) override { return sum(slope_, ones_); }
    std::int64_t intercept_curvature(std::size_t) override { return sum(curvature_, ones_); }

    void set_member(std::size_t j) override {
        member_ = scores(j);
        for (std::size_t i = 0; i < n_; ++i) weighted_[i] = curvature_[i] * member_[i];
    }
    std::int64_t slope() override { return sum(slope_, member_); }
    std::int64_t curvature(std::size_t other) override { return sum(weighted_, scores(other)); }
    std::int64_t cross(std::size_t) override { return sum(weighted_, ones_); }

  private:
    const double* scores(std::size_t j) const { return rows_.scores + j * rows_.n_rows + begin_; }
    std::int64_t sum(const double* x, const double* y) const {
        return static_cast<std::int64_t>(kernels().rounded_products(x, y, n_));
    }

    const StackRows& rows_;
    const ScoreLoss& loss_;
    std::size_t begin_ = 0, n_ = 0;
    const double* member_ = nullptr;
    double slope_[kChunk], curvature_[kChunk], losses_[kChunk], weighted_[kChunk], ones_[kChunk];
};

}  // namespace

std::unique_ptr<FitRows> ScoreLoss::fit_rows(const AdditiveRows& rows, std::size_t, bool moderated) const {
    return std::make_unique<ScoreRows>(rows, *this, moderated);
}

std::unique_ptr<StackBatch> ScoreLoss::stack_batch(const StackRows& rows) const {
    return std::make_unique<ScoreBatch>(rows, *this);
}

// Centered: the weighted mean of the scores of the rows is 0.
double ScoreLoss::move(const TableStep& step) const {
    const std::size_t n = step.n_bins;
    const double* H = step.curvatures;
    const double most = most_steps().score;
    double *mean = step.means, level = 0.0, moved = 0.0;
    if (step.monotone != 0) make_monotone(mean, H, step.first, n, step.monotone);
    for (std::size_t v = 0; v < n; ++v) level += H[v] * mean[v];
    for (std::size_t v = 0; v < n; ++v) {
        double& entry = step.table[v];
        const double after = to_fixed(entry + clip(mean[v] - level / step.totals[0] - entry, most));
        const double change = after - entry;
        step.changes[v] = change;
        entry = after;
        moved += H[v] * change * change;
    }
    return moved;
}

void ScoreLoss::move_intercepts(std::size_t, const double* sums, double* intercepts, double* changes) const {
    changes[0] = to_fixed(clip(sums[0] / std::max(sums[1], 1.0), most_steps().intercept));
    intercepts[0] += changes[0];
}

double ScoreLoss::evidence(const double* factors, std::size_t) const { return factors[0]; }

}  // namespace bayesieve
