// SPDX-License-Identifier: BSD-3-Clause
// Shapes of all columns, learned beside each other by cyclic Newton updates: log-odds of a row = intercept +
// sum over columns of a score per bin. Two classes. NumPy twin: src/bayesieve/additive/reference.py.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "bayesieve/shapes/mixture.hpp"
#include "bayesieve/shapes/shape_rows.hpp"

namespace bayesieve {

class ShapeFit {
  public:
    // Rows begin .. end - 1 are held out: they have scores, and no part in what is learned.
    ShapeFit(const ShapeRows& rows, ShapePriors priors, bool moderated, std::size_t begin, std::size_t end,
             double intercept);

    // Log Bayes factor of each column beside the present fit, its own shape taken out; `weights` are those of
    // the mixture's components, of numeric and of nominal columns.
    void evidence(const std::int64_t* columns, std::size_t n, const double* numeric, const double* nominal,
                  double* out);

    // Updates columns in turn and then the intercept. Adds each column's posterior weights of the components
    // to the sums; returns how far the shapes moved: sum of H (change)^2.
    double cycle(const std::int64_t* columns, std::size_t n, const double* numeric, const double* nominal,
                 double* numeric_sums, double* nominal_sums);

    // Adds something else to the log-odds of each row.
    void shift(const double* change);

    // Goes to an intercept and tables from anywhere, what else was added to the log-odds taken away;
    // `variances` are those of the entries of moderated tables.
    void go_to(double intercept, const double* tables, const double* variances);

    // OUT (bins of all columns + 1, 2): first and second derivatives of the training rows, summed per bin,
    // and last, not moderated, over all of them.
    void sums(std::int64_t* out) const;

    void correct(ShapeCorrection correction) { correction_ = std::move(correction); }

    double intercept() const { return intercept_; }
    const std::vector<double>& scores() const { return scores_; }
    const std::vector<double>& tables() const { return tables_; }
    const std::vector<double>& variances() const { return table_variances_; }

  private:
    std::size_t n_bins(std::size_t k) const {
        return static_cast<std::size_t>(rows_.offsets[k + 1] - rows_.offsets[k]);
    }
    // Derivatives of rows are pairs, the first and the negated second one.
    void gradients(std::size_t begin, std::size_t n, bool moderated, std::int64_t* out) const;
    void add_rows(std::size_t k, std::size_t begin, std::size_t n, const std::int64_t* derivatives,
                  std::int64_t* sums, std::size_t gap) const;
    void change_rows(std::size_t begin, std::size_t n);
    void begin_sums(std::size_t k);
    void end_sums(std::size_t k);
    std::size_t gap(std::size_t k) const;
    double likelihood(std::size_t k);
    double move(std::size_t k, double total);
    void improve_intercept();
    template <typename Visit>
    void visit_training(Visit visit) const;
    template <typename Visit>
    void change_and_visit(bool moderated, Visit visit);

    ShapeRows rows_;
    ShapeMixture<double> mixture_;
    bool moderated_;
    std::size_t begin_, end_;
    double intercept_;
    std::vector<double> scores_, variances_, tables_, table_variances_;
    ShapeCorrection correction_;
    // A change of all rows that is yet to be made, within a cycle: by the entries of the column that moved
    // last, which the mixture holds, or by a shift.
    enum class Waiting { nothing, column, shift };
    Waiting waiting_ = Waiting::nothing;
    std::size_t moved_column_ = 0;
    double shift_ = 0.0;
    // of the column at hand
    std::vector<std::int64_t> sums_;
    std::vector<double> R_, H_;
};

}  // namespace bayesieve
