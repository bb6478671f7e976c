// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/additive/priors.hpp"

#include <algorithm>
#include <type_traits>

#include "bayesieve/elementary.hpp"
#include "bayesieve/lanes.hpp"

namespace bayesieve {
namespace {

constexpr double kLog2 = 0x1.62e42fefa39efp-1;

// The logarithm of a product of positive numbers, without overflow.
class LogProduct {
  public:
    void multiply(double x) {
        const std::int64_t bits = bits_of(mantissa_ * x);
        exponent_ += (bits >> 52) - 1022;
        mantissa_ = double_of((bits & 0x000fffffffffffff) | 0x3fe0000000000000);
    }
    double log() const { return static_cast<double>(exponent_) * kLog2 + log_positive(mantissa_); }

  private:
    double mantissa_ = 1.0;
    std::int64_t exponent_ = 0;
};

class LogProducts {  // of lanes
  public:
    void multiply(const Lanes& x) {
        for (std::size_t l = 0; l < kLanes; ++l) products_[l].multiply(x.v[l]);
    }
    Lanes log() const {
        Lanes result;
        for (std::size_t l = 0; l < kLanes; ++l) result.v[l] = products_[l].log();
        return result;
    }

  private:
    LogProduct products_[kLanes];
};

LogProduct log_product(double) { return {}; }
LogProducts log_product(const Lanes&) { return {}; }

template <typename Real>
Real sum(const Real* x, std::size_t n) {
    Real total = 0.0;
    for (std::size_t v = 0; v < n; ++v) total += x[v];
    return total;
}

// Room for pivots and ratios, and the sum of H.
template <typename Real>
struct WalkRoom {
    Real *pivot, *ratio, total;
};

template <typename Real>
WalkRoom<Real> room_of(ShapePosterior<Real>& posterior) {
    return {posterior.pivot.data(), posterior.ratio.data(), posterior.total};
}

// L D L' of the tridiagonal precision diag(H) + the walk's, and its solutions for several right-hand sides.
// All of them go through the same loops: their operations need not wait for each other. `Scale` is that of
// the walk's variance: a double, or one in each lane.
template <std::size_t kSides, typename Real, typename Scale>
class WalkSolution {
  public:
    Real quadratic;        // form of the first right-hand side
    Real log_determinant;  // against a constant of free level

    WalkSolution(const ShapeBasis& basis, const Scale& t, const Real* H, const WalkRoom<Real>& room,
                 const Real* const (&sides)[kSides], Real* const (&x)[kSides])
        : n_(basis.n_bins), pivot_(room.pivot), ratio_(room.ratio) {
        const Real hold = 1e-4 * room.total / static_cast<double>(n_) + 1e-12;
        auto determinant = log_product(hold);
        Scale left = n_ > 1 ? 1.0 / (t * basis.gaps[0]) : Scale(0.0);
        Real pivot = H[0] + hold + left, last[kSides];
        determinant.multiply(pivot);
        for (std::size_t s = 0; s < kSides; ++s) x[s][0] = last[s] = sides[s][0];
        pivot_[0] = pivot, quadratic = last[0] * last[0] / pivot;
        for (std::size_t v = 1; v < n_; ++v) {
            const Scale right = v + 1 < n_ ? 1.0 / (t * basis.gaps[v]) : Scale(0.0);
            const Real ratio = -left / pivot;
            pivot = H[v] + left + right + ratio * left;
            determinant.multiply(pivot * (t * basis.gaps[v - 1]));
            for (std::size_t s = 0; s < kSides; ++s) x[s][v] = last[s] = sides[s][v] - ratio * last[s];
            ratio_[v] = ratio, pivot_[v] = pivot, quadratic += last[0] * last[0] / pivot;
            left = right;
        }
        log_determinant = determinant.log() - in_lanes(room.total + hold, log_positive);
        for (std::size_t s = 0; s < kSides; ++s) x[s][n_ - 1] = last[s] = last[s] / pivot;
        for (std::size_t v = n_ - 1; v-- > 0;)
            for (std::size_t s = 0; s < kSides; ++s)
                x[s][v] = last[s] = x[s][v] / pivot_[v] - ratio_[v + 1] * last[s];
    }

    void variances(Real* variance) const {
        for (std::size_t v = n_; v-- > 0;) {
            variance[v] = 1.0 / pivot_[v];
            if (v + 1 < n_) variance[v] = variance[v] + ratio_[v + 1] * ratio_[v + 1] * variance[v + 1];
        }
    }

