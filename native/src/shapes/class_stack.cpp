// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/shapes/class_stack.hpp"

#include <algorithm>
#include <vector>

#include "bayesieve/elementary.hpp"
#include "bayesieve/kernels/kernels.hpp"

namespace bayesieve {
namespace {

constexpr std::size_t kRows = 64;  // at a time

// Probabilities of some rows, and their losses.
struct Beliefs {
    std::vector<double> p, losses;

    void set(const StackRows& rows, const double* a, const double* b, std::size_t begin, std::size_t n) {
        const std::size_t n_classes = rows.n_classes;
        p.resize(n * n_classes), losses.resize(n);
        for (std::size_t i = 0; i < n; ++i) std::copy_n(b, n_classes, p.data() + i * n_classes);
        for (std::size_t j = 0; j < rows.n_members; ++j)
            kernels().add_scaled(rows.scores + (j * rows.n_rows + begin) * n_classes, a[j], n * n_classes,
                                 p.data());
        for (std::size_t i = 0; i < n; ++i) {
            double *z = p.data() + i * n_classes, top = *std::max_element(z, z + n_classes);
            losses[i] = top - z[rows.target[begin + i]];
            for (std::size_t q = 0; q < n_classes; ++q) z[q] = z[q] - top;
        }
        kernels().exponentials(n * n_classes, p.data());
        for (std::size_t i = 0; i < n; ++i) {
            double *e = p.data() + i * n_classes, total = 0.0;
            for (std::size_t q = 0; q < n_classes; ++q) total += e[q];
            for (std::size_t q = 0; q < n_classes; ++q) e[q] = e[q] / total;
            losses[i] = rows.weights[begin + i] * (log_positive(total) + losses[i]);
        }
    }
};

}  // namespace

void stack_sums(const StackRows& rows, const double* a, const double* b, std::int64_t* sums) {
    const std::size_t n_members = rows.n_members, n_classes = rows.n_classes;
    const double scale = 1.0 / rows.unit;
    std::int64_t *slopes = sums + 1, *starts = slopes + n_members, *bounds = starts + n_classes;
    std::int64_t *curvatures = bounds + n_classes, *crosses = curvatures + n_members * n_members;
    Beliefs beliefs;
    std::vector<double> mean(n_members);
    for (std::size_t begin = 0; begin < rows.n_rows; begin += kRows) {
        const std::size_t n = std::min(kRows, rows.n_rows - begin);
        beliefs.set(rows, a, b, begin, n);
        for (std::size_t i = 0; i < n; ++i) {
            const double *p = beliefs.p.data() + i * n_classes, weight = rows.weights[begin + i] * scale;
            const auto y = static_cast<std::size_t>(rows.target[begin + i]);
            sums[0] += nearest_integer(beliefs.losses[i] * scale);
            for (std::size_t q = 0; q < n_classes; ++q) {
                const double rest = 2.0 * (1.0 - p[q]);
                starts[q] -= nearest_integer(p[q] * weight);
                bounds[q] += nearest_integer(p[q] * (rest < 1.0 ? rest : 1.0) * weight);
            }
            starts[y] += nearest_integer(weight);
            for (std::size_t j = 0; j < n_members; ++j) {
                const double* first = rows.scores + (j * rows.n_rows + begin + i) * n_classes;
                mean[j] = 0.0;
                for (std::size_t q = 0; q < n_classes; ++q) mean[j] += p[q] * first[q];
                slopes[j] += nearest_integer((first[y] - mean[j]) * weight);
                for (std::size_t q = 0; q < n_classes; ++q)
                    crosses[j * n_classes + q] += nearest_integer(p[q] * (first[q] - mean[j]) * weight);
                for (std::size_t k = 0; k <= j; ++k) {
                    const double* second = rows.scores + (k * rows.n_rows + begin + i) * n_classes;
                    double square = 0.0;
                    for (std::size_t q = 0; q < n_classes; ++q) square += p[q] * first[q] * second[q];
                    curvatures[j * n_members + k] += nearest_integer((square - mean[j] * mean[k]) * weight);
                }
            }
        }
    }
}

}  // namespace bayesieve
