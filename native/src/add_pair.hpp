// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>

namespace bayesieve {

// Both numbers at once.
inline void add_pair(const std::int64_t* pair, std::int64_t* sum) {
    const std::int64_t first = pair[0], second = pair[1];
    sum[0] += first;
    sum[1] += second;
}

}  // namespace bayesieve
