// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/additive/cyclic_fit.hpp"

#include <algorithm>
#include <cmath>

#include "bayesieve/kernels/kernels.hpp"
#include "bayesieve/lanes.hpp"

namespace bayesieve {
namespace {

constexpr double kVarianceUnit = 0x1p-30;
constexpr int kNewtonSteps = 3;  // of the intercepts, per cycle

double& lane(double& x, std::size_t) { return x; }
double& lane(Lanes& x, std::size_t l) { return x.v[l]; }

// `Real` is double, or Lanes for several scores at a time.
template <typename Real>
class LanePosterior final : public ColumnPosterior {
  public:
    LanePosterior(ShapePriors priors, std::size_t n_scores)
        : with_variances_(priors.with_variances), n_scores_(n_scores), mixture_(std::move(priors)) {
        totals.resize(n_scores), factors.resize(n_scores);
    }

    void fit(const ShapeBasis& basis, const std::int64_t* sums, const double* table, double unit,
             const double* prior) override {
        const std::size_t n = basis.n_bins;
        means.resize(n_scores_ * n), curvatures.resize(n_scores_ * n);
        variances.resize(with_variances_ ? n_scores_ * n : 0);
        for (std::size_t first = 0; first < n_scores_; first += kWidth) {
            const std::size_t n_own = std::min(kWidth, n_scores_ - first);
            Real total = likelihood(n, first, sums, table, unit);
            Real factor = mixture_.fit(basis, R_.data(), H_.data(), prior);
            const std::size_t n_components = mixture_.weights.size();
            weights.resize(n_scores_ * n_components);
            for (std::size_t l = 0; l < n_own; ++l) {
                const std::size_t q = first + l;
                totals[q] = lane(total, l), factors[q] = lane(factor, l);
                for (std::size_t v = 0; v < n; ++v) {
                    means[q * n + v] = lane(mixture_.mean[v], l);
                    curvatures[q * n + v] = lane(H_[v], l);
                }
                for (std::size_t v = 0; with_variances_ && v < n; ++v)
                    variances[q * n + v] = lane(mixture_.variance[v], l);
                for (std::size_t m = 0; m < n_components; ++m)
                    weights[q * n_components + m] = lane(mixture_.weights[m], l);
            }
        }
    }

  private:
    static constexpr std::size_t kWidth = sizeof(Real) / sizeof(double);

    // The quadratic log-likelihoods of some scores, their constants taken out; returns the sums of H. Lanes
    // beyond the last score have a slope of 0.
    Real likelihood(std::size_t n, std::size_t first, const std::int64_t* sums, const double* table,
                    double unit) {
        const std::size_t n_own = std::min(kWidth, n_scores_ - first);
        R_.resize(n), H_.resize(n);
        Real slope = 0.0, total = 0.0;
        for (std::size_t v = 0; v < n; ++v) {
            R_[v] = 0.0, H_[v] = 1.0;
            for (std::size_t l = 0; l < n_own; ++l) {
                const std::size_t entry = v * n_scores_ + first + l;
                const double h = static_cast<double>(sums[2 * entry + 1]) * unit;
                lane(H_[v], l) = h;
                lane(R_[v], l) = static_cast<double>(sums[2 * entry]) * unit + h * table[entry];
            }
            slope += R_[v];
            total += H_[v];
        }
        for (std::size_t l = 0; l < n_own; ++l)  // the curvature of rows that are all sure is rounded to 0
            if (lane(total, l) == 0.0) lane(total, l) = unit;
        for (std::size_t v = 0; v < n; ++v) R_[v] = R_[v] - H_[v] * slope / total;
        return total;
    }

