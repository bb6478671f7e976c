// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/shapes/shape_prior.hpp"

#include <cmath>

#include "bayesieve/elementary.hpp"

namespace bayesieve {
namespace {

constexpr double kLog2 = 0x1.62e42fefa39efp-1;

// The logarithm of a product of positive numbers, without overflow.
class LogProduct {
  public:
    void multiply(double x) {
        int exponent = 0;
        mantissa_ = std::frexp(mantissa_ * x, &exponent);
        exponent_ += exponent;
    }
    double log() const { return static_cast<double>(exponent_) * kLog2 + log_positive(mantissa_); }

  private:
    double mantissa_ = 1.0;
    long exponent_ = 0;
};

double sum(const double* x, std::size_t n) {
    double total = 0.0;
    for (std::size_t v = 0; v < n; ++v) total += x[v];
    return total;
}

// L D L' of the tridiagonal precision diag(H) + the walk's, and solves with it.
struct WalkFactor {
    std::vector<double> pivot, ratio;
    double log_determinant = 0.0;  // against a constant of free level

    WalkFactor(const ShapeBasis& basis, double t, const double* H) {
        const std::size_t n = basis.n_bins;
        const double total = sum(H, n), hold = 1e-4 * total / static_cast<double>(n) + 1e-12;
        pivot.resize(n), ratio.resize(n);
        LogProduct determinant;
        for (std::size_t v = 0; v < n; ++v) {
            const double left = v > 0 ? 1.0 / (t * basis.gaps[v - 1]) : hold;
            const double right = v + 1 < n ? 1.0 / (t * basis.gaps[v]) : 0.0;
            pivot[v] = H[v] + left + right;
            if (v == 0) {
                determinant.multiply(pivot[0]);
                continue;
            }
            ratio[v] = -left / pivot[v - 1];
            pivot[v] = pivot[v] + ratio[v] * left;
            determinant.multiply(pivot[v] * (t * basis.gaps[v - 1]));
        }
        log_determinant = determinant.log() - log_positive(total + hold);
    }

    // Solves for one right-hand side; returns its quadratic form.
    double solve(const double* rhs, double* x) const {
        const std::size_t n = pivot.size();
        double quadratic = 0.0;
        for (std::size_t v = 0; v < n; ++v) {
            x[v] = v > 0 ? rhs[v] - ratio[v] * x[v - 1] : rhs[v];
            quadratic += x[v] * x[v] / pivot[v];
        }
        for (std::size_t v = n; v-- > 0;) {
            x[v] = x[v] / pivot[v];
            if (v + 1 < n) x[v] = x[v] - ratio[v + 1] * x[v + 1];
        }
        return quadratic;
    }

