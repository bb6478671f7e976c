// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/shapes/class_shape_fit.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "bayesieve/elementary.hpp"
#include "bayesieve/kernels/kernels.hpp"
#include "score_steps.hpp"

namespace bayesieve {
namespace {

constexpr int kNewtonSteps = 3;    // of the intercepts, per cycle
constexpr double kNothing = -1e3;  // a logarithm of 0

}  // namespace

ClassShapeFit::ClassShapeFit(const ShapeRows& rows, const std::int64_t* lead, std::size_t n_classes,
                             ShapePriors priors, std::size_t begin, std::size_t end, const double* intercepts,
                             const double* tables)
    : rows_(rows),
      lead_(lead),
      n_classes_(n_classes),
      width_((n_classes + 3) / 4 * 4),
      mixture_(std::move(priors)),
      begin_(begin),
      end_(end),
      intercepts_(intercepts, intercepts + n_classes),
      tables_(tables, tables + static_cast<std::size_t>(rows.offsets[rows.n_columns]) * n_classes),
      probabilities_(rows.n_rows * width_),
      has_shape_(rows.n_columns, 0),
      truth_((static_cast<std::size_t>(rows.offsets[rows.n_columns]) + 1) * width_),
      has_truth_(rows.n_columns + 1, 0) {
    for (double& each : intercepts_) each = to_fixed(each);
    for (std::size_t k = 0; k < rows.n_columns; ++k) {
        const double* own = table(k);
        has_shape_[k] = std::any_of(own, own + n_bins(k) * n_classes, [](double x) { return x != 0.0; });
    }
    set_probabilities();
}

// The codes of rows of a column, all 0 for n_columns; narrow ones are widened in `room`.
const std::uint16_t* ClassShapeFit::codes(std::size_t k, std::size_t begin, std::size_t n,
                                          std::uint16_t* room) const {
    if (k == rows_.n_columns) {
        std::fill_n(room, n, std::uint16_t{0});
        return room;
    }
    const auto place = static_cast<std::size_t>(rows_.place[k]);
    if (place >= rows_.n_narrow) return rows_.wide + (place - rows_.n_narrow) * rows_.n_rows + begin;
    const std::uint8_t* own = rows_.narrow + place * rows_.n_rows + begin;
    std::copy(own, own + n, room);
    return room;
}

template <typename Visit>
void ClassShapeFit::visit_training(Visit visit) const {
    const std::pair<std::size_t, std::size_t> ranges[2] = {{0, begin_}, {end_, rows_.n_rows}};
    for (const auto& [first, last] : ranges)
        for (std::size_t i = first; i < last; i += kChunk) visit(i, std::min(kChunk, last - i));
}

void ClassShapeFit::scores(std::size_t begin, std::size_t end, double* out) const {
    std::uint16_t room[kChunk];
    for (std::size_t first = begin; first < end; first += kChunk) {
        const std::size_t n = std::min(kChunk, end - first);
        double* rows = out + (first - begin) * n_classes_;
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t q = 0; q < n_classes_; ++q)
                rows[i * n_classes_ + q] =
                    intercepts_[q] + (offset_.empty() ? 0.0 : offset_[(first + i) * n_classes_ + q]);
        for (std::size_t k = 0; k < rows_.n_columns; ++k) {
            if (has_shape_[k] == 0) continue;
            const double* own = tables_.data() + static_cast<std::size_t>(rows_.offsets[k]) * n_classes_;
            const std::uint16_t* code = codes(k, first, n, room);
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t q = 0; q < n_classes_; ++q)
                    rows[i * n_classes_ + q] += own[code[i] * n_classes_ + q];
        }
    }
}

void ClassShapeFit::shift(const double* change) {
    offset_.resize(rows_.n_rows * n_classes_, 0.0);
    for (std::size_t i = 0; i < offset_.size(); ++i) offset_[i] += change[i];
    set_probabilities();
}

