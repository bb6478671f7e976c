// SPDX-License-Identifier: BSD-3-Clause
// Gradient histograms: per code of a column, the sums of the gradients (and hessians) of its rows.
#pragma once
#include <cstddef>
#include <cstdint>

#include "bayesieve/columns/column_batch.hpp"
#include "bayesieve/columns/raw_codes.hpp"

namespace bayesieve {

// Gradients and hessians per row, as integers whose sums stay below 2^63.
struct RowGradients {
    const std::int64_t* values;  // IN (n_rows, width)
    std::size_t width;
};

// sums OUT: for each of the columns (n_codes, width), one after the other; zeros on entry. Codes must be
// below n_codes of their column. A thread takes a column at a time.
void add_gradient_histograms(const RawCodes& codes, const std::int64_t* columns, std::size_t n,
                             const RowGradients& gradients, std::int64_t* sums, const Threads& threads);

}  // namespace bayesieve