  private:
    std::size_t n_;
    Real *pivot_, *ratio_;
};

template <typename Real>
Real walk(const ShapeBasis& basis, double t, const Real* R, const Real* H, ShapePosterior<Real>& room,
          Real* mean, Real* variance) {
    const WalkSolution<1, Real, double> solution(basis, t, H, room_of(room), {R}, {mean});
    if (variance != nullptr) solution.variances(variance);
    return 0.5 * (solution.quadratic - solution.log_determinant);
}

// Walks of kLanes variances side by side: each is one long chain of divisions. mean and variance OUT (kLanes,
// n_bins), factors OUT (kLanes): those of `walk`, to the last bit.
void walks_together(const ShapeBasis& basis, const double* t, const double* R, const double* H,
                    ShapePosterior<double>& room, double* mean, double* variance, double* factors) {
    const std::size_t n = basis.n_bins;
    room.together.resize(6 * n);
    Lanes *h = room.together.data(), *r = h + n, *own = r + n, *spread = own + n, scale;
    std::copy_n(t, kLanes, scale.v);
    for (std::size_t v = 0; v < n; ++v) h[v] = H[v], r[v] = R[v];
    const WalkRoom<Lanes> lanes{spread + n, spread + 2 * n, room.total};
    const WalkSolution<1, Lanes, Lanes> solution(basis, scale, h, lanes, {r}, {own});
    if (variance != nullptr) solution.variances(spread);
    const Lanes factor = 0.5 * (solution.quadratic - solution.log_determinant);
    for (std::size_t l = 0; l < kLanes; ++l) {
        factors[l] = factor.v[l];
        for (std::size_t v = 0; v < n; ++v) mean[l * n + v] = own[v].v[l];
        for (std::size_t v = 0; variance != nullptr && v < n; ++v) variance[l * n + v] = spread[v].v[l];
    }
}

// A walk plus a free line and square: s = walk + x b1 + x^2 b2, b ~ N(0, tau). room.rhs has H x and H x^2.
template <typename Real>
Real curve(const ShapeBasis& basis, double t, double tau, const Real* R, const Real* H,
           ShapePosterior<Real>& room, Real* mean, Real* variance) {
    const std::size_t n = basis.n_bins;
    const Real* rhs = room.rhs.data();
    Real *rest_x = room.rest.data(), *rest_y = rest_x + n;
    const WalkSolution<3, Real, double> solution(basis, t, H, room_of(room), {R, rhs, rhs + n},
                                                 {mean, rest_x, rest_y});
    const Real walk_factor = 0.5 * (solution.quadratic - solution.log_determinant);
    if (variance != nullptr) solution.variances(variance);
    const double *x = basis.line, *y = basis.square;
    Real r_x = 0.0, r_y = 0.0, g11 = 0.0, g12 = 0.0, g22 = 0.0;
    for (std::size_t v = 0; v < n; ++v) {
        rest_x[v] = x[v] - rest_x[v];  // what of the line, of the square, a walk cannot follow
        rest_y[v] = y[v] - rest_y[v];
        const Real residual = R[v] - H[v] * mean[v];
        r_x += x[v] * residual;
        r_y += y[v] * residual;
        g11 += x[v] * H[v] * rest_x[v];
        g12 += x[v] * H[v] * rest_y[v];
        g22 += y[v] * H[v] * rest_y[v];
    }
    g11 += 1.0 / tau, g22 += 1.0 / tau;
    const Real determinant = g11 * g22 - g12 * g12;
    const Real b_x = (g22 * r_x - g12 * r_y) / determinant, b_y = (g11 * r_y - g12 * r_x) / determinant;
    for (std::size_t v = 0; v < n; ++v) mean[v] = mean[v] + rest_x[v] * b_x + rest_y[v] * b_y;
    for (std::size_t v = 0; variance != nullptr && v < n; ++v) {
        const Real cross = 2.0 * rest_x[v] * rest_y[v] * g12;
        const Real own = rest_x[v] * rest_x[v] * g22 - cross + rest_y[v] * rest_y[v] * g11;
        variance[v] = variance[v] + own / determinant;
    }
    return walk_factor + 0.5 * (r_x * b_x + r_y * b_y) -
           0.5 * in_lanes(tau * tau * determinant, log_positive);
}

template <typename Real>
Real line(std::size_t n, const double* x, double t, const Real* R, const Real* H, Real* mean,
          Real* variance) {
    Real r = 0.0, h = 0.0;
    for (std::size_t v = 0; v < n; ++v) {
        r += R[v] * x[v];
        h += H[v] * x[v] * x[v];
    }
    const Real precision = h + 1.0 / t, slope = r / precision;
    for (std::size_t v = 0; v < n; ++v) mean[v] = slope * x[v];
    for (std::size_t v = 0; variance != nullptr && v < n; ++v) variance[v] = x[v] * x[v] / precision;
    return 0.5 * r * slope - 0.5 * in_lanes(1.0 + t * h, log_positive);
}

template <typename Real>
Real categories(std::size_t n, double t, const Real* R, const Real* H, Real* mean, Real* variance) {
    Real quadratic = 0.0;
    auto determinant = log_product(quadratic);
    for (std::size_t v = 0; v < n; ++v) {
        const Real own = 1.0 / (H[v] + 1.0 / t);
        if (variance != nullptr) variance[v] = own;
        mean[v] = R[v] * own;
        quadratic += R[v] * mean[v];
        determinant.multiply(1.0 + t * H[v]);
    }
    return 0.5 * quadratic - 0.5 * determinant.log();
}

}  // namespace

template <typename Real>
void shape_posterior(const ShapeBasis& basis, const ShapePriors& priors, const Real* R, const Real* H,
                     ShapePosterior<Real>& posterior) {
    const std::size_t n = basis.n_bins, n_components = priors.n_components(basis.nominal);
    posterior.mean.resize(n_components * n);
    posterior.variance.resize(priors.with_variances ? n_components * n : 0);
    std::fill_n(posterior.mean.begin(), n, 0.0);
    std::fill_n(posterior.variance.begin(), priors.with_variances ? n : 0, 0.0);
    posterior.log_bayes_factor.assign(n_components, 0.0);
    std::size_t m = 1;
    const auto add = [&](const auto& component) {
        Real* mean = posterior.mean.data() + m * n;
        Real* variance = priors.with_variances ? posterior.variance.data() + m * n : nullptr;
        posterior.log_bayes_factor[m++] = component(mean, variance);
    };
    if (basis.nominal) {
        for (const double t : priors.categories)
            add([&](Real* mean, Real* variance) { return categories(n, t, R, H, mean, variance); });
        return;
    }
    const bool curved = priors.curve > 0.0 && n > 3;
    posterior.pivot.resize(n), posterior.ratio.resize(n);
    posterior.rest.resize(2 * n), posterior.rhs.resize(2 * n);
    posterior.total = sum(H, n);
    for (std::size_t v = 0; v < n; ++v) {
        posterior.rhs[v] = H[v] * basis.line[v];
        posterior.rhs[n + v] = H[v] * basis.square[v];
    }
    std::size_t first = 0;
    if constexpr (std::is_same_v<Real, double>) {
        for (; !curved && first + kLanes <= priors.walks.size(); first += kLanes, m += kLanes)
            walks_together(basis, priors.walks.data() + first, R, H, posterior, posterior.mean.data() + m * n,
                           priors.with_variances ? posterior.variance.data() + m * n : nullptr,
                           posterior.log_bayes_factor.data() + m);
    }
    for (; first < priors.walks.size(); ++first)
        add([&](Real* mean, Real* variance) {
            const double t = priors.walks[first];
            return curved ? curve(basis, t, priors.curve, R, H, posterior, mean, variance)
                          : walk(basis, t, R, H, posterior, mean, variance);
        });
    for (const double* x : {basis.line, basis.rank})
        for (const double t : priors.lines)
            add([&](Real* mean, Real* variance) { return line(n, x, t, R, H, mean, variance); });
}

template void shape_posterior(const ShapeBasis&, const ShapePriors&, const double*, const double*,
                              ShapePosterior<double>&);
template void shape_posterior(const ShapeBasis&, const ShapePriors&, const Lanes*, const Lanes*,
                              ShapePosterior<Lanes>&);

template <typename Real>
Real PriorMixture<Real>::fit(const ShapeBasis& basis, const Real* R, const Real* H, const double* prior) {
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

template class PriorMixture<double>;
template class PriorMixture<Lanes>;

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
