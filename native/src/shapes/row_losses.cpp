// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/shapes/row_losses.hpp"

#include <algorithm>

#include "bayesieve/elementary.hpp"
#include "bayesieve/kernels/kernels.hpp"

namespace bayesieve {

void row_losses(const double* log_odds, const double* target, std::size_t n, double* losses) {
    double against[kChunk], e[kChunk];
    for (std::size_t begin = 0; begin < n; begin += kChunk) {
        const std::size_t size = std::min(kChunk, n - begin);
        for (std::size_t i = 0; i < size; ++i) {
            const double z = log_odds[begin + i];
            against[i] = target[begin + i] > 0.5 ? -z : z;
            e[i] = z < 0.0 ? z : -z;
        }
        kernels().exponentials(size, e);
        for (std::size_t i = 0; i < size; ++i) {
            const double loss = (against[i] > 0.0 ? against[i] : 0.0) + log_positive(1.0 + e[i]);
            losses[begin + i] = against[i] == against[i] ? loss : against[i];  // of NaN, NaN
        }
    }
}

}  // namespace bayesieve
