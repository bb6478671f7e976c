// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/shapes/mixture.hpp"

#include "bayesieve/elementary.hpp"
#include "bayesieve/lanes.hpp"

namespace bayesieve {

template <typename Real>
Real ShapeMixture<Real>::fit(const ShapeBasis& basis, const Real* R, const Real* H, const double* prior) {
    shape_posterior(basis, priors_, R, H, posterior_);
    const std::size_t n = basis.n_bins, n_components = posterior_.log_bayes_factor.size();
    weights.resize(n_components);
    Real top = -1e300, total = 0.0;
    for (std::size_t m = 0; m < n_components; ++m) {
        weights[m] = posterior_.log_bayes_factor[m] + log_positive(prior[m]);
        top = larger(top, weights[m]);
    }
    for (std::size_t m = 0; m < n_components; ++m) {
        weights[m] = in_lanes(weights[m] - top, exp_nonpositive);
        total += weights[m];
    }
    for (std::size_t m = 0; m < n_components; ++m) weights[m] = weights[m] / total;
    mean.assign(n, 0.0), variance.assign(n, 0.0);
    for (std::size_t m = 1; m < n_components; ++m) {
        const Real weight = weights[m], *own = posterior_.mean.data() + m * n;
        for (std::size_t v = 0; v < n; ++v) mean[v] += weight * own[v];
        if (!priors_.with_variances) continue;
        const Real* spread = posterior_.variance.data() + m * n;
        for (std::size_t v = 0; v < n; ++v) variance[v] += weight * (spread[v] + own[v] * own[v]);
    }
    for (std::size_t v = 0; priors_.with_variances && v < n; ++v)
        variance[v] = larger(0.0, variance[v] - mean[v] * mean[v]);
    return top + in_lanes(total, log_positive);
}

template class ShapeMixture<double>;
template class ShapeMixture<Lanes>;

}  // namespace bayesieve
