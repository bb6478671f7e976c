// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/columns/label_weights.hpp"

#include <algorithm>

namespace bayesieve {
namespace {

// A sum beyond 63 bits wraps, as NumPy's does.
std::int64_t wrapping_sum(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

void add_classes(const std::int64_t* counts, std::size_t n, std::size_t n_classes, std::int64_t* sums) {
    if (n_classes == 2) {
        for (std::size_t i = 0; i < n; ++i) sums[i] = wrapping_sum(counts[2 * i], counts[2 * i + 1]);
        return;
    }
    for (std::size_t i = 0; i < n; ++i) {
        sums[i] = 0;
        for (std::size_t c = 0; c < n_classes; ++c)
            sums[i] = wrapping_sum(sums[i], counts[i * n_classes + c]);
    }
}

}  // namespace

void weigh_labels(const LabelCounts& labels, const LabelWeights& out) {
    for (std::size_t j = 0; j < labels.n_columns; ++j) {
        const auto begin = static_cast<std::size_t>(labels.offsets[j]);
        const auto n = static_cast<std::size_t>(labels.offsets[j + 1]) - begin;
        std::int64_t* const weights = out.of_label + begin;
        add_classes(labels.counts + begin * labels.n_classes, n, labels.n_classes, weights);
        std::int64_t total = 0, largest = 0, n_values = 0;
        for (std::size_t i = 0; i < n; ++i) {
            total = wrapping_sum(total, weights[i]);
            largest = std::max(largest, weights[i]);
            n_values += weights[i] != 0 ? 1 : 0;
        }
        out.total[j] = total;
        out.largest[j] = largest;
        out.n_values[j] = n_values;
    }
}

}  // namespace bayesieve
