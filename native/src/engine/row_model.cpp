// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/engine/row_model.hpp"

#include <algorithm>

namespace bayesieve {

void RowModel::changed_log_odds(const std::vector<std::int64_t>& log_odds, const std::vector<Change>& changes,
                                const ChangeTables& tables, std::vector<std::int64_t>& out) const {
    if (changes.empty()) {
        out.assign(log_odds.begin(), log_odds.end());
        return;
    }
    std::vector<std::int64_t> chunk(2 * kChunk);
    out.resize(segment_.n_rows);
    for (std::size_t i = 0; i < segment_.n_rows; i += kChunk) {
        const std::size_t n = std::min(kChunk, segment_.n_rows - i);
        changed_evidence(changes, tables, i, n, chunk.data());
        for (std::size_t k = 0; k < n; ++k) out[i + k] = chunk[kChunk + k] - chunk[k];
    }
}

}  // namespace bayesieve
