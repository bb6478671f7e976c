// SPDX-License-Identifier: BSD-3-Clause
// Posterior means and variances of the tables of columns, each given the others.
#pragma once
#include <cstddef>
#include <vector>

#include "bayesieve/additive/priors.hpp"

namespace bayesieve {

// Columns whose likelihoods are given: slopes and curvatures of n_bins bins and n_scores scores.
struct ColumnLikelihoods {
    std::vector<ShapeBasis> bases;
    std::size_t n_scores;
    const double *slopes, *curvatures;  // (sum of n_bins, n_scores)
};

// Fills means and variances, both like slopes, of a mixture of priors. They are those of tables whose level,
// the mean over curvatures, is 0. `numeric` and `nominal` are prior weights of components. The twin of
// `column_posteriors_numpy` in src/bayesieve/additive/variances.py.
void column_posteriors(const ColumnLikelihoods& columns, const ShapePriors& priors, const double* numeric,
                       const double* nominal, double* means, double* variances);

}  // namespace bayesieve
