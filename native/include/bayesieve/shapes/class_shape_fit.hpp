// SPDX-License-Identifier: BSD-3-Clause
// Shapes of all columns for three classes and more: the score of a class = intercept + sum over columns of a
// score per bin and class; probabilities are their softmax. All classes of a column are updated together,
// with the curvature p min(1, 2 (1 - p)), which bounds that of the softmax.
// NumPy twin: src/bayesieve/additive/class_reference.py.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "bayesieve/lanes.hpp"
#include "bayesieve/shapes/mixture.hpp"
#include "bayesieve/shapes/shape_rows.hpp"

namespace bayesieve {

class ClassShapeFit {
  public:
    // Rows begin .. end - 1 are held out. `rows.target` has numbers of classes. Where rows.monotone[k] is not
    // 0, the scores of class lead[k] against those of every other class may only rise (1) or fall (-1).
    // `intercepts` (n_classes) and `tables` (bins of all columns, n_classes) are where the fit begins.
    ClassShapeFit(const ShapeRows& rows, const std::int64_t* lead, std::size_t n_classes, ShapePriors priors,
                  std::size_t begin, std::size_t end, const double* intercepts, const double* tables);

    // Sum over classes of the log Bayes factor of each column beside the present fit, its own shape taken
    // out; of classes that have evidence of an effect.
    void evidence(const std::int64_t* columns, std::size_t n, const double* numeric, const double* nominal,
                  double* out);

    // As in ShapeFit; sums of component weights are over columns and classes.
    double cycle(const std::int64_t* columns, std::size_t n, const double* numeric, const double* nominal,
                 double* numeric_sums, double* nominal_sums);

    // Adds something else, (n_rows, n_classes), to the scores of each row.
    void shift(const double* change);

    // OUT (end - begin, n_classes): scores of rows, of held-out ones too.
    void scores(std::size_t begin, std::size_t end, double* out) const;

    // OUT (bins of all columns + 1, n_classes, 2): first and second derivatives of the training rows, summed
    // per bin, and last over all of them.
    void sums(std::int64_t* out);

    void correct(ShapeCorrection correction) { correction_ = std::move(correction); }

    const std::vector<double>& intercepts() const { return intercepts_; }
    const std::vector<double>& tables() const { return tables_; }

  private:
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

    std::size_t n_bins(std::size_t k) const {  // of n_columns: one, of all rows
        if (k == rows_.n_columns) return 1;
        return static_cast<std::size_t>(rows_.offsets[k + 1] - rows_.offsets[k]);
    }
    double* table(std::size_t k) {
        return tables_.data() + static_cast<std::size_t>(rows_.offsets[k]) * n_classes_;
    }
    const std::uint16_t* codes(std::size_t k, std::size_t begin, std::size_t n, std::uint16_t* room) const;
    template <typename Visit>
    void visit_training(Visit visit) const;
    void set_probabilities();
    const std::int64_t* truth(std::size_t k);
    void pass(std::size_t updated, std::size_t summed);
    void likelihood(std::size_t k, std::size_t first);
    Lanes mix(std::size_t k, std::size_t first, const double* numeric, const double* nominal);
    void make_lead_monotone(std::size_t k);
    double move(std::size_t k);
    void improve_intercepts();

    ShapeRows rows_;
    const std::int64_t* lead_;
    std::size_t n_classes_, width_;
    ShapeMixture<Lanes> mixture_;
    std::size_t begin_, end_;
    std::vector<double> intercepts_, tables_, probabilities_;
    std::vector<double> offset_;           // (n_rows, n_classes), or empty
    std::vector<std::uint8_t> has_shape_;  // (n_columns)
    ShapeCorrection correction_;
    std::vector<std::int64_t> truth_;  // (bins of all columns + 1, width), and whether a column's are known
    std::vector<std::uint8_t> has_truth_;
    // of the column at hand
    std::vector<std::int64_t> sums_;               // (n_bins, 2, width)
    std::vector<Lanes> R_, H_;                     // (n_bins) of four classes
    std::vector<double> means_, curvatures_;       // (n_classes, n_bins)
    std::vector<double> totals_, mass_, factors_;  // (width), (n_bins), (n_bins, width)
};

}  // namespace bayesieve
