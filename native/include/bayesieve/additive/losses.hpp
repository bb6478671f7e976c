// SPDX-License-Identifier: BSD-3-Clause
// Losses of an additive model: what a row's scores cost, and the derivatives from which tables are learned.
// A loss with one score per row is a class in losses.cpp and a line of the table of names there; all else is
// the same for every loss. Python twin: src/bayesieve/additive/loss.py.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "bayesieve/additive/rows.hpp"

namespace bayesieve {

// Multiples of 2^-40 below 2^12 add up without rounding, in any order.
double to_fixed(double x);

// The rows of a cyclic fit, in the form in which their loss computes derivatives. A column is a number; that
// of no column, n_columns, has all rows in one bin; kNone is none.
class FitRows {
  public:
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

    virtual ~FitRows() = default;

    // Scores (n, n_scores) of at most kChunk rows from `begin` on, overwritten, and their variances (n),
    // which are nullptr unless the fit is moderated.
    virtual void set(std::size_t begin, std::size_t n, double* scores, const double* variances) = 0;

    // What the next pass adds to scores (n_bins, n_scores), at most kMostChange in size, and to variances
    // (n_bins).
    virtual void set_change(std::size_t n_bins, const double* scores, const double* variances) = 0;

    // Before and after sums of several columns at the same scores, of training rows up to begin and from end
    // on: derivatives may be kept.
    virtual void hold(std::size_t begin, std::size_t end) = 0;
    virtual void release() = 0;

    // A pass: begin_sums, `visit` for all training rows, at most kChunk at a time, and end_sums, which
    // returns first derivatives and curvatures (n_bins, n_scores, 2), added up per bin. Rows are changed by
    // the bins of one column, and then added up by those of another.
    virtual void begin_sums(std::size_t summed) = 0;
    virtual void visit(std::size_t begin, std::size_t n, std::size_t changed, std::size_t summed) = 0;
    virtual const std::int64_t* end_sums(std::size_t summed) = 0;

    // After a pass: the weight of the training rows in each bin of the column, if its steps need it.
    virtual const double* mass(std::size_t k) = 0;
};

constexpr double kMostChange = 2.0;  // of a score in one step

// The step of a column's table to its posterior mean.
struct TableStep {
    std::size_t n_bins, n_scores;
    int monotone;                // -1, 0 or 1, from bin `first` on
    std::size_t first, lead;     // of several scores, the one that leads all others in this direction
    double* means;               // IN (n_scores, n_bins), overwritten
    const double* curvatures;    // IN (n_scores, n_bins)
    const double* totals;        // IN (n_scores) sums of curvatures
    const double* mass;          // IN (n_bins) see FitRows::mass
    double *table, *intercepts;  // IN, OUT (n_bins, n_scores), (n_scores)
    double* changes;             // OUT (n_bins, n_scores) of the scores of rows
};

// Rows whose scores are weighted sums of the scores of members.
struct StackRows {
    std::size_t n_members, n_rows, n_scores;
    const double* scores;   // IN (n_members, n_rows, n_scores)
    const double* target;   // IN (n_rows)
    const double* weights;  // IN (n_rows)
    double unit;            // a power of two: sums are of multiples of it
};

// Sums over some rows of a stack, in multiples of its unit.
class StackBatch {
  public:
    virtual ~StackBatch() = default;

    virtual std::size_t most_rows() const = 0;

    // Goes to n rows from `begin` on, at scores b_q + sum of a_j O_jq.
    virtual void set(const double* a, const double* b, std::size_t begin, std::size_t n) = 0;
    virtual std::int64_t loss() = 0;
    virtual std::int64_t size() { return 0; }  // of losses, in 2^20 units; 0 if they always fit their sum
    virtual std::int64_t intercept_slope(std::size_t q) = 0;
    virtual std::int64_t intercept_curvature(std::size_t q) = 0;