    bool with_variances_;
    std::size_t n_scores_;
    PriorMixture<Real> mixture_;
    std::vector<Real> R_, H_;
};

std::unique_ptr<ColumnPosterior> posterior_of(const CyclicProblem& problem) {
    ShapePriors priors = problem.priors;
    if (problem.n_scores == 1) return std::make_unique<LanePosterior<double>>(std::move(priors), 1);
    priors.with_variances = false;
    return std::make_unique<LanePosterior<Lanes>>(std::move(priors), problem.n_scores);
}

}  // namespace

CyclicFit::CyclicFit(CyclicProblem problem, const double* intercepts, const double* tables)
    : rows_(problem.rows),
      loss_(*problem.loss),
      n_scores_(problem.n_scores),
      lead_(problem.lead),
      begin_(problem.begin),
      end_(problem.end),
      fit_rows_(loss_.fit_rows(rows_, n_scores_, problem.moderated)),
      posterior_(posterior_of(problem)),
      intercepts_(n_scores_),
      tables_(rows_.n_bins() * n_scores_),
      variances_(problem.moderated ? tables_.size() : 0),
      has_table_(rows_.n_columns) {
    const std::vector<double> none(variances_.size());
    go_to(intercepts, tables, none.data());
}

void CyclicFit::go_to(const double* intercepts, const double* tables, const double* variances) {
    for (std::size_t q = 0; q < n_scores_; ++q) intercepts_[q] = to_fixed(intercepts[q]);
    std::copy_n(tables, tables_.size(), tables_.begin());
    std::copy_n(variances, variances_.size(), variances_.begin());
    const auto is_not_zero = [](double x) { return x != 0.0; };
    for (std::size_t k = 0; k < rows_.n_columns; ++k) {
        const auto holds_any = [&](const std::vector<double>& entries) {
            const double* own = entries.data() + rows_.first(k) * n_scores_;
            return std::any_of(own, own + rows_.n_bins(k) * n_scores_, is_not_zero);
        };
        has_table_[k] = holds_any(tables_) || (!variances_.empty() && holds_any(variances_));
    }
    offset_.clear();
    rows_are_set_ = false, changed_ = FitRows::kNone;
}

void CyclicFit::shift(const double* change) {
    offset_.resize(rows_.n_rows * n_scores_, 0.0);
    for (std::size_t i = 0; i < offset_.size(); ++i) offset_[i] += change[i];
    rows_are_set_ = false, changed_ = FitRows::kNone;
}

namespace {

// sums (n, n_scores) += the entries of the bins of n rows
template <typename Code>
void add_table(const Code* codes, std::size_t n, const double* table, std::size_t n_scores, double* sums) {
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t q = 0; q < n_scores; ++q) sums[i * n_scores + q] += table[codes[i] * n_scores + q];
}

void add_table(const LaneCodes& codes, std::size_t n, const double* table, std::size_t n_scores,
               double* sums) {
    if (codes.narrow != nullptr)
        add_table(codes.narrow, n, table, n_scores, sums);
    else
        add_table(codes.wide, n, table, n_scores, sums);
}

}  // namespace

void CyclicFit::scores(std::size_t begin, std::size_t end, double* out) const {
    for (std::size_t first = begin; first < end; first += kChunk) {
        const std::size_t n = std::min(kChunk, end - first);
        double* rows = out + (first - begin) * n_scores_;
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t q = 0; q < n_scores_; ++q)
                rows[i * n_scores_ + q] =
                    intercepts_[q] + (offset_.empty() ? 0.0 : offset_[(first + i) * n_scores_ + q]);
        for (std::size_t k = 0; k < rows_.n_columns; ++k)
            if (has_table_[k] != 0)
                add_table(codes_of(rows_, k, first), n, tables_.data() + rows_.first(k) * n_scores_,
                          n_scores_, rows);
    }
}

template <typename Visit>
void CyclicFit::visit_training(Visit visit) const {
    const std::pair<std::size_t, std::size_t> ranges[2] = {{0, begin_}, {end_, rows_.n_rows}};
    for (const auto& [first, last] : ranges)
        for (std::size_t i = first; i < last; i += kChunk) visit(i, std::min(kChunk, last - i));
}

void CyclicFit::set_rows() {
    std::vector<double> z(kChunk * n_scores_), spread(variances_.empty() ? 0 : kChunk);
    visit_training([&](std::size_t begin, std::size_t n) {
        scores(begin, begin + n, z.data());
        std::fill(spread.begin(), spread.end(), 0.0);
        for (std::size_t k = 0; k < rows_.n_columns && !variances_.empty(); ++k)
            if (has_table_[k] != 0)
                add_table(codes_of(rows_, k, begin), n, variances_.data() + rows_.first(k), 1, spread.data());
        fit_rows_->set(begin, n, z.data(), spread.empty() ? nullptr : spread.data());
    });
    rows_are_set_ = true;
}

// Makes the change that waits, and adds derivatives up per bin of a column on the way, while rows are at
// hand; of n_columns over all rows, of kNone not at all.
const std::int64_t* CyclicFit::pass(std::size_t summed) {
    if (!rows_are_set_) set_rows();
    if (summed != FitRows::kNone) fit_rows_->begin_sums(summed);
    visit_training([&](std::size_t begin, std::size_t n) { fit_rows_->visit(begin, n, changed_, summed); });
    changed_ = FitRows::kNone;
    return summed == FitRows::kNone ? nullptr : fit_rows_->end_sums(summed);
}

// Of n entries from `first` on.
void CyclicFit::correct_sums(std::size_t first, std::size_t n, const std::int64_t* own) {
    sums_.resize(2 * n);
    for (std::size_t i = 0; i < n; ++i) {
        sums_[2 * i] = correction_.slope(first + i, own[2 * i]);
        sums_[2 * i + 1] = correction_.curvature(first + i, own[2 * i + 1]);
    }
}

// Missing values have the mean score of the others, which so get their first derivative by their shares.
void CyclicFit::share_neutral_sums(std::size_t k) {
    const double* shares = rows_.neutral + rows_.first(k);
    for (std::size_t q = 0; q < n_scores_; ++q) {
        const auto slope = static_cast<double>(sums_[2 * q]);
        for (std::size_t v = 1; v < rows_.n_bins(k); ++v)
            sums_[2 * (v * n_scores_ + q)] += static_cast<std::int64_t>(std::rint(shares[v] * slope));
        sums_[2 * q] = sums_[2 * q + 1] = 0;
    }
}

