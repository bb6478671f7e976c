// SPDX-License-Identifier: BSD-3-Clause
#include "screen_algebra.hpp"

namespace bayesieve {
namespace {

constexpr std::size_t unordered(std::size_t i, std::size_t j) {
    return i > j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i;
}

// Takes unknown k out of the rows below it.
template <std::size_t N>
void eliminate(Lanes (&low)[N][N], Lanes (&slope)[N], std::size_t k, const Lanes& pivot) {
    for (std::size_t i = k + 1; i < N; ++i) {
        const Lanes factor = low[i][k] / pivot;
        for (std::size_t j = k + 1; j <= i; ++j) low[i][j] = low[i][j] - factor * low[j][k];
        slope[i] = slope[i] - factor * slope[k];
    }
}

}  // namespace

ScreenAlgebra::ScreenAlgebra(const ScreenBasis& basis) : basis_(basis) {
    std::size_t margin = 0, inner = kMargins;
    for (std::size_t i = 0; i < kScreenBins; ++i)
        for (std::size_t j = 0; j < kScreenBins; ++j) {
            const std::size_t r = i == 0 || j == 0 ? margin++ : inner++;
            row_[r] = i, column_[r] = j;
        }
}

void ScreenAlgebra::fill(const ScreenCells& cells) {
    const auto dot = [](const Lanes* x, const Lanes* y) {
        Lanes total = x[0] * y[0];
        for (std::size_t v = 1; v < kScreenBins; ++v) total = total + x[v] * y[v];
        return total;
    };
    Lanes a[kScreenBins][kScreenBins], b[kScreenBins][kScreenBins];  // contrast, bin
    for (std::size_t i = 0; i < kScreenBins; ++i)
        for (std::size_t u = 0; u < kScreenBins; ++u) a[i][u] = cells.a[u][i], b[i][u] = cells.b[u][i];
    Lanes sums[kScreenBins][kScreenBins];  // contrast of b, bin of a
    for (std::size_t j = 0; j < kScreenBins; ++j)
        for (std::size_t u = 0; u < kScreenBins; ++u) sums[j][u] = dot(b[j], cells.gradient[u]);
    for (std::size_t r = 0; r < kUnknowns; ++r) slope_[r] = dot(a[row_[r]], sums[column_[r]]);

    Lanes both_a[kProducts][kScreenBins], both_b[kScreenBins], of_bin[kScreenBins];
    Lanes products[kProducts][kProducts];
    for (std::size_t i = 0; i < kScreenBins; ++i)
        for (std::size_t k = 0; k <= i; ++k)
            for (std::size_t u = 0; u < kScreenBins; ++u) both_a[unordered(i, k)][u] = a[i][u] * a[k][u];
    for (std::size_t j = 0; j < kScreenBins; ++j)
        for (std::size_t m = 0; m <= j; ++m) {
            for (std::size_t v = 0; v < kScreenBins; ++v) both_b[v] = b[j][v] * b[m][v];
            for (std::size_t u = 0; u < kScreenBins; ++u) of_bin[u] = dot(both_b, cells.curvature[u]);
            for (std::size_t p = 0; p < kProducts; ++p) products[p][unordered(j, m)] = dot(both_a[p], of_bin);
        }
    for (std::size_t r = 0; r < kUnknowns; ++r)
        for (std::size_t s = 0; s <= r; ++s)
            low_[r][s] = products[unordered(row_[r], row_[s])][unordered(column_[r], column_[s])];
}

Lanes ScreenAlgebra::walk_factor(double t2) {
    Lanes low[kInner][kInner], slope[kInner];
    const Lanes scale = lanes(t2);
    for (std::size_t r = 0; r < kInner; ++r) {
        for (std::size_t s = 0; s <= r; ++s) low[r][s] = scale * inner_[r][s] + lanes(r == s ? 1.0 : 0.0);
        slope[r] = rest_[r];
    }
    Lanes quadratic = lanes(0.0), determinant = lanes(1.0);
    for (std::size_t k = 0; k < kInner; ++k) {
        const Lanes pivot = low[k][k];
        quadratic = quadratic + slope[k] * slope[k] / pivot;
        determinant = determinant * pivot;
        eliminate(low, slope, k, pivot);
    }
    return lanes(0.5) * (scale * quadratic) - lanes(0.5) * log_lanes(determinant);
}

void ScreenAlgebra::halves(const ScreenCells& cells, Lanes& information, Lanes& slope) const {
    Lanes half[kInner];
    for (std::size_t i = 0; i + 1 < kScreenBins; ++i)
        for (std::size_t j = 0; j + 1 < kScreenBins; ++j)
            half[i * (kScreenBins - 1) + j] = cells.halves_a[i] * cells.halves_b[j];
    information = lanes(0.0), slope = lanes(0.0);
    for (std::size_t r = 0; r < kInner; ++r) {
        Lanes total = lanes(0.0);
        for (std::size_t s = 0; s < kInner; ++s)
            total = total + (r > s ? inner_[r][s] : inner_[s][r]) * half[s];
        information = information + half[r] * total;
        slope = slope + half[r] * rest_[r];
    }
}

Lanes ScreenAlgebra::factors(const ScreenCells& cells) {
    fill(cells);
    for (std::size_t k = 0; k < kMargins; ++k) eliminate(low_, slope_, k, low_[k][k] + lanes(basis_.ridge));
    for (std::size_t r = 0; r < kInner; ++r) {
        for (std::size_t s = 0; s <= r; ++s) inner_[r][s] = low_[r + kMargins][s + kMargins];
        rest_[r] = slope_[r + kMargins];
    }
    Lanes information, half_slope, factors[2 * kScreenScales];
    halves(cells, information, half_slope);
    for (std::size_t t = 0; t < kScreenScales; ++t) {
        const double t2 = basis_.squared_scales[t];
        factors[2 * t] = walk_factor(t2);
        const Lanes d = lanes(1.0) + lanes(t2) * information;
        factors[2 * t + 1] =
            lanes(0.5) * (lanes(t2) * (half_slope * half_slope) / d) - lanes(0.5) * log_lanes(d);
    }
    Lanes top = factors[0], total = lanes(0.0);
    for (const Lanes& factor : factors)
        for (std::size_t l = 0; l < kLanes; ++l) top.v[l] = factor.v[l] > top.v[l] ? factor.v[l] : top.v[l];
    for (const Lanes& factor : factors)
        for (std::size_t l = 0; l < kLanes; ++l) total.v[l] += exp_nonpositive(factor.v[l] - top.v[l]);
    return top + log_lanes(total / lanes(2.0 * kScreenScales));
}

}  // namespace bayesieve
