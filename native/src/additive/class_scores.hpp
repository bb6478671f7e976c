// SPDX-License-Identifier: BSD-3-Clause
// Log loss of classes, with one score per class: probabilities are the softmax of the scores.
#pragma once
#include "bayesieve/additive/losses.hpp"

namespace bayesieve {

// All scores of a column are learned together, with the curvature p min(1, 2 (1 - p)), which bounds that of
// the softmax.
class Softmax final : public AdditiveLoss {
  public:
    bool has_one_score() const override { return false; }
    std::unique_ptr<FitRows> fit_rows(const AdditiveRows& rows, std::size_t n_scores,
                                      bool moderated) const override;
    double move(const TableStep& step) const override;
    void move_intercepts(std::size_t n_scores, const double* sums, double* intercepts,
                         double* changes) const override;
    double evidence(const double* factors, std::size_t n_scores) const override;
    std::unique_ptr<StackBatch> stack_batch(const StackRows& rows) const override;
    void row_losses(const double* scores, const double* target, std::size_t n, std::size_t n_scores,
                    double* losses) const override;
    void derivatives(const double* target, std::size_t n, std::size_t n_scores, const DerivativeSteps& steps,
                     const RowDerivatives& out) const override;
};

}  // namespace bayesieve
