// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/columns/picked_rows.hpp"

#include <algorithm>
#include <vector>

namespace bayesieve {

bool pick_rows(const std::int32_t* ids, std::size_t n_rows, std::int32_t n_labels, const std::int64_t* rows,
               std::size_t n, std::uint8_t* occurs, std::int32_t* picked) {
    std::fill(occurs, occurs + n_labels + 1, std::uint8_t{0});
    for (std::size_t i = 0; i < n; ++i) {
        if (static_cast<std::uint64_t>(rows[i]) >= n_rows) return false;
        const std::int32_t id = ids[rows[i]];
        if (id < 0 || id > n_labels) return false;
        occurs[id] = 1;
        picked[i] = id;
    }
    if (std::find(occurs, occurs + n_labels, std::uint8_t{0}) == occurs + n_labels) return true;
    std::vector<std::int32_t> position(static_cast<std::size_t>(n_labels) + 1);
    std::int32_t next = 0;
    for (std::int32_t k = 0; k <= n_labels; ++k) {
        position[static_cast<std::size_t>(k)] = next;
        next += occurs[k];
    }
    for (std::size_t i = 0; i < n; ++i) picked[i] = position[static_cast<std::size_t>(picked[i])];
    return true;
}

}  // namespace bayesieve
