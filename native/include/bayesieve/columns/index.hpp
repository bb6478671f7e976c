// SPDX-License-Identifier: BSD-3-Clause
// Distinct numbers in order, and where each row's stands among them.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bayesieve {

// Columns of one type, of which neither rows nor columns need be neighbors in memory; steps are in numbers.
template <typename Number>
struct NumberColumns {
    const Number* first;
    std::size_t n_columns, n_rows;
    std::ptrdiff_t column_step, row_step;

    // Number of columns that are best indexed together: those that share a cache line, and some more, since
    // neighboring lines are fetched together.
    std::size_t together() const {
        if (row_step == 1 || n_rows == 0) return 1;
        const std::size_t most = (std::size_t{1} << 22) / (n_rows * sizeof(Number));
        return std::max<std::size_t>(
            1, std::min<std::size_t>(std::max<std::size_t>(64 / sizeof(Number), 32), most));
    }
};

// Writes the distinct numbers of each column in increasing order, and each row's position among them. NaN is
// missing: its position is the number of distinct values. Minus zero is zero, and whole numbers that no
// double has are rounded. Instantiated for floats and for integers of 8 to 64 bits.
//   ids       OUT (n_columns, n_rows), of the columns from begin to end - 1
//   distinct  OUT (n_columns)
template <typename Number>
void index_columns(const NumberColumns<Number>& columns, std::size_t begin, std::size_t end,
                   std::int32_t* ids, std::vector<double>* distinct);

}  // namespace bayesieve
