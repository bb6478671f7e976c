// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/additive/stacked_sums.hpp"

#include <algorithm>
#include <cmath>

#include "add_pair.hpp"
#include "bayesieve/elementary.hpp"
#include "bayesieve/kernels/kernels.hpp"

namespace bayesieve {
namespace {

constexpr std::size_t kFits =
    kSideBySide / 2;                // at a time: a score and a variance of each, or two derivatives
constexpr double kMostLoss = 64.0;  // of a row

// Some rows, and what is known of each.
struct Chunk {
    std::size_t begin, n;
    double offset[kChunk], total[kChunk];
};

// At most four fits, whose tables are side by side.
class FitGroup {
  public:
    FitGroup(const AdditiveRows& rows, const ScoreLoss& loss, const StackedFit* fits, std::size_t n_fits)
        : rows_(rows), loss_(loss), fits_(fits), n_fits_(n_fits) {
        const auto n_bins = static_cast<std::size_t>(rows.offsets[rows.n_columns]);
        tables_.assign(n_bins * kSideBySide, 0.0), sums_.assign(n_bins * kSideBySide, 0);
        for (std::size_t m = 0; m < n_fits; ++m)
            for (std::size_t v = 0; v < n_bins; ++v) {
                tables_[v * kSideBySide + m] = fits[m].tables[v];
                if (fits[m].variances != nullptr) tables_[v * kSideBySide + kFits + m] = fits[m].variances[v];
            }
    }

    void add(Chunk& chunk) {
        const std::size_t begin = chunk.begin, n = chunk.n;
        double rows[kChunk * kSideBySide] = {};
        for (std::size_t k = 0; k < rows_.n_columns; ++k)
            kernels().add_lanes(codes_of(rows_, k, begin), n, tables_.data() + first(k), rows);
        std::int64_t derivatives[kChunk * kSideBySide] = {};
        for (std::size_t m = 0; m < n_fits_; ++m) add_fit(m, rows, chunk, derivatives);
        for (std::size_t k = 0; k < rows_.n_columns; ++k)
            kernels().sum_lanes(codes_of(rows_, k, begin), n, derivatives, sums_.data() + first(k));
    }

    // Moves the sums of a fit to where they belong.
    std::int64_t* put(std::size_t m, std::int64_t* out) const {
        for (std::size_t v = 0; v < sums_.size() / kSideBySide; ++v, out += 2)
            out[0] = sums_[v * kSideBySide + 2 * m], out[1] = sums_[v * kSideBySide + 2 * m + 1];
        out[0] = totals_[2 * m], out[1] = totals_[2 * m + 1];
        return out + 2;
    }

  private:
    std::size_t first(std::size_t k) const {
        return static_cast<std::size_t>(rows_.offsets[k]) * kSideBySide;
    }

    void add_fit(std::size_t m, const double* rows, Chunk& chunk, std::int64_t* derivatives) {
        const StackedFit& fit = fits_[m];
        const double *target = rows_.target + chunk.begin, *scale = rows_.scale + chunk.begin;
        double scores[kChunk], variances[kChunk];
        std::int64_t own[2 * kChunk];
        for (std::size_t i = 0; i < chunk.n; ++i) {
            const double added = rows[i * kSideBySide + m];
            scores[i] = fit.intercept + chunk.offset[i] + added;
            variances[i] = rows[i * kSideBySide + kFits + m];
            chunk.total[i] = chunk.total[i] + fit.weight * added;
        }
        const auto compute = [&](const double* spread) {
            loss_.gradients(scores, spread, target, scale, chunk.n, own);
        };
        compute(fit.variances != nullptr ? variances : nullptr);
        for (std::size_t i = 0; i < chunk.n; ++i)
            std::copy_n(own + 2 * i, 2, derivatives + i * kSideBySide + 2 * m);
        if (fit.variances != nullptr) compute(nullptr);
        for (std::size_t i = 0; i < chunk.n; ++i) add_pair(own + 2 * i, totals_ + 2 * m);
    }

    const AdditiveRows& rows_;
    const ScoreLoss& loss_;
    const StackedFit* fits_;
    std::size_t n_fits_;
    std::vector<double> tables_;
    std::vector<std::int64_t> sums_;
    std::int64_t totals_[kSideBySide] = {};
};

// Adds the derivatives of the weighted sum per cell and over all rows; returns the log loss.
std::int64_t add_joint(const AdditiveRows& rows, const ScoreLoss& loss, const StackedModel& model,
                       const Chunk& chunk, std::int64_t* sums) {
    double scores[kChunk], losses[kChunk];
    std::int64_t derivatives[2 * kChunk], total = 0;
    const double *target = rows.target + chunk.begin, *scale = rows.scale + chunk.begin;
    for (std::size_t i = 0; i < chunk.n; ++i) scores[i] = model.intercept + chunk.total[i];
    loss.gradients(scores, nullptr, target, scale, chunk.n, derivatives);
    for (const StackedCells& pair : model.pairs) {
        const std::uint16_t* cells = pair.cells + chunk.begin;
        for (std::size_t i = 0; i < chunk.n; ++i) add_pair(derivatives + 2 * i, sums + 2 * cells[i]);
        sums += 2 * pair.n_cells;
    }
    for (std::size_t i = 0; i < chunk.n; ++i) add_pair(derivatives + 2 * i, sums);
    loss.row_losses(scores, target, chunk.n, 1, losses);
    for (std::size_t i = 0; i < chunk.n; ++i)
        total +=
            nearest_integer((losses[i] < kMostLoss ? losses[i] : kMostLoss) * (scale[i] * (1.0 / kMostLoss)));
    return total;
}

}  // namespace

std::int64_t stacked_sums(const AdditiveRows& rows, const ScoreLoss& loss, const StackedModel& model,
                          std::int64_t* sums, double* scores) {
    std::vector<FitGroup> groups;
    const std::size_t n_fits = model.fits.size();
    for (std::size_t m = 0; m < n_fits; m += kFits)
        groups.emplace_back(rows, loss, model.fits.data() + m, std::min(kFits, n_fits - m));
    std::int64_t* joint = sums + 2 * n_fits * (static_cast<std::size_t>(rows.offsets[rows.n_columns]) + 1);
    std::int64_t total = 0;
    Chunk chunk;
    for (chunk.begin = 0; chunk.begin < rows.n_rows; chunk.begin += kChunk) {
        chunk.n = std::min(kChunk, rows.n_rows - chunk.begin);
        std::fill_n(chunk.offset, chunk.n, 0.0);
        for (const StackedCells& pair : model.pairs)
            for (std::size_t i = 0; i < chunk.n; ++i)
                chunk.offset[i] += pair.table[pair.cells[chunk.begin + i]];
        std::copy_n(chunk.offset, chunk.n, chunk.total);
        for (FitGroup& group : groups) group.add(chunk);
        for (std::size_t i = 0; i < chunk.n; ++i)
            chunk.total[i] = std::rint(chunk.total[i] * kFixedOne) * (1.0 / kFixedOne);
        std::copy_n(chunk.total, chunk.n, scores + chunk.begin);
        total += add_joint(rows, loss, model, chunk, joint);
    }
    for (std::size_t m = 0; m < n_fits; ++m) sums = groups[m / kFits].put(m % kFits, sums);
    return total;
}

}  // namespace bayesieve
