// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/additive/posteriors.hpp"

#include "bayesieve/lanes.hpp"

namespace bayesieve {
namespace {

struct Sums {
    double slope = 0.0, total = 0.0;
};

// The likelihood of one score, its constant taken out, in R and H; returns the sum of H.
double read_likelihood(const double* slopes, const double* curvatures, std::size_t n_scores,
                       std::vector<double>& R, std::vector<double>& H) {
    Sums sums;
    for (std::size_t v = 0; v < R.size(); ++v) {
        R[v] = slopes[v * n_scores], H[v] = curvatures[v * n_scores];
        sums.slope += R[v], sums.total += H[v];
    }
    const double total = sums.total == 0.0 ? 1.0 : sums.total;
    for (std::size_t v = 0; v < R.size(); ++v) R[v] = R[v] - H[v] * sums.slope / total;
    return total;
}

// Takes the level out of means, and its variance out of variances. That of a walk is free; bins of categories
// are independent.
void take_level(const std::vector<double>& H, double total, double of_walks, bool nominal,
                std::vector<double>& mean, std::vector<double>& variance) {
    double level = 0.0, square = 0.0;
    for (std::size_t v = 0; v < H.size(); ++v) {
        level += H[v] * mean[v];
        square += H[v] * H[v] * variance[v];
    }
    for (std::size_t v = 0; v < H.size(); ++v) {
        const double own = nominal ? variance[v] - 2.0 * H[v] * variance[v] / total + square / (total * total)
                                   : variance[v] - of_walks / total;
        mean[v] = mean[v] - level / total;
        variance[v] = larger(0.0, own);
    }
}

}  // namespace

void column_posteriors(const ColumnLikelihoods& columns, const ShapePriors& priors, const double* numeric,
                       const double* nominal, double* means, double* variances) {
    PriorMixture<double> mixture(priors);
    std::vector<double> R, H;
    std::size_t first = 0;
    for (const ShapeBasis& basis : columns.bases) {
        R.resize(basis.n_bins), H.resize(basis.n_bins);
        for (std::size_t q = 0; q < columns.n_scores; ++q) {
            const std::size_t at = first * columns.n_scores + q;
            const double total =
                read_likelihood(columns.slopes + at, columns.curvatures + at, columns.n_scores, R, H);
            mixture.fit(basis, R.data(), H.data(), basis.nominal ? nominal : numeric);
            double of_walks = 0.0;
            for (std::size_t m = 1; !basis.nominal && m <= priors.walks.size(); ++m)
                of_walks += mixture.weights[m];
            take_level(H, total, of_walks, basis.nominal, mixture.mean, mixture.variance);
            for (std::size_t v = 0; v < basis.n_bins; ++v) {
                means[at + v * columns.n_scores] = mixture.mean[v];
                variances[at + v * columns.n_scores] = mixture.variance[v];
            }
        }
        first += basis.n_bins;
    }
}

}  // namespace bayesieve
