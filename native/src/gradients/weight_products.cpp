// SPDX-License-Identifier: BSD-3-Clause
// Sums over rows of products of columns, weighted by second derivatives.
#include <algorithm>
#include <cmath>
#include <mutex>

#include "bayesieve/elementary.hpp"
#include "bayesieve/gradients/weight_gradients.hpp"
#include "bayesieve/kernels/kernels.hpp"
#include "bayesieve/pool.hpp"
#include "channel_values.hpp"
#include "engine/sparse_column.hpp"

namespace bayesieve {
namespace {

constexpr std::size_t kTogether = 128;  // rows that stay in the nearest caches

// Scores of one column in one segment, times its factor: (n_channels, n_codes).
std::vector<double> scores_of(const CodeColumn& column, std::size_t n_classes, double factor) {
    const auto n_codes = static_cast<std::size_t>(column.n_codes);
    const std::size_t n_channels = n_classes == 2 ? 1 : n_classes;
    std::vector<double> scores(n_channels * n_codes), value(n_classes);
    for (std::size_t v = 0; v < n_codes; ++v) {
        channel_values(column.table + v * n_classes, n_classes, value.data());
        for (std::size_t c = 0; c < n_channels; ++c) scores[c * n_codes + v] = factor * value[c];
    }
    return scores;
}

// out[i * width] = the integer nearest to roots[i] x the score of row i
template <typename Code>
void fill_scores(const Code* codes, const double* scores, const double* roots, std::size_t n,
                 std::size_t width, double* out) {
    for (std::size_t i = 0; i < n; ++i) out[i * width] = (roots[i] * scores[codes[i]] + kMagic) - kMagic;
}

}  // namespace

double WeightGradients::factor_of(std::int32_t column) const {
    double largest = 0.0;
    for (const Segment& segment : segments_)
        for (const double score : scores_of(segment.columns[column], n_classes(), 1.0))
            largest = std::max(largest, std::fabs(score));
    int exponent = 0;
    std::frexp(largest, &exponent);
    return std::ldexp(1.0, -exponent);
}

void WeightGradients::products(const std::int32_t* columns, const double* factors, std::size_t n,
                               std::int64_t* out, const Poll& poll) const {
    const std::size_t width = (n + kProductLanes) / kProductLanes * kProductLanes;
    std::mutex joining;
    for (std::size_t s = 0; s < segments_.size(); ++s) {
        const Segment& segment = segments_[s];
        std::vector<std::vector<double>> scores;
        for (std::size_t k = 0; k < n; ++k)
            scores.push_back(scores_of(segment.columns[columns[k]], n_classes(), factors[k]));
        const auto add_rows = [&](std::size_t begin, std::size_t end, int) {
            std::vector<double> sums(n_channels() * width * width, 0.0), rows(kTogether * width, 0.0);
            std::vector<std::uint16_t> codes(kTogether);
            double roots[kTogether];
            for (std::size_t i = begin; i < end; i += kTogether) {
                const std::size_t m = std::min(kTogether, end - i);
                for (std::size_t c = 0; c < n_channels(); ++c) {
                    const std::int64_t* hessian = gradients_[s].data() + 2 * (i * n_channels() + c) + 1;
                    for (std::size_t r = 0; r < m; ++r) {
                        roots[r] = std::sqrt(static_cast<double>(hessian[2 * n_channels() * r]));
                        rows[r * width] = (roots[r] + kMagic) - kMagic;
                    }
                    for (std::size_t k = 0; k < n; ++k) {
                        const CodeColumn& column = segment.columns[columns[k]];
                        const double* own =
                            scores[k].data() + c * static_cast<std::size_t>(column.n_codes);
                        double* place = rows.data() + 1 + k;
                        const bool sparse = column.is_sparse();
                        const CodeColumn dense = sparse ? spread(column, i, m, codes.data()) : column;
                        const std::size_t first = sparse ? 0 : i;
                        if (dense.narrow != nullptr) {
                            fill_scores(dense.narrow + first, own, roots, m, width, place);
                        } else {
                            fill_scores(dense.wide + first, own, roots, m, width, place);
                        }
                    }
                    kernels().add_products(rows.data(), m, width, sums.data() + c * width * width);
                }
            }
            const std::lock_guard<std::mutex> lock(joining);
            for (std::size_t c = 0; c < n_channels(); ++c)
                for (std::size_t j = 0; j <= n; ++j)
                    for (std::size_t k = 0; k <= n; ++k)
                        out[(c * (n + 1) + j) * (n + 1) + k] += static_cast<std::int64_t>(
                            sums[(c * width + std::min(j, k)) * width + std::max(j, k)]);
        };
        run_blocks(segment.n_rows, kTileRows, row_threads_, add_rows, poll);
    }
}

}  // namespace bayesieve
