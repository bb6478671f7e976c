// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/shapes/shape_fit.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "add_pair.hpp"
#include "bayesieve/elementary.hpp"
#include "bayesieve/kernels/kernels.hpp"
#include "score_steps.hpp"

namespace bayesieve {
namespace {

constexpr double kVarianceUnit = 0x1p-30;

constexpr std::size_t kCopies = 4;    // of sums per bin: rows of one bin need not wait for each other
constexpr std::size_t kFewBins = 64;  // more have one copy

std::size_t n_copies(std::size_t n_bins) { return n_bins <= kFewBins ? kCopies : 1; }

// The copies of sums are `gap` numbers apart; 0 for one.
template <typename Code>
void add_to_bins(const Code* codes, std::size_t n, const std::int64_t* derivatives, std::int64_t* sums,
                 std::size_t gap) {
    const auto add = [&](std::size_t i, std::int64_t* own) {
        add_pair(derivatives + 2 * i, own + 2 * static_cast<std::size_t>(codes[i]));
    };
    std::size_t i = 0;
    for (; i + kCopies <= n; i += kCopies)
        for (std::size_t c = 0; c < kCopies; ++c) add(i + c, sums + c * gap);
    for (; i < n; ++i) add(i, sums);
}

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

}  // namespace

ShapeFit::ShapeFit(const ShapeRows& rows, ShapePriors priors, bool moderated, std::size_t begin,
                   std::size_t end, double intercept)
    : rows_(rows),
      mixture_(std::move(priors)),
      moderated_(moderated),
      begin_(begin),
      end_(end),
      intercept_(to_fixed(intercept)),
      scores_(rows.n_rows, intercept_),
      variances_(moderated ? rows.n_rows : 0, 0.0),
      tables_(static_cast<std::size_t>(rows.offsets[rows.n_columns]), 0.0),
      table_variances_(moderated ? tables_.size() : 0, 0.0) {}

template <typename Visit>
void ShapeFit::visit_training(Visit visit) const {
    const std::pair<std::size_t, std::size_t> ranges[2] = {{0, begin_}, {end_, rows_.n_rows}};
    for (const auto& [first, last] : ranges)
        for (std::size_t i = first; i < last; i += kChunk) visit(i, std::min(kChunk, last - i));
}

void ShapeFit::gradients(std::size_t begin, std::size_t n, bool moderated, std::int64_t* out) const {
    kernels().score_gradients(scores_.data() + begin, moderated ? variances_.data() + begin : nullptr,
                              rows_.target + begin, rows_.scale + begin, n, out);
}

// Makes the change that waits, in some rows.
void ShapeFit::change_rows(std::size_t begin, std::size_t n) {
    double* scores = scores_.data() + begin;
    const double shift = shift_;
    if (waiting_ == Waiting::shift)
        for (std::size_t i = 0; i < n; ++i) scores[i] += shift;
    if (waiting_ != Waiting::column) return;
    const auto add = [&](const auto* codes) {
        if (moderated_) {
            add_entries(codes + begin, n, mixture_.mean.data(), scores, mixture_.variance.data(),
                        variances_.data() + begin);
        } else {
            add_entries(codes + begin, n, mixture_.mean.data(), scores);
        }
    };
    const auto place = static_cast<std::size_t>(rows_.place[moved_column_]);
    if (place < rows_.n_narrow) {
        add(rows_.narrow + place * rows_.n_rows);
    } else {
        add(rows_.wide + (place - rows_.n_narrow) * rows_.n_rows);
    }
}

// Visits the training rows with their derivatives, some at a time. The change that waits is made on the way,
// while their scores are at hand, and in held-out rows.
template <typename Visit>
void ShapeFit::change_and_visit(bool moderated, Visit visit) {
    std::int64_t derivatives[2 * kChunk];
    visit_training([&](std::size_t begin, std::size_t size) {
        change_rows(begin, size);
        gradients(begin, size, moderated, derivatives);
        visit(begin, size, derivatives);
    });
    change_rows(begin_, end_ - begin_);
    waiting_ = Waiting::nothing;
}

void ShapeFit::begin_sums(std::size_t k) { sums_.assign(2 * n_bins(k) * n_copies(n_bins(k)), 0); }

// Numbers between the copies of a column's sums.
std::size_t ShapeFit::gap(std::size_t k) const { return n_copies(n_bins(k)) > 1 ? 2 * n_bins(k) : 0; }

// The copies of sums as one.
void ShapeFit::end_sums(std::size_t k) {
    const std::size_t n = 2 * n_bins(k);
    for (std::size_t first = n; first < sums_.size(); first += n)
        for (std::size_t v = 0; v < n; ++v) sums_[v] += sums_[first + v];
}

void ShapeFit::add_rows(std::size_t k, std::size_t begin, std::size_t n, const std::int64_t* derivatives,
                        std::int64_t* sums, std::size_t gap) const {
    const auto place = static_cast<std::size_t>(rows_.place[k]);
    if (place < rows_.n_narrow) {
        add_to_bins(rows_.narrow + place * rows_.n_rows + begin, n, derivatives, sums, gap);
    } else {
        add_to_bins(rows_.wide + (place - rows_.n_narrow) * rows_.n_rows + begin, n, derivatives, sums, gap);
    }
}

// The quadratic log-likelihood of a column's scores, its constant taken out; returns the sum of H.
double ShapeFit::likelihood(std::size_t k) {
    const std::size_t n = n_bins(k);
    const auto first = static_cast<std::size_t>(rows_.offsets[k]);
    const double* table = tables_.data() + first;
    R_.resize(n), H_.resize(n);
    double slope = 0.0, total = 0.0;
    for (std::size_t v = 0; v < n; ++v) {
        H_[v] = static_cast<double>(correction_.curvature(first + v, sums_[2 * v + 1])) * rows_.unit;
        R_[v] =
            static_cast<double>(correction_.slope(first + v, sums_[2 * v])) * rows_.unit + H_[v] * table[v];
        slope += R_[v];
        total += H_[v];
    }
    if (total == 0.0) total = rows_.unit;  // the curvature of rows that are all sure is rounded to 0
    for (std::size_t v = 0; v < n; ++v) R_[v] = R_[v] - H_[v] * slope / total;
    return total;
}

// Goes to the posterior mean, centered; returns how far. The change of the rows waits for the next pass.
double ShapeFit::move(std::size_t k, double total) {
    const std::size_t n = n_bins(k);
    std::vector<double>&mean = mixture_.mean, &variance = mixture_.variance;
    double *table = tables_.data() + rows_.offsets[k], level = 0.0, moved = 0.0;
    if (rows_.monotone[k] != 0) make_monotone(mean.data(), H_.data(), rows_.missing[k], n, rows_.monotone[k]);
    for (std::size_t v = 0; v < n; ++v) level += H_[v] * mean[v];
    for (std::size_t v = 0; v < n; ++v) {
        const double after = to_fixed(table[v] + clip(mean[v] - level / total - table[v], kMostChange));
        mean[v] = after - table[v];
        table[v] = after;
        moved += H_[v] * mean[v] * mean[v];
    }
    if (moderated_) {
        double* kept = table_variances_.data() + rows_.offsets[k];
        for (std::size_t v = 0; v < n; ++v) {
            const double after = std::rint(variance[v] / kVarianceUnit) * kVarianceUnit;
            variance[v] = after - kept[v];
            kept[v] = after;
        }
    }
    moved_column_ = k, waiting_ = Waiting::column;
    return moved;
}

void ShapeFit::evidence(const std::int64_t* columns, std::size_t n, const double* numeric,
                        const double* nominal, double* out) {
    std::vector<std::int64_t> derivatives(2 * rows_.n_rows);
    visit_training([&](std::size_t begin, std::size_t size) {
        gradients(begin, size, moderated_, derivatives.data() + 2 * begin);
    });
    for (std::size_t i = 0; i < n; ++i) {
        const auto k = static_cast<std::size_t>(columns[i]);
        begin_sums(k);
        add_rows(k, 0, begin_, derivatives.data(), sums_.data(), gap(k));
        add_rows(k, end_, rows_.n_rows - end_, derivatives.data() + 2 * end_, sums_.data(), gap(k));
        end_sums(k);
        likelihood(k);
        out[i] =
            mixture_.fit(basis_of(rows_, k), R_.data(), H_.data(), rows_.nominal[k] != 0 ? nominal : numeric);
    }
}

double ShapeFit::cycle(const std::int64_t* columns, std::size_t n, const double* numeric,
                       const double* nominal, double* numeric_sums, double* nominal_sums) {
    double moved = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        const auto k = static_cast<std::size_t>(columns[i]);
        begin_sums(k);
        change_and_visit(moderated_,
                         [&](std::size_t begin, std::size_t size, const std::int64_t* derivatives) {
                             add_rows(k, begin, size, derivatives, sums_.data(), gap(k));
                         });
        end_sums(k);
        const double total = likelihood(k);
        const bool is_nominal = rows_.nominal[k] != 0;
        mixture_.fit(basis_of(rows_, k), R_.data(), H_.data(), is_nominal ? nominal : numeric);
        double* sums = is_nominal ? nominal_sums : numeric_sums;
        for (std::size_t m = 0; m < mixture_.weights.size(); ++m) sums[m] += mixture_.weights[m];
        moved += move(k, total);
    }
    improve_intercept();
    return moved;
}

