// SPDX-License-Identifier: BSD-3-Clause
// Posterior of the table of one column (a score per bin) under Gaussian priors, given the quadratic
// log-likelihood sum of R_v s_v - H_v s_v^2 / 2. Each prior gives the posterior mean, the variance per bin,
// and the log Bayes factor against "no effect". The operations and their order are those of
// src/bayesieve/additive/priors.py: the same bits. `Real` is double, or four of them for four classes.
#pragma once
#include <cstddef>
#include <utility>
#include <vector>

#include "bayesieve/lanes.hpp"

namespace bayesieve {

// What is known of a column before its target: see ShapeBasis in src/bayesieve/additive/priors.py.
struct ShapeBasis {
    std::size_t n_bins;
    const double* gaps;    // (n_bins - 1) share of a walk's variance in each step
    const double* line;    // (n_bins) the value, clipped, of unit variance
    const double* rank;    // (n_bins) the normal score of its rank, of unit variance
    const double* square;  // (n_bins) the square of `line`, orthogonal to it, of unit variance
    bool nominal;
};

// Prior variances of the components of a mixture.
struct ShapePriors {
    std::vector<double> walks, lines, categories;
    double curve = 0.0;  // variance of the coefficients of line and square next to a walk; 0: walks alone
    bool with_variances = true;  // whether posterior variances are needed

    std::size_t n_components(bool nominal) const {
        return 1 + (nominal ? categories.size() : walks.size() + 2 * lines.size());
    }
};

template <typename Real>
struct ShapePosterior {
    std::vector<Real> mean, variance;  // (n_components, n_bins); the first component, no effect, is zero;
                                       // variances are empty where they are not needed
    std::vector<Real> log_bayes_factor;
    std::vector<Real> pivot, ratio, rest, rhs;  // while it is computed
    std::vector<Lanes> together;                // of walks that are computed side by side
    Real total;                                 // of H
};

// Fills the posterior of every component.
template <typename Real>
void shape_posterior(const ShapeBasis& basis, const ShapePriors& priors, const Real* R, const Real* H,
                     ShapePosterior<Real>& posterior);

// Posterior of a column's table under a mixture of its priors, the first of which is "no effect".
template <typename Real>
class PriorMixture {
  public:
    explicit PriorMixture(ShapePriors priors) : priors_(std::move(priors)) {}

    // Fills mean, variance and weights; returns the log Bayes factor against "no effect" alone. `prior` has
    // the weight of each component.
    Real fit(const ShapeBasis& basis, const Real* R, const Real* H, const double* prior);

    std::vector<Real> mean, variance;  // (n_bins); variances are 0 where they are not needed
    std::vector<Real> weights;         // (n_components) of the posterior

  private:
    ShapePriors priors_;
    ShapePosterior<Real> posterior_;
};

// Replaces x by the increasing (sign 1) or decreasing (sign -1) sequence nearest to it in squares weighted by
// H, from position `begin` on.
void make_monotone(double* x, const double* H, std::size_t begin, std::size_t end, int sign);

}  // namespace bayesieve
