// SPDX-License-Identifier: BSD-3-Clause
// Posterior of one column's shape under a mixture of priors, the first of which is "no effect".
#pragma once
#include <utility>
#include <vector>

#include "bayesieve/shapes/shape_prior.hpp"

namespace bayesieve {

template <typename Real>
class ShapeMixture {
  public:
    explicit ShapeMixture(ShapePriors priors) : priors_(std::move(priors)) {}

    // Fills mean, variance and weights; returns the log Bayes factor against "no effect" alone. `prior` has
    // the weight of each component.
    Real fit(const ShapeBasis& basis, const Real* R, const Real* H, const double* prior);

    std::vector<Real> mean, variance;  // (n_bins); variances are 0 where they are not needed
    std::vector<Real> weights;         // (n_components) of the posterior

  private:
    ShapePriors priors_;
    ShapePosterior<Real> posterior_;
};

}  // namespace bayesieve
