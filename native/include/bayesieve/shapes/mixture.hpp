// SPDX-License-Identifier: BSD-3-Clause
// Posterior of one column's shape under a mixture of priors, the first of which is "no effect".
#pragma once
#include <vector>

#include "bayesieve/shapes/shape_prior.hpp"

namespace bayesieve {

class ShapeMixture {
  public:
    explicit ShapeMixture(ShapePriors priors);

    // Fills mean, variance and weights; returns the log Bayes factor against "no effect" alone. `prior` has
    // the weight of each component.
    double fit(const ShapeBasis& basis, const double* R, const double* H, const double* prior);

    std::vector<double> mean, variance;  // (n_bins)
    std::vector<double> weights;         // (n_components) of the posterior

  private:
    ShapePriors priors_;
    ShapePosterior posterior_;
};

}  // namespace bayesieve
