// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/shapes/mixture.hpp"

#include <algorithm>
#include <utility>

#include "bayesieve/elementary.hpp"

namespace bayesieve {

ShapeMixture::ShapeMixture(ShapePriors priors) : priors_(std::move(priors)) {}

double ShapeMixture::fit(const ShapeBasis& basis, const double* R, const double* H, const double* prior) {
    shape_posterior(basis, priors_, R, H, posterior_);
    const std::size_t n = basis.n_bins, n_components = posterior_.log_bayes_factor.size();
    weights.resize(n_components);
    double top = -1e300, total = 0.0;
    for (std::size_t m = 0; m < n_components; ++m) {
        weights[m] = posterior_.log_bayes_factor[m] + log_positive(prior[m]);
        top = std::max(top, weights[m]);
    }
    for (std::size_t m = 0; m < n_components; ++m) {
        weights[m] = exp_nonpositive(weights[m] - top);
        total += weights[m];
    }
    for (std::size_t m = 0; m < n_components; ++m) weights[m] = weights[m] / total;
    mean.assign(n, 0.0), variance.assign(n, 0.0);
    for (std::size_t m = 1; m < n_components; ++m) {
        const double weight = weights[m];
        const double *own = posterior_.mean.data() + m * n, *spread = posterior_.variance.data() + m * n;
        for (std::size_t v = 0; v < n; ++v) {
            mean[v] += weight * own[v];
            variance[v] += weight * (spread[v] + own[v] * own[v]);
        }
    }
    for (std::size_t v = 0; v < n; ++v) {
        const double rest = variance[v] - mean[v] * mean[v];
        variance[v] = rest > 0.0 ? rest : 0.0;
    }
    return top + log_positive(total);
}

}  // namespace bayesieve
