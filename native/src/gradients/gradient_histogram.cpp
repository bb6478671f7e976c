// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/gradients/gradient_histogram.hpp"

#include <vector>

#include "bayesieve/pool.hpp"
#include "gradients_by_code.hpp"

namespace bayesieve {
namespace {

CodeEntries entries_of(const RawCodes& codes, std::size_t k) {
    const std::int64_t begin = codes.begins[k];
    return {codes.rows + begin, codes.codes + begin, static_cast<std::size_t>(codes.begins[k + 1] - begin),
            codes.common[k]};
}

std::vector<std::int64_t> totals_of(const RowGradients& gradients, std::size_t n_rows) {
    std::vector<std::int64_t> totals(gradients.width, 0);
    for (std::size_t i = 0; i < n_rows; ++i)
        for (std::size_t k = 0; k < gradients.width; ++k)
            totals[k] += gradients.values[i * gradients.width + k];
    return totals;
}

}  // namespace

void add_gradient_histograms(const RawCodes& codes, const std::int64_t* columns, std::size_t n,
                             const RowGradients& gradients, std::int64_t* sums, const Threads& threads) {
    const std::size_t n_rows = codes.n_rows, n_dense = codes.n_narrow + codes.n_wide;
    const std::vector<std::int64_t> totals =
        codes.n_sparse > 0 ? totals_of(gradients, n_rows) : std::vector<std::int64_t>();
    std::vector<std::int64_t*> begins(n);
    for (std::size_t k = 0; k < n; ++k) {
        begins[k] = sums;
        sums += static_cast<std::size_t>(codes.n_codes[columns[k]]) * gradients.width;
    }
    const auto add = [&](std::size_t k) {
        const auto place = static_cast<std::size_t>(codes.place[columns[k]]);
        if (place >= n_dense) {
            add_entry_gradients(entries_of(codes, place - n_dense), gradients.values, totals.data(),
                                gradients.width, begins[k]);
            return;
        }
        CodeColumn column;
        column.n_codes = static_cast<std::int32_t>(codes.n_codes[columns[k]]);
        if (place < codes.n_narrow) {
            column.narrow = codes.narrow + place * n_rows;
        } else {
            column.wide = codes.wide + (place - codes.n_narrow) * n_rows;
        }
        CodeSums own(column, gradients.width, n_rows);
        own.add(gradients.values, 0, n_rows);
        own.add_to(begins[k]);
    };
    run_blocks(
        n, 1, threads.n_threads,
        [&](std::size_t begin, std::size_t end, int) {
            for (std::size_t k = begin; k < end; ++k) add(k);
        },
        threads.poll);
}

}  // namespace bayesieve
