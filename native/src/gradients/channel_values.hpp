// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstddef>
#include <cstdint>

#include "bayesieve/elementary.hpp"

namespace bayesieve {

// The table entry of a code in each channel, in nats: the log-odds of the second class, or each class against
// the mean.
inline void channel_values(const std::int64_t* entry, std::size_t n_classes, double* out) {
    if (n_classes == 2) {
        out[0] = static_cast<double>(entry[1] - entry[0]) * (1.0 / kFixedOne);
        return;
    }
    double sum = 0.0;
    for (std::size_t c = 0; c < n_classes; ++c) sum = sum + static_cast<double>(entry[c]) * (1.0 / kFixedOne);
    const double mean = sum / static_cast<double>(n_classes);
    for (std::size_t c = 0; c < n_classes; ++c)
        out[c] = static_cast<double>(entry[c]) * (1.0 / kFixedOne) - mean;
}

}  // namespace bayesieve
