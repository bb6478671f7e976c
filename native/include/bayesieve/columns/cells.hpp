// SPDX-License-Identifier: BSD-3-Clause
// Cells between borders: which cell each number is in, counted or coded in one pass over a column, as
// src/bayesieve/bins/cells.py specifies it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bayesieve/columns/column_batch.hpp"

namespace bayesieve {

template <typename Value>
struct OrderedKey;
template <>
struct OrderedKey<float> {
    using type = std::uint32_t;
};
template <>
struct OrderedKey<double> {
    using type = std::uint64_t;
};

// Finds the cell of a number: how many borders are below it. Numbers are compared as integers of the same
// order; their leading bits select a few borders, among which a search without branches goes on.
template <typename Value>
class CellFinder {
  public:
    using Key = typename OrderedKey<Value>::type;

    //   borders  IN (n), not decreasing, neither NaN nor infinite, fewer than 2^31
    CellFinder(const double* borders, std::size_t n);

    std::size_t n_borders() const { return n_; }

    // Whether the border at the lower end of the next cell is this number, given that `cell` is its cell.
    bool is_border(Value value, std::uint32_t cell) const;

    // cells OUT (n): n_borders() + 1 for NaN. Returns whether a number is infinite.
    bool find(const Value* values, std::size_t n, std::uint32_t* cells) const;

  private:
    template <int Steps>
    void search(const Key* keys, std::size_t n, std::uint32_t* cells) const;

    std::size_t n_;
    std::vector<Key> borders_;           // filled up with the largest key
    std::vector<std::uint32_t> begins_;  // borders below each bucket of keys
    Key low_ = 0;
    int shift_ = 0, steps_ = 0;
};

// counts OUT (n_borders + 2, strata.n): the weight in each cell, missing values last; zeros on entry.
// With `others`, borders are labels, cell k holds the numbers that are label k and counts has a row less:
// the rows of other numbers are appended to `others` and not counted. Returns whether a number is infinite.
template <typename Value>
bool count_cells(const CellFinder<Value>& finder, const Value* values, std::size_t n, const Strata& strata,
                 std::int64_t* counts, std::vector<std::int64_t>* others);

// codes OUT (n): codes[i] = code_of_cell[cell of values[rows[i]]].
//   rows          IN (n)
//   code_of_cell  IN (n_borders + 2)
template <typename Value, typename Code>
void code_cells(const CellFinder<Value>& finder, const Value* values, const std::int64_t* rows, std::size_t n,
                const std::int64_t* code_of_cell, Code* codes);

}  // namespace bayesieve
