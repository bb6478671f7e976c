// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/shapes/class_stack.hpp"

#include <algorithm>
#include <vector>

#include "bayesieve/elementary.hpp"
#include "bayesieve/kernels/kernels.hpp"

namespace bayesieve {
namespace {

constexpr std::size_t kRows = 64;  // at a time

// Sum of x rounded.
std::int64_t rounded_sum(const double* x) {
    std::int64_t total = 0;
    for (std::size_t i = 0; i < kRows; ++i) total += nearest_integer(x[i]);
    return total;
}

void multiply_add(const double* x, const double* y, double* out) {
    for (std::size_t i = 0; i < kRows; ++i) out[i] = out[i] + x[i] * y[i];
}

void transpose(const double* rows, std::size_t n, std::size_t n_classes, double* out) {
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t q = 0; q < n_classes; ++q) out[q * kRows + i] = rows[i * n_classes + q];
}

// Some rows side by side: arrays are (n_classes, kRows), so that rows need not wait for each other, while
// each adds its classes up in their order. Rows beyond the last weigh nothing.
class SomeRows {
  public:
    explicit SomeRows(const StackRows& rows)
        : rows_(rows),
          p_(kRows * rows.n_classes),
          by_class_(kRows * rows.n_classes),
          scores_(kRows * rows.n_classes * rows.n_members),
          means_(kRows * rows.n_members) {}

    void set(const double* a, const double* b, std::size_t begin, std::size_t n) {
        const std::size_t n_classes = rows_.n_classes;
        const double scale = 1.0 / rows_.unit;
        for (std::size_t i = 0; i < n; ++i) std::copy_n(b, n_classes, p_.data() + i * n_classes);
        for (std::size_t j = 0; j < rows_.n_members; ++j) {
            const double* own = rows_.scores + (j * rows_.n_rows + begin) * n_classes;
            kernels().add_scaled(own, a[j], n * n_classes, p_.data());
            transpose(own, n, n_classes, scores_.data() + j * kRows * n_classes);
        }
        double own[kRows], top[kRows], log_totals[kRows];
        for (std::size_t i = 0; i < n; ++i) {
            const auto y = static_cast<std::size_t>(rows_.target[begin + i]);
            own[i] = p_[i * n_classes + y];
        }
        softmax(p_.data(), n, n_classes, top, log_totals);
        for (std::size_t i = 0; i < n; ++i) {
            const double weight = rows_.weights[begin + i];
            losses_[i] = weight * (log_totals[i] + (top[i] - own[i])) * scale;
            weights_[i] = weight * scale;
        }
        transpose(p_.data(), n, n_classes, by_class_.data());
        std::fill(weights_ + n, weights_ + kRows, 0.0), std::fill(losses_ + n, losses_ + kRows, 0.0);
    }

    void add(std::size_t begin, std::size_t n, std::int64_t* sums) {
        const std::size_t n_members = rows_.n_members, n_classes = rows_.n_classes;
        std::int64_t *slopes = sums + 1, *starts = slopes + n_members, *bounds = starts + n_classes;
        std::int64_t *curvatures = bounds + n_classes, *crosses = curvatures + n_members * n_members;
        sums[0] += rounded_sum(losses_);
        for (std::size_t q = 0; q < n_classes; ++q) add_starts(q, starts, bounds);
        for (std::size_t i = 0; i < n; ++i) starts[rows_.target[begin + i]] += nearest_integer(weights_[i]);
        for (std::size_t j = 0; j < n_members; ++j) {
            add_slopes(j, begin, n, slopes, crosses + j * n_classes);
            for (std::size_t k = 0; k <= j; ++k) curvatures[j * n_members + k] += curvature(j, k);
        }
    }

  private:
    const double* p(std::size_t q) const { return by_class_.data() + q * kRows; }
    const double* scores(std::size_t j, std::size_t q) const {
        return scores_.data() + (j * rows_.n_classes + q) * kRows;
    }

    void add_starts(std::size_t q, std::int64_t* starts, std::int64_t* bounds) {
        const double* own = p(q);
        double first[kRows], second[kRows];
        for (std::size_t i = 0; i < kRows; ++i) {
            const double rest = 2.0 * (1.0 - own[i]);
            first[i] = own[i] * weights_[i];
            second[i] = own[i] * (rest < 1.0 ? rest : 1.0) * weights_[i];
        }
        starts[q] -= rounded_sum(first);
        bounds[q] += rounded_sum(second);
    }

    void add_slopes(std::size_t j, std::size_t begin, std::size_t n, std::int64_t* slopes,
                    std::int64_t* crosses) {
        double *mean = means_.data() + j * kRows, room[kRows];
        std::fill_n(mean, kRows, 0.0);
        for (std::size_t q = 0; q < rows_.n_classes; ++q) multiply_add(p(q), scores(j, q), mean);
        for (std::size_t i = 0; i < n; ++i) {
            const auto y = static_cast<std::size_t>(rows_.target[begin + i]);
            slopes[j] += nearest_integer((scores(j, y)[i] - mean[i]) * weights_[i]);
        }
        for (std::size_t q = 0; q < rows_.n_classes; ++q) {
            const double *own = p(q), *score = scores(j, q);
            for (std::size_t i = 0; i < kRows; ++i) room[i] = own[i] * (score[i] - mean[i]) * weights_[i];
            crosses[q] += rounded_sum(room);
        }
    }

    std::int64_t curvature(std::size_t j, std::size_t k) const {
        double square[kRows] = {}, room[kRows];
        for (std::size_t q = 0; q < rows_.n_classes; ++q) {
            for (std::size_t i = 0; i < kRows; ++i) room[i] = p(q)[i] * scores(j, q)[i];
            multiply_add(room, scores(k, q), square);
        }
        const double *first = means_.data() + j * kRows, *second = means_.data() + k * kRows;
        for (std::size_t i = 0; i < kRows; ++i) square[i] = (square[i] - first[i] * second[i]) * weights_[i];
        return rounded_sum(square);
    }

    const StackRows& rows_;
    std::vector<double> p_, by_class_, scores_, means_;
    double weights_[kRows], losses_[kRows];
};

}  // namespace

void softmax(double* z, std::size_t n, std::size_t n_classes, double* top, double* log_totals) {
    for (std::size_t i = 0; i < n; ++i) {
        double* own = z + i * n_classes;
        top[i] = *std::max_element(own, own + n_classes);
        for (std::size_t q = 0; q < n_classes; ++q) own[q] = own[q] - top[i];
    }
    kernels().exponentials(n * n_classes, z);
    for (std::size_t i = 0; i < n; ++i) {
        double *own = z + i * n_classes, total = 0.0;
        for (std::size_t q = 0; q < n_classes; ++q) total += own[q];
        for (std::size_t q = 0; q < n_classes; ++q) own[q] = own[q] / total;
        log_totals[i] = log_positive(total);
    }
}

void stack_sums(const StackRows& rows, const double* a, const double* b, std::int64_t* sums) {
    SomeRows some(rows);
    for (std::size_t begin = 0; begin < rows.n_rows; begin += kRows) {
        const std::size_t n = std::min(kRows, rows.n_rows - begin);
        some.set(a, b, begin, n);
        some.add(begin, n, sums);
    }
}

}  // namespace bayesieve