    // Goes to a member; then its slope, its curvature with those before it and itself, and with intercepts.
    virtual void set_member(std::size_t j) = 0;
    virtual std::int64_t slope() = 0;
    virtual std::int64_t curvature(std::size_t other) = 0;
    virtual std::int64_t cross(std::size_t q) = 0;
};

// Steps of an integer derivative and an integer loss of 1.
struct DerivativeSteps {
    double gradient, loss;
};

constexpr double kLargestLogOdds =
    500.0;  // of a cell, and the largest loss of a row, where pairs are searched

// Rounded derivatives and losses of at most kChunk rows; scores IN (n, n_scores), overwritten.
struct RowDerivatives {
    double* scores;
    std::int64_t *gradient, *curvature;  // OUT (n, n_scores)
    std::int64_t* losses;                // OUT (n)
};

class AdditiveLoss {
  public:
    virtual ~AdditiveLoss() = default;

    // Whether a row has one score; if not, it has one per class.
    virtual bool has_one_score() const = 0;

    virtual std::unique_ptr<FitRows> fit_rows(const AdditiveRows& rows, std::size_t n_scores,
                                              bool moderated) const = 0;

    // Takes a step; returns how far: sum of H (change)^2.
    virtual double move(const TableStep& step) const = 0;

    // Newton step of intercepts (n_scores), IN and OUT, from sums (n_scores, 2) of all rows; OUT changes.
    virtual void move_intercepts(std::size_t n_scores, const double* sums, double* intercepts,
                                 double* changes) const = 0;

    // Log Bayes factor of a column, from those of its table for each score.
    virtual double evidence(const double* factors, std::size_t n_scores) const = 0;

    virtual std::unique_ptr<StackBatch> stack_batch(const StackRows& rows) const = 0;

    // Of n rows, scores IN (n, n_scores), losses OUT (n).
    virtual void row_losses(const double* scores, const double* target, std::size_t n, std::size_t n_scores,
                            double* losses) const = 0;

    virtual void derivatives(const double* target, std::size_t n, std::size_t n_scores,
                             const DerivativeSteps& steps, const RowDerivatives& out) const = 0;
};

// By which a score of a bin, and an intercept, change at most in one update.
struct MostSteps {
    double score, intercept;
};

// A loss with one score f per row.
class ScoreLoss : public AdditiveLoss {
  public:
    virtual MostSteps most_steps() const { return {kMostChange, 1.0}; }

    // First derivative and curvature of n <= kChunk rows times scale, rounded, (n, 2); of moderated rows at
    // the expected prediction, given the variances of their scores, else nullptr.
    virtual void gradients(const double* scores, const double* variances, const double* target,
                           const double* scale, std::size_t n, std::int64_t* derivatives) const = 0;

    // The same of n <= kChunk rows without weights, and losses.
    virtual void slopes(const double* scores, const double* target, std::size_t n, double* slope,
                        double* curvature, double* losses) const = 0;

    bool has_one_score() const override { return true; }
    std::unique_ptr<FitRows> fit_rows(const AdditiveRows& rows, std::size_t n_scores,
                                      bool moderated) const override;
    double move(const TableStep& step) const override;
    void move_intercepts(std::size_t n_scores, const double* sums, double* intercepts,
                         double* changes) const override;
    double evidence(const double* factors, std::size_t n_scores) const override;
    std::unique_ptr<StackBatch> stack_batch(const StackRows& rows) const override;
};

// "logistic", "softmax", "squared", or "power" with its power, the unit of scores and the inverse of the
// dispersion, after spaces; nullptr for other names.
std::shared_ptr<const AdditiveLoss> find_loss(const std::string& name);

// z (n, n_classes) <- probabilities; OUT top (n): the largest scores, OUT log_totals (n): the logarithms of
// the sums of exponentials of scores less these.
void softmax(double* z, std::size_t n, std::size_t n_classes, double* top, double* log_totals);

}  // namespace bayesieve
