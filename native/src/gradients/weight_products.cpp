// SPDX-License-Identifier: BSD-3-Clause
// Second derivatives of the log-likelihood in the start and in weights.
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

// Scores of one column in one segment, times its factor: (n_codes, n_channels).
std::vector<double> scores_of(const CodeColumn& column, std::size_t n_classes, double factor) {
    const auto n_codes = static_cast<std::size_t>(column.n_codes);
    const std::size_t n_channels = n_classes == 2 ? 1 : n_classes;
    std::vector<double> scores(n_channels * n_codes), value(n_classes);
    for (std::size_t v = 0; v < n_codes; ++v) {
        channel_values(column.table + v * n_classes, n_classes, value.data());
        for (std::size_t c = 0; c < n_channels; ++c) scores[v * n_channels + c] = factor * value[c];
    }
    return scores;
}

double nearest(double x) { return (x + kMagic) - kMagic; }

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

// Some columns of one segment.
struct WeightGradients::ProductRows {
    std::size_t s, width;
    std::vector<const CodeColumn*> columns;
    std::vector<std::vector<double>> scores;  // (n_codes, n_channels) of each column

    // Calls each(column, row, scores of its code) for the rows begin .. begin + n - 1 of every column.
    template <typename Each>
    void each_score(std::size_t begin, std::size_t n, std::size_t n_channels, const Each& each) const {
        std::uint16_t spread_codes[kTogether];
        for (std::size_t k = 0; k < columns.size(); ++k) {
            const bool sparse = columns[k]->is_sparse();
            const CodeColumn column = sparse ? spread(*columns[k], begin, n, spread_codes) : *columns[k];
            const std::size_t first = sparse ? 0 : begin;
            const double* own = scores[k].data();
            if (column.narrow != nullptr) {
                for (std::size_t i = 0; i < n; ++i) each(k, i, own + n_channels * column.narrow[first + i]);
            } else {
                for (std::size_t i = 0; i < n; ++i) each(k, i, own + n_channels * column.wide[first + i]);
            }
        }
    }
};

// rows (n, width): the integers whose products are added up; returns the number of rows.
std::size_t WeightGradients::fill_two(const ProductRows& columns, std::size_t begin, std::size_t n,
                                      double* rows) const {
    const std::int64_t* gradients = gradients_[columns.s].data() + 2 * begin;
    double roots[kTogether];
    for (std::size_t i = 0; i < n; ++i) {
        roots[i] = std::sqrt(static_cast<double>(gradients[2 * i + 1]));
        rows[i * columns.width] = nearest(roots[i]);
    }
    columns.each_score(begin, n, 1, [&](std::size_t k, std::size_t i, const double* score) {
        rows[i * columns.width + 1 + k] = nearest(roots[i] * score[0]);
    });
    return n;
}

// The same for more classes: a row for each of them.
std::size_t WeightGradients::fill_many(const ProductRows& columns, std::size_t begin, std::size_t n,
                                       double* rows) const {
    const Segment& segment = segments_[columns.s];
    const std::size_t n_classes = this->n_classes(), width = columns.width;
    std::vector<double> p(n * n_classes), roots(n * n_classes);
    for (std::size_t i = 0; i < n; ++i) {
        const std::int64_t* gradients = gradients_[columns.s].data() + 2 * n_classes * (begin + i);
        const double steps = row_scale_[columns.s][segment.weights.empty() ? 0 : begin + i];
        double total = 0.0;
        for (std::size_t c = 0; c < n_classes; ++c) {
            const bool is_true =
                begin + i >= segment.class_begin[c] && begin + i < segment.class_begin[c + 1];
            p[i * n_classes + c] =
                std::max((is_true ? steps : 0.0) - static_cast<double>(gradients[2 * c]), 0.0);
            total = total + p[i * n_classes + c];
        }
        for (std::size_t c = 0; c < n_classes; ++c) {
            roots[i * n_classes + c] = std::sqrt(p[i * n_classes + c]);
            p[i * n_classes + c] = p[i * n_classes + c] / (total > 0.0 ? total : 1.0);
        }
    }
    const auto fill = [&](std::size_t place, std::size_t i, const double* score) {
        double mean = 0.0;
        for (std::size_t c = 0; c < n_classes; ++c) mean = mean + p[i * n_classes + c] * score[c];
        for (std::size_t c = 0; c < n_classes; ++c)
            rows[(i * n_classes + c) * width + place] = nearest(roots[i * n_classes + c] * (score[c] - mean));
    };
    std::vector<double> start(n_classes, 0.0);
    for (std::size_t c = 0; c < n_classes; ++c) {
        start[c] = 1.0;
        for (std::size_t i = 0; i < n; ++i) fill(c, i, start.data());
        start[c] = 0.0;
    }
    columns.each_score(begin, n, n_classes, [&](std::size_t k, std::size_t i, const double* score) {
        fill(n_classes + k, i, score);
    });
    return n * n_classes;
}

void WeightGradients::products(const std::int32_t* columns, const double* factors, std::size_t n,
                               std::int64_t* out, const Poll& poll) const {
    const std::size_t size = n_channels() + n;
    const std::size_t width = (size + kProductLanes - 1) / kProductLanes * kProductLanes;
    std::mutex joining;
    for (std::size_t s = 0; s < segments_.size(); ++s) {
        ProductRows own{s, width, {}, {}};
        for (std::size_t k = 0; k < n; ++k) {
            own.columns.push_back(&segments_[s].columns[columns[k]]);
            own.scores.push_back(scores_of(*own.columns[k], n_classes(), factors[k]));
        }
        const auto add_rows = [&](std::size_t begin, std::size_t end, int) {
            std::vector<double> sums(width * width, 0.0), rows(kTogether * n_channels() * width, 0.0);
            for (std::size_t i = begin; i < end; i += kTogether) {
                const std::size_t m = std::min(kTogether, end - i);
                const std::size_t n_rows =
                    n_classes() == 2 ? fill_two(own, i, m, rows.data()) : fill_many(own, i, m, rows.data());
                kernels().add_products(rows.data(), n_rows, width, sums.data());
            }
            const std::lock_guard<std::mutex> lock(joining);
            for (std::size_t j = 0; j < size; ++j)
                for (std::size_t k = 0; k < size; ++k)
                    out[j * size + k] +=
                        static_cast<std::int64_t>(sums[std::min(j, k) * width + std::max(j, k)]);
        };
        run_blocks(segments_[s].n_rows, kTileRows, row_threads_, add_rows, poll);
    }
}

}  // namespace bayesieve