// Newton steps, not moderated: the mean probability of the training rows becomes the share of the class.
void ShapeFit::improve_intercept() {
    constexpr int n_steps = 3;
    for (int step = 0; step < n_steps; ++step) {
        std::int64_t sums[2] = {};
        change_and_visit(false, [&](std::size_t, std::size_t size, const std::int64_t* derivatives) {
            for (std::size_t i = 0; i < size; ++i) add_pair(derivatives + 2 * i, sums);
        });
        const std::int64_t slope = correction_.slope(tables_.size(), sums[0]);
        const std::int64_t curvature = correction_.curvature(tables_.size(), sums[1]);
        shift_ =
            to_fixed(clip(static_cast<double>(slope) / std::max(static_cast<double>(curvature), 1.0), 1.0));
        waiting_ = Waiting::shift;
        intercept_ += shift_;
    }
    change_rows(0, rows_.n_rows);
    waiting_ = Waiting::nothing;
}

void ShapeFit::go_to(double intercept, const double* tables, const double* variances) {
    intercept_ = to_fixed(intercept);
    tables_.assign(tables, tables + tables_.size());
    scores_.assign(rows_.n_rows, intercept_);
    if (moderated_) {
        table_variances_.assign(variances, variances + tables_.size());
        variances_.assign(rows_.n_rows, 0.0);
    }
    const auto add = [&](const auto* codes, std::size_t first, std::size_t begin, std::size_t n) {
        add_entries(codes + begin, n, tables_.data() + first, scores_.data() + begin);
        if (moderated_)
            add_entries(codes + begin, n, table_variances_.data() + first, variances_.data() + begin);
    };
    for (std::size_t begin = 0; begin < rows_.n_rows; begin += kChunk) {
        const std::size_t n = std::min(kChunk, rows_.n_rows - begin);
        for (std::size_t k = 0; k < rows_.n_columns; ++k) {
            const auto place = static_cast<std::size_t>(rows_.place[k]);
            const auto first = static_cast<std::size_t>(rows_.offsets[k]);
            if (place < rows_.n_narrow) {
                add(rows_.narrow + place * rows_.n_rows, first, begin, n);
            } else {
                add(rows_.wide + (place - rows_.n_narrow) * rows_.n_rows, first, begin, n);
            }
        }
    }
}

void ShapeFit::sums(std::int64_t* out) const {
    std::int64_t derivatives[2 * kChunk], *totals = out + 2 * tables_.size();
    visit_training([&](std::size_t begin, std::size_t size) {
        gradients(begin, size, moderated_, derivatives);
        for (std::size_t k = 0; k < rows_.n_columns; ++k)
            add_rows(k, begin, size, derivatives, out + 2 * static_cast<std::size_t>(rows_.offsets[k]), 0);
        if (moderated_) gradients(begin, size, false, derivatives);
        for (std::size_t i = 0; i < size; ++i) add_pair(derivatives + 2 * i, totals);
    });
}

void ShapeFit::shift(const double* change) {
    for (std::size_t i = 0; i < rows_.n_rows; ++i) scores_[i] += change[i];
}

}  // namespace bayesieve
