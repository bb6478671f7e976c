// What boosting asks of the rows: the pulls of all rows, added up by the code that they have in each column.
#pragma once
#include <cstddef>
#include <cstdint>

#include "bayesieve/columns/column_batch.hpp"
#include "bayesieve/filters/joint_sums.hpp"

namespace bayesieve {

// Integers that pull at each row; all together they stay below 2^63.
struct Pulls {
    const std::int64_t* values;  // IN (n_rows, width)
    std::size_t width;
};

// sums OUT: for each of the columns (n_codes, width), one after the other; zeros on entry. Codes must be
// below n_codes of their column. A thread takes a column at a time.
void sum_pulls(const RawCodes& codes, const std::int64_t* columns, std::size_t n, const Pulls& pulls,
               std::int64_t* sums, const Crew& crew);

}  // namespace bayesieve