void ClassShapeFit::set_probabilities() {
    std::vector<double> z(kChunk * n_classes_);
    factors_.assign(width_, 1.0);
    visit_training([&](std::size_t begin, std::size_t n) {
        scores(begin, begin + n, z.data());
        for (std::size_t i = 0; i < n; ++i) {
            double *row = z.data() + i * n_classes_, top = *std::max_element(row, row + n_classes_);
            for (std::size_t q = 0; q < n_classes_; ++q) row[q] = row[q] - top;
        }
        kernels().exponentials(n * n_classes_, z.data());
        for (std::size_t i = 0; i < n; ++i)
            std::copy_n(z.data() + i * n_classes_, n_classes_, probabilities_.data() + (begin + i) * width_);
    });
    pass(rows_.n_columns, kNone);
}

// Weights of the training rows per bin of a column, all in one for n_columns, and class. They never change.
const std::int64_t* ClassShapeFit::truth(std::size_t k) {
    std::int64_t* own = truth_.data() + static_cast<std::size_t>(rows_.offsets[k]) * width_;
    if (has_truth_[k] != 0) return own;
    std::uint16_t room[kChunk];
    visit_training([&](std::size_t begin, std::size_t n) {
        const std::uint16_t* code = codes(k, begin, n, room);
        for (std::size_t i = 0; i < n; ++i) {
            const auto y = static_cast<std::size_t>(static_cast<std::int64_t>(rows_.target[begin + i]));
            own[code[i] * width_ + y] += nearest_integer(rows_.scale[begin + i]);
        }
    });
    has_truth_[k] = 1;
    return own;
}

// Multiplies probabilities by the factors of one column's bins, and adds them up per bin of another, while
// the rows are at hand; each may be kNone.
void ClassShapeFit::pass(std::size_t updated, std::size_t summed) {
    if (updated == kNone && summed == kNone) return;
    std::uint16_t rooms[2][kChunk];
    if (summed != kNone) sums_.assign(2 * n_bins(summed) * width_, 0);
    visit_training([&](std::size_t begin, std::size_t n) {
        const ClassPass pass{updated == kNone ? nullptr : codes(updated, begin, n, rooms[0]), factors_.data(),
                             summed == kNone ? nullptr : codes(summed, begin, n, rooms[1]),
                             rows_.scale + begin, sums_.data()};
        kernels().class_rows(probabilities_.data() + begin * width_, width_, pass, n);
    });
}

void ClassShapeFit::sums(std::int64_t* out) {
    for (std::size_t k = 0; k <= rows_.n_columns; ++k) {  // the last is all rows in one bin
        pass(kNone, k);
        const std::int64_t* of_classes = truth(k);
        for (std::size_t v = 0; v < n_bins(k); ++v)
            for (std::size_t q = 0; q < n_classes_; ++q, out += 2) {
                const std::int64_t* own = sums_.data() + 2 * v * width_ + q;
                out[0] = of_classes[v * width_ + q] - own[0], out[1] = own[width_];
            }
    }
}

// The quadratic log-likelihoods of the scores of four classes, their constants taken out, and the sums of H.
// There may be fewer classes: lanes beyond have a slope of 0.
void ClassShapeFit::likelihood(std::size_t k, std::size_t first) {
    const std::size_t n = n_bins(k), n_own = std::min(kLanes, n_classes_ - first);
    const double* own = table(k);
    R_.resize(n), H_.resize(n);
    const std::int64_t* of_classes = truth(k);
    Lanes slope = 0.0, total = 0.0, score = 0.0;
    for (std::size_t v = 0; v < n; ++v) {
        const std::int64_t *sums = sums_.data() + 2 * v * width_ + first,
                           *own_truth = of_classes + v * width_ + first;
        std::copy_n(own + v * n_classes_ + first, n_own, score.v);
        R_[v] = 0.0, H_[v] = 1.0;
        const std::size_t entry = (static_cast<std::size_t>(rows_.offsets[k]) + v) * n_classes_ + first;
        for (std::size_t l = 0; l < n_own; ++l) {
            const std::int64_t slope_sum = correction_.slope(entry + l, own_truth[l] - sums[l]);
            H_[v].v[l] = static_cast<double>(correction_.curvature(entry + l, sums[width_ + l])) * rows_.unit;
            R_[v].v[l] = static_cast<double>(slope_sum) * rows_.unit + H_[v].v[l] * score.v[l];
        }
        slope += R_[v];
        total += H_[v];
    }
    for (std::size_t v = 0; v < n; ++v) R_[v] = R_[v] - H_[v] * slope / total;
    std::copy_n(total.v, kLanes, totals_.data() + first);
}

