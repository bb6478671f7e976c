// Distinct numbers in order, and where each row's stands among them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bayesieve {

// NaN is missing: its position is the number of distinct values. Minus zero is zero.
//   values  IN  (n)
//   ids     OUT (n)
std::vector<double> index_numbers(const double* values, std::size_t n, std::int32_t* ids);

// Rows of a column that has been indexed.
struct IndexedRows {
    const std::int32_t* ids;  // IN (n_all), each below n_ids
    std::size_t n_all;
    std::int64_t n_ids;
    const std::int64_t* rows;  // IN (n), which rows: each below n_all
    std::size_t n;
};

// Says in one sentence what is out of range; nullptr if nothing is.
const char* find_fault(const IndexedRows& rows);

// counts[id * n_classes + class] += weight; OUT (n_ids, n_classes). False if a class is out of range.
//   target   IN (n), of these rows
//   weights  IN (n), of these rows; nullptr if all are 1
bool count_indexed(const IndexedRows& rows, const std::int32_t* target, const std::int64_t* weights,
                   std::int32_t n_classes, std::int64_t* counts);

// codes[i] = parts[ids[rows[i]]]; parts IN (n_ids)
template <typename Code>
void look_up(const IndexedRows& rows, const std::int64_t* parts, Code* codes);

}  // namespace bayesieve