    void variances(double* variance) const {
        const std::size_t n = pivot.size();
        for (std::size_t v = n; v-- > 0;) {
            variance[v] = 1.0 / pivot[v];
            if (v + 1 < n) variance[v] = variance[v] + ratio[v + 1] * ratio[v + 1] * variance[v + 1];
        }
    }
};

double walk(const ShapeBasis& basis, double t, const double* R, const double* H, double* mean,
            double* variance) {
    const WalkFactor factor(basis, t, H);
    const double quadratic = factor.solve(R, mean);
    factor.variances(variance);
    return 0.5 * (quadratic - factor.log_determinant);
}

// A walk beside a free line and square: s = walk + x b1 + x^2 b2, b ~ N(0, tau).
double curve(const ShapeBasis& basis, double t, double tau, const double* R, const double* H, double* mean,
             double* variance) {
    const std::size_t n = basis.n_bins;
    const WalkFactor factor(basis, t, H);
    const double walk_factor = 0.5 * (factor.solve(R, mean) - factor.log_determinant);
    factor.variances(variance);
    const double* x[2] = {basis.line, basis.square};
    std::vector<double> rest[2], rhs(n);
    for (int i = 0; i < 2; ++i) {  // what of the line, of the square, a walk cannot follow
        for (std::size_t v = 0; v < n; ++v) rhs[v] = H[v] * x[i][v];
        rest[i].resize(n);
        factor.solve(rhs.data(), rest[i].data());
        for (std::size_t v = 0; v < n; ++v) rest[i][v] = x[i][v] - rest[i][v];
    }
    double r[2] = {0.0, 0.0}, g11 = 0.0, g12 = 0.0, g22 = 0.0;
    for (std::size_t v = 0; v < n; ++v) {
        const double residual = R[v] - H[v] * mean[v];
        r[0] += x[0][v] * residual;
        r[1] += x[1][v] * residual;
        g11 += x[0][v] * H[v] * rest[0][v];
        g12 += x[0][v] * H[v] * rest[1][v];
        g22 += x[1][v] * H[v] * rest[1][v];
    }
    g11 += 1.0 / tau, g22 += 1.0 / tau;
    const double determinant = g11 * g22 - g12 * g12;
    const double b1 = (g22 * r[0] - g12 * r[1]) / determinant, b2 = (g11 * r[1] - g12 * r[0]) / determinant;
    for (std::size_t v = 0; v < n; ++v) mean[v] = mean[v] + rest[0][v] * b1 + rest[1][v] * b2;
    return walk_factor + 0.5 * (r[0] * b1 + r[1] * b2) - 0.5 * log_positive(tau * tau * determinant);
}

double line(std::size_t n, const double* x, double t, const double* R, const double* H, double* mean,
            double* variance) {
    double r = 0.0, h = 0.0;
    for (std::size_t v = 0; v < n; ++v) {
        r += R[v] * x[v];
        h += H[v] * x[v] * x[v];
    }
    const double precision = h + 1.0 / t, slope = r / precision;
    for (std::size_t v = 0; v < n; ++v) {
        mean[v] = slope * x[v];
        variance[v] = x[v] * x[v] / precision;
    }
    return 0.5 * r * slope - 0.5 * log_positive(1.0 + t * h);
}

double categories(std::size_t n, double t, const double* R, const double* H, double* mean, double* variance) {
    double quadratic = 0.0;
    LogProduct determinant;
    for (std::size_t v = 0; v < n; ++v) {
        variance[v] = 1.0 / (H[v] + 1.0 / t);
        mean[v] = R[v] * variance[v];
        quadratic += R[v] * mean[v];
        determinant.multiply(1.0 + t * H[v]);
    }
    return 0.5 * quadratic - 0.5 * determinant.log();
}

}  // namespace

void shape_posterior(const ShapeBasis& basis, const ShapePriors& priors, const double* R, const double* H,
                     ShapePosterior& posterior) {
    const std::size_t n = basis.n_bins, n_components = priors.n_components(basis.nominal);
    posterior.mean.assign(n_components * n, 0.0);
    posterior.variance.assign(n_components * n, 0.0);
    posterior.log_bayes_factor.assign(n_components, 0.0);
    std::size_t m = 1;
    const auto add = [&](const auto& component) {
        double *mean = posterior.mean.data() + m * n, *variance = posterior.variance.data() + m * n;
        posterior.log_bayes_factor[m++] = component(mean, variance);
    };
    if (basis.nominal) {
        for (const double t : priors.categories)
            add([&](double* mean, double* variance) { return categories(n, t, R, H, mean, variance); });
        return;
    }
    const bool curved = priors.curve > 0.0 && n > 3;
    for (const double t : priors.walks)
        add([&](double* mean, double* variance) {
            return curved ? curve(basis, t, priors.curve, R, H, mean, variance)
                          : walk(basis, t, R, H, mean, variance);
        });
    for (const double* x : {basis.line, basis.rank})
        for (const double t : priors.lines)
            add([&](double* mean, double* variance) { return line(n, x, t, R, H, mean, variance); });
}

void make_monotone(double* x, const double* H, std::size_t begin, std::size_t end, int sign) {
    struct Pool {
        double mean, weight;
        std::size_t size;
    };
    std::vector<Pool> pools;  // of neighbors that break the order
    for (std::size_t v = begin; v < end; ++v) {
        Pool pool{sign * x[v], H[v] > 1e-9 ? H[v] : 1e-9, 1};
        while (!pools.empty() && pools.back().mean > pool.mean) {
            const Pool& last = pools.back();
            const double weight = last.weight + pool.weight;
            pool.mean = (last.weight * last.mean + pool.weight * pool.mean) / weight;
            pool.weight = weight;
            pool.size += last.size;
            pools.pop_back();
        }
        pools.push_back(pool);
    }
    std::size_t v = begin;
    for (const Pool& pool : pools)
        for (std::size_t i = 0; i < pool.size; ++i) x[v++] = sign * pool.mean;
}

}  // namespace bayesieve