// Returns the log Bayes factors of four classes.
Lanes ClassShapeFit::mix(std::size_t k, std::size_t first, const double* numeric, const double* nominal) {
    totals_.resize(width_);
    likelihood(k, first);
    const double* prior = rows_.nominal[k] != 0 ? nominal : numeric;
    return mixture_.fit(basis_of(rows_, k), R_.data(), H_.data(), prior);
}

void ClassShapeFit::evidence(const std::int64_t* columns, std::size_t n, const double* numeric,
                             const double* nominal, double* out) {
    for (std::size_t i = 0; i < n; ++i) {
        const auto k = static_cast<std::size_t>(columns[i]);
        pass(kNone, k);
        out[i] = 0.0;
        for (std::size_t first = 0; first < n_classes_; first += kLanes) {
            const Lanes factors = mix(k, first, numeric, nominal);
            for (std::size_t l = 0; l < std::min(kLanes, n_classes_ - first); ++l)
                out[i] += std::max(factors.v[l], 0.0);
        }
    }
}

double ClassShapeFit::cycle(const std::int64_t* columns, std::size_t n, const double* numeric,
                            const double* nominal, double* numeric_sums, double* nominal_sums) {
    double moved = 0.0;
    if (n > 0) pass(kNone, static_cast<std::size_t>(columns[0]));
    for (std::size_t i = 0; i < n; ++i) {
        const auto k = static_cast<std::size_t>(columns[i]);
        const std::size_t n_own = n_bins(k);
        double* sums = rows_.nominal[k] != 0 ? nominal_sums : numeric_sums;
        means_.resize(n_classes_ * n_own), curvatures_.resize(n_classes_ * n_own);
        for (std::size_t first = 0; first < n_classes_; first += kLanes) {
            mix(k, first, numeric, nominal);
            for (std::size_t l = 0; l < std::min(kLanes, n_classes_ - first); ++l) {
                for (std::size_t m = 0; m < mixture_.weights.size(); ++m) sums[m] += mixture_.weights[m].v[l];
                double *mean = means_.data() + (first + l) * n_own,
                       *curvature = curvatures_.data() + (first + l) * n_own;
                for (std::size_t v = 0; v < n_own; ++v)
                    mean[v] = mixture_.mean[v].v[l], curvature[v] = H_[v].v[l];
            }
        }
        moved += move(k);
        pass(k, i + 1 < n ? static_cast<std::size_t>(columns[i + 1]) : rows_.n_columns);
    }
    if (n == 0) pass(kNone, rows_.n_columns);
    improve_intercepts();
    return moved;
}

// Makes the lead of one class over every other rise, or fall, from bin to bin.
void ClassShapeFit::make_lead_monotone(std::size_t k) {
    const std::size_t n = n_bins(k);
    const auto c = static_cast<std::size_t>(lead_[k]);
    std::vector<double> lead(n);
    for (std::size_t q = 0; q < n_classes_; ++q) {
        if (q == c) continue;
        const double* first = means_.data() + c * n;
        double* other = means_.data() + q * n;
        for (std::size_t v = 0; v < n; ++v) lead[v] = first[v] - other[v];
        make_monotone(lead.data(), curvatures_.data() + q * n, rows_.missing[k], n, rows_.monotone[k]);
        for (std::size_t v = 0; v < n; ++v) other[v] = first[v] - lead[v];
    }
}

