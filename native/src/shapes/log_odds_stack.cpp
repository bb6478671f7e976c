// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/shapes/log_odds_stack.hpp"

#include <algorithm>

#include "bayesieve/elementary.hpp"
#include "bayesieve/kernels/kernels.hpp"

namespace bayesieve {
namespace {

constexpr std::size_t kRows = 256;  // at a time

// Sum of x rounded, halves to even, of sizes up to 2^62: first to a multiple of 2^30, which is even, and then
// the exact rest. Sums that overflow wrap around.
std::uint64_t rounded_sum(const double* x) {
    constexpr double step = 0x1p30;
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < kRows; ++i) {
        const std::int64_t high = nearest_integer(x[i] * (1.0 / step));
        const std::int64_t rest = nearest_integer(x[i] - double_of_small(high) * step);
        total += (static_cast<std::uint64_t>(high) << 30) + static_cast<std::uint64_t>(rest);
    }
    return total;
}

std::uint64_t rounded_sum_of_products(const double* x, const double* y) {
    double product[kRows];
    for (std::size_t i = 0; i < kRows; ++i) product[i] = x[i] * y[i];
    return rounded_sum(product);
}

// Some rows; those beyond the last weigh nothing.
class SomeRows {
  public:
    explicit SomeRows(const LogOddsRows& rows) : rows_(rows) {}

    void set(const double* a, double b, std::size_t begin, std::size_t n) {
        double z[kRows], e[kRows], weights[kRows] = {}, target[kRows] = {};
        const double scale = 1.0 / rows_.unit;
        std::fill_n(z, kRows, b);
        for (std::size_t j = 0; j < rows_.n_members; ++j)
            kernels().add_scaled(rows_.scores + j * rows_.n_rows + begin, a[j], n, z);
        for (std::size_t i = 0; i < n; ++i) weights[i] = rows_.weights[begin + i];
        for (std::size_t i = 0; i < n; ++i) target[i] = rows_.target[begin + i];
        for (std::size_t i = 0; i < kRows; ++i) e[i] = z[i] < 0.0 ? z[i] : -z[i];
        kernels().exponentials(kRows, e);
        // Dividing by a power of two and multiplying by its inverse are the same.
        for (std::size_t i = 0; i < kRows; ++i) {
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
        sums[0] += rounded_sum(losses_);
        sums[1] += rounded_sum(residual_);
        sums[2] += rounded_sum(curvature_);
        std::uint64_t& size = curvatures[n_members * n_members];
        for (std::size_t i = 0; i < kRows; ++i) size += static_cast<std::uint64_t>(losses_[i] * 0x1p-20);
        for (std::size_t j = 0; j < n_members; ++j) {
            double weighted[kRows] = {};
            const double* own = scores(j, begin, n, first_);
            slopes[j] += rounded_sum_of_products(residual_, own);
            for (std::size_t i = 0; i < kRows; ++i) weighted[i] = curvature_[i] * own[i];
            starts[j] += rounded_sum(weighted);
            for (std::size_t k = 0; k <= j; ++k)
                curvatures[j * n_members + k] +=
                    rounded_sum_of_products(weighted, scores(k, begin, n, second_));
        }
    }

  private:
    // The scores of a member, copied where there are fewer rows than these.
    const double* scores(std::size_t j, std::size_t begin, std::size_t n, double* room) const {
        const double* own = rows_.scores + j * rows_.n_rows + begin;
        if (n == kRows) return own;
        std::fill(std::copy_n(own, n, room), room + kRows, 0.0);
        return room;
    }

    const LogOddsRows& rows_;
    double residual_[kRows], curvature_[kRows], losses_[kRows], first_[kRows], second_[kRows];
};

}  // namespace

void log_odds_sums(const LogOddsRows& rows, const double* a, double b, std::int64_t* sums) {
    SomeRows some(rows);
    for (std::size_t begin = 0; begin < rows.n_rows; begin += kRows) {
        const std::size_t n = std::min(kRows, rows.n_rows - begin);
        some.set(a, b, begin, n);
        some.add(begin, n, reinterpret_cast<std::uint64_t*>(sums));
    }
}

}  // namespace bayesieve
