// SPDX-License-Identifier: BSD-3-Clause
// Tables of all columns, learned together by cyclic Newton steps: each score of a row = intercept + sum over
// columns of an entry per bin. NumPy twin: src/bayesieve/additive/fit.py.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "bayesieve/additive/losses.hpp"
#include "bayesieve/additive/priors.hpp"
#include "bayesieve/additive/rows.hpp"

namespace bayesieve {

struct CyclicProblem {
    AdditiveRows rows;
    const AdditiveLoss* loss;
    std::size_t n_scores;      // of a row
    const std::int64_t* lead;  // IN (n_columns): where several scores are monotone, the one that leads
    ShapePriors priors;
    std::size_t begin, end;  // rows begin .. end - 1 are held out: they have scores, and nothing is learned
    bool moderated;          // whether derivatives are those of expected predictions, given variances
};

// Evidence and posterior means of one column's tables, one per score; the scores are independent of each
// other.
class ColumnPosterior {
  public:
    virtual ~ColumnPosterior() = default;

    // sums (n_bins, n_scores, 2) of derivatives at the entries of `table` (n_bins, n_scores).
    virtual void fit(const ShapeBasis& basis, const std::int64_t* sums, const double* table, double unit,
                     const double* prior) = 0;

    std::vector<double> means, variances, curvatures;  // (n_scores, n_bins)
    std::vector<double> totals, factors;               // (n_scores) sums of curvatures, log Bayes factors
    std::vector<double> weights;                       // (n_scores, n_components)
};

class CyclicFit {
  public:
    // Begins at intercepts (n_scores) and tables (bins of all columns, n_scores), without variances.
    CyclicFit(CyclicProblem problem, const double* intercepts, const double* tables);

    CyclicFit(const CyclicFit&) = delete;
    CyclicFit& operator=(const CyclicFit&) = delete;

    // Log Bayes factor of each column given the present fit of the others; `numeric` and `nominal` are the
    // weights of the components of the priors.
    void evidence(const std::int64_t* columns, std::size_t n, const double* numeric, const double* nominal,
                  double* out);

    // Updates columns in turn and then the intercepts. Adds the posterior weights of the components to the
    // sums, per column and score; returns how far tables moved: sum of H (change)^2.
    double cycle(const std::int64_t* columns, std::size_t n, const double* numeric, const double* nominal,
                 double* numeric_sums, double* nominal_sums);

    // Adds something else, (n_rows, n_scores), to the scores of each row.
    void shift(const double* change);

    // Goes to other intercepts and tables, what else was added to scores taken away; `variances` are those of
    // the entries of moderated tables.
    void go_to(const double* intercepts, const double* tables, const double* variances);

    // OUT (bins of all columns + 1, n_scores, 2): derivatives of the training rows, added up per bin, and
    // last, not moderated, over all of them.
    void sums(std::int64_t* out);

    void correct(SumCorrection correction) { correction_ = std::move(correction); }

    // OUT (end - begin, n_scores): scores of rows, of held-out ones too.
    void scores(std::size_t begin, std::size_t end, double* out) const;

    const std::vector<double>& intercepts() const { return intercepts_; }
    const std::vector<double>& tables() const { return tables_; }
    const std::vector<double>& variances() const { return variances_; }

  private:
    template <typename Visit>
    void visit_training(Visit visit) const;
    void set_rows();
    const std::int64_t* pass(std::size_t summed);
    void correct_sums(std::size_t first, std::size_t n, const std::int64_t* own);
    const double* fit_column(std::size_t k, const double* numeric, const double* nominal);
    void share_neutral_sums(std::size_t k);
    void make_neutral(std::size_t k);
    double move(std::size_t k);
    void move_intercepts();

    AdditiveRows rows_;
    const AdditiveLoss& loss_;
    std::size_t n_scores_;
    const std::int64_t* lead_;
    std::size_t begin_, end_;
    std::unique_ptr<FitRows> fit_rows_;
    std::unique_ptr<ColumnPosterior> posterior_;
    std::vector<double> intercepts_, tables_, variances_, offset_;  // offset (n_rows, n_scores), or empty
    std::vector<std::uint8_t> has_table_;                           // (n_columns) of entries that are not 0
    SumCorrection correction_;
    bool rows_are_set_ = false;
    std::size_t changed_ = FitRows::kNone;  // the column whose change of the rows the next pass makes
    // of the column at hand
    std::vector<std::int64_t> sums_;
    std::vector<double> changes_;
};

}  // namespace bayesieve