// Goes to the posterior means, each class without a change of its level, and then centers the scores over
// classes and over rows, which changes no probability; returns how far. Leaves the factors of probabilities.
double ClassShapeFit::move(std::size_t k) {
    const std::size_t n = n_bins(k);
    double *own = table(k), largest = 0.0, moved = 0.0, mass = 0.0;
    if (rows_.monotone[k] != 0) make_lead_monotone(k);
    for (std::size_t q = 0; q < n_classes_; ++q) {
        double *mean = means_.data() + q * n, level = 0.0;
        const double* H = curvatures_.data() + q * n;
        for (std::size_t v = 0; v < n; ++v) level += H[v] * (mean[v] - own[v * n_classes_ + q]);
        for (std::size_t v = 0; v < n; ++v) {
            mean[v] = mean[v] - own[v * n_classes_ + q] - level / totals_[q];
            largest = std::max(largest, std::abs(mean[v]));
        }
    }
    // A step that is cut bin by bin could break the order of a lead; one that is shorter cannot.
    const double step = rows_.monotone[k] != 0 && largest > kMostChange ? kMostChange / largest : 1.0;
    std::vector<double> before(own, own + n * n_classes_);
    const std::int64_t* of_classes = truth(k);
    factors_.assign(n * width_, kNothing), mass_.assign(n, 0.0);
    for (std::size_t v = 0; v < n; ++v) {
        double center = 0.0;
        for (std::size_t q = 0; q < n_classes_; ++q) {
            double& entry = own[v * n_classes_ + q];
            const double after = to_fixed(entry + clip(means_[q * n + v] * step, kMostChange));
            factors_[v * width_ + q] = after - entry - kMostChange;
            entry = after;
            center += after;
            mass_[v] += static_cast<double>(of_classes[v * width_ + q]) * rows_.unit;
        }
        center = to_fixed(center / static_cast<double>(n_classes_));
        for (std::size_t q = 0; q < n_classes_; ++q) own[v * n_classes_ + q] -= center;
        mass += mass_[v];
    }
    for (std::size_t q = 0; q < n_classes_; ++q) {
        double level = 0.0;
        for (std::size_t v = 0; v < n; ++v) level += mass_[v] * own[v * n_classes_ + q];
        level = to_fixed(level / mass);
        intercepts_[q] += level;
        for (std::size_t v = 0; v < n; ++v) {
            own[v * n_classes_ + q] -= level;
            const double change = own[v * n_classes_ + q] - before[v * n_classes_ + q];
            moved += curvatures_[q * n + v] * change * change;
        }
    }
    kernels().exponentials(n * width_, factors_.data());
    has_shape_[k] = 1;
    return moved;
}

// Newton steps from sums of all rows: the mean probability of each class over the training rows becomes its
// share.
void ClassShapeFit::improve_intercepts() {
    const std::int64_t* of_classes = truth(rows_.n_columns);
    for (int step = 0; step < kNewtonSteps; ++step) {
        factors_.assign(width_, kNothing);
        double center = 0.0;
        for (std::size_t q = 0; q < n_classes_; ++q) {
            const auto slope =
                static_cast<double>(correction_.slope(tables_.size() + q, of_classes[q] - sums_[q]));
            const auto curvature =
                static_cast<double>(correction_.curvature(tables_.size() + q, sums_[width_ + q]));
            const double change = to_fixed(clip(slope / curvature, kMostChange));
            factors_[q] = change - kMostChange;
            intercepts_[q] += change;
            center += intercepts_[q];
        }
        kernels().exponentials(width_, factors_.data());
        center = to_fixed(center / static_cast<double>(n_classes_));
        for (double& each : intercepts_) each -= center;
        pass(rows_.n_columns, step + 1 < kNewtonSteps ? rows_.n_columns : kNone);
    }
}

}  // namespace bayesieve
