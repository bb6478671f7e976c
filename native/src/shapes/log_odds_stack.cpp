// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/shapes/log_odds_stack.hpp"

#include <algorithm>

#include "bayesieve/elementary.hpp"
#include "bayesieve/kernels/kernels.hpp"

namespace bayesieve {
namespace {

constexpr std::size_t kRowsAtOnce = 256;  // at a time

class LogOddsChunk {
  public:
    explicit LogOddsChunk(const LogOddsRows& rows) : rows_(rows) { std::fill_n(ones_, kRowsAtOnce, 1.0); }

    void set(const double* a, double b, std::size_t begin, std::size_t n) {
        double z[kRowsAtOnce], e[kRowsAtOnce];
        const double scale = 1.0 / rows_.unit, *weights = rows_.weights + begin,
                     *target = rows_.target + begin;
        std::fill_n(z, n, b);
        for (std::size_t j = 0; j < rows_.n_members; ++j)
            kernels().add_scaled(rows_.scores + j * rows_.n_rows + begin, a[j], n, z);
        for (std::size_t i = 0; i < n; ++i) e[i] = z[i] < 0.0 ? z[i] : -z[i];
        kernels().exponentials(n, e);
        // Dividing by a power of two and multiplying by its inverse are the same.
        for (std::size_t i = 0; i < n; ++i) {
            const double likely = 1.0 / (1.0 + e[i]), own = target[i] > 0.5 ? -z[i] : z[i];
            const double curved = e[i] * likely * likely;
            residual_[i] = weights[i] * (target[i] - (z[i] < 0.0 ? e[i] * likely : likely)) * scale;
            curvature_[i] = weights[i] * (curved < 1e-6 ? 1e-6 : curved) * scale;
            losses_[i] = weights[i] * ((own > 0.0 ? own : 0.0) + log_positive(1.0 + e[i])) * scale;
        }
    }

    void add(std::size_t begin, std::size_t n, std::uint64_t* sums) {
        const std::size_t n_members = rows_.n_members;
        std::uint64_t *slopes = sums + 3, *starts = slopes + n_members, *curvatures = starts + n_members;
        const auto sum = [&](const double* x, const double* y) {
            return kernels().rounded_products(x, y, n);
        };
        sums[0] += sum(losses_, ones_);
        sums[1] += sum(residual_, ones_);
        sums[2] += sum(curvature_, ones_);
        std::uint64_t& size = curvatures[n_members * n_members];
        for (std::size_t i = 0; i < n; ++i) size += static_cast<std::uint64_t>(losses_[i] * 0x1p-20);
        for (std::size_t j = 0; j < n_members; ++j) {
            double weighted[kRowsAtOnce];
            const double* own = rows_.scores + j * rows_.n_rows + begin;
            for (std::size_t i = 0; i < n; ++i) weighted[i] = curvature_[i] * own[i];
            slopes[j] += sum(residual_, own);
            starts[j] += sum(weighted, ones_);
            for (std::size_t k = 0; k <= j; ++k)
                curvatures[j * n_members + k] += sum(weighted, rows_.scores + k * rows_.n_rows + begin);
        }
    }

  private:
    const LogOddsRows& rows_;
    double residual_[kRowsAtOnce], curvature_[kRowsAtOnce], losses_[kRowsAtOnce], ones_[kRowsAtOnce];
};

}  // namespace

void log_odds_sums(const LogOddsRows& rows, const double* a, double b, std::int64_t* sums) {
    LogOddsChunk some(rows);
    for (std::size_t begin = 0; begin < rows.n_rows; begin += kRowsAtOnce) {
        const std::size_t n = std::min(kRowsAtOnce, rows.n_rows - begin);
        some.set(a, b, begin, n);
        some.add(begin, n, reinterpret_cast<std::uint64_t*>(sums));
    }
}

}  // namespace bayesieve