// Returns the prior weights of the components.
const double* CyclicFit::fit_column(std::size_t k, const double* numeric, const double* nominal) {
    const std::size_t first = rows_.first(k) * n_scores_;
    correct_sums(first, rows_.n_bins(k) * n_scores_, pass(k));
    if (rows_.is_neutral(k)) share_neutral_sums(k);
    const double* prior = rows_.nominal[k] != 0 ? nominal : numeric;
    posterior_->fit(basis_of(rows_, k), sums_.data(), tables_.data() + first, rows_.unit, prior);
    return prior;
}

void CyclicFit::evidence(const std::int64_t* columns, std::size_t n, const double* numeric,
                         const double* nominal, double* out) {
    if (!rows_are_set_) set_rows();
    fit_rows_->hold(begin_, end_);
    for (std::size_t i = 0; i < n; ++i) {
        fit_column(static_cast<std::size_t>(columns[i]), numeric, nominal);
        out[i] = loss_.evidence(posterior_->factors.data(), n_scores_);
    }
    fit_rows_->release();
}

double CyclicFit::cycle(const std::int64_t* columns, std::size_t n, const double* numeric,
                        const double* nominal, double* numeric_sums, double* nominal_sums) {
    double moved = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        const auto k = static_cast<std::size_t>(columns[i]);
        fit_column(k, numeric, nominal);
        double* sums = rows_.nominal[k] != 0 ? nominal_sums : numeric_sums;
        const std::size_t n_components = posterior_->weights.size() / n_scores_;
        for (std::size_t w = 0; w < posterior_->weights.size(); ++w)
            sums[w % n_components] += posterior_->weights[w];
        moved += move(k);
    }
    move_intercepts();
    return moved;
}

// Makes the score of missing values the mean of the others over all rows: it adds what the average row has.
void CyclicFit::make_neutral(std::size_t k) {
    const std::size_t n = rows_.n_bins(k);
    const double* shares = rows_.neutral + rows_.first(k);
    for (std::size_t q = 0; q < n_scores_; ++q) {
        double *mean = posterior_->means.data() + q * n, sum = 0.0;
        for (std::size_t v = 1; v < n; ++v) sum += shares[v] * mean[v];
        mean[0] = sum;
    }
    if (!variances_.empty()) posterior_->variances[0] = 0.0;
}

// Goes to the posterior means; the change of the rows waits for the next pass.
double CyclicFit::move(std::size_t k) {
    const std::size_t n = rows_.n_bins(k), first = rows_.first(k) * n_scores_;
    if (rows_.is_neutral(k)) make_neutral(k);
    changes_.resize(n * n_scores_);
    const double moved =
        loss_.move({n, n_scores_, rows_.monotone[k], rows_.missing[k], static_cast<std::size_t>(lead_[k]),
                    posterior_->means.data(), posterior_->curvatures.data(), posterior_->totals.data(),
                    fit_rows_->mass(k), tables_.data() + first, intercepts_.data(), changes_.data()});
    double* spread = variances_.empty() ? nullptr : posterior_->variances.data();
    for (std::size_t v = 0; v < n && spread != nullptr; ++v) {
        const double after = std::rint(spread[v] / kVarianceUnit) * kVarianceUnit;
        double& kept = variances_[first + v];
        spread[v] = after - kept;
        kept = after;
    }
    fit_rows_->set_change(n, changes_.data(), spread);
    has_table_[k] = 1, changed_ = k;
    return moved;
}

// Newton steps from sums of all rows, not moderated: their mean prediction becomes the mean of the target.
void CyclicFit::move_intercepts() {
    std::vector<double> totals(2 * n_scores_);
    changes_.resize(n_scores_);
    for (int step = 0; step < kNewtonSteps; ++step) {
        correct_sums(tables_.size(), n_scores_, pass(rows_.n_columns));
        std::copy(sums_.begin(), sums_.end(), totals.begin());
        loss_.move_intercepts(n_scores_, totals.data(), intercepts_.data(), changes_.data());
        fit_rows_->set_change(1, changes_.data(), nullptr);
        changed_ = rows_.n_columns;
    }
    pass(FitRows::kNone);
}

void CyclicFit::sums(std::int64_t* out) {
    if (!rows_are_set_) set_rows();
    fit_rows_->hold(begin_, end_);
    for (std::size_t k = 0; k <= rows_.n_columns; ++k) {
        const std::size_t n = 2 * (k < rows_.n_columns ? rows_.n_bins(k) : 1) * n_scores_;
        out = std::copy_n(pass(k), n, out);
    }
    fit_rows_->release();
}

}  // namespace bayesieve
