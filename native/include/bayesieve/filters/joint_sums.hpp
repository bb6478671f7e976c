// SPDX-License-Identifier: BSD-3-Clause
// Sums of n log n over the cells of contingency tables of two code columns, and of two code columns and the
// class: all that entropies, and so the information-theoretic filters, need.
//
// n log n is rounded once to a multiple of 2^-shift and added as an integer, so that no sum depends on the
// order of rows, codes or threads.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "bayesieve/columns/column_batch.hpp"
#include "bayesieve/columns/raw_codes.hpp"

namespace bayesieve {

// Rows are sorted by class: those of class c are class_begins[c] .. class_begins[c + 1] - 1.
struct ClassRows {
    std::vector<std::size_t> class_begins;
    const std::int64_t* weights;  // IN (n_rows); nullptr if all are `weight`
    std::int64_t weight;
};

class JointSums {
  public:
    // The arrays are kept, not copied. Codes must be below n_codes of their column, weights positive and n
    // log n of their sum below 2^(50 - shift).
    JointSums(const RawCodes& codes, const ClassRows& rows, int shift);

    // pairs OUT (n): the sum over the cells of (columns[i], other); with_class OUT (n), nullptr if not
    // wanted: over those of (columns[i], other, class).
    void sums(std::size_t other, const std::int64_t* columns, std::size_t n, std::int64_t* pairs,
              std::int64_t* with_class, const Threads& threads) const;

    // The rounded n log n of a number of rows, or of a weight where weights differ.
    std::int64_t logs(std::int64_t n) const;

  private:
    struct Planes {
        std::size_t begin;   // in words_: (n_codes - 1) planes of n_words_ words
        std::size_t counts;  // in counts_: (n_classes, n_codes)
    };
    struct Scratch;

    void add_planes(std::size_t j, std::vector<std::uint8_t>& room);
    const std::uint8_t* narrow_codes(std::size_t column, std::vector<std::uint8_t>& room) const;
    bool has_planes(std::size_t column) const { return planes_[column].begin != kNone; }
    void spread(std::size_t column, std::vector<std::uint32_t>& out) const;
    void sums_of_planes(std::size_t other, std::size_t column, std::int64_t* pair,
                        std::int64_t* with_class) const;
    void sums_of_codes(const std::vector<std::uint32_t>& other, std::size_t n_other, std::size_t column,
                       Scratch& scratch, std::int64_t* pair, std::int64_t* with_class) const;
    template <typename Code>
    void sums_of_few(const std::vector<std::uint32_t>& other, std::size_t n_cells, const Code* codes,
                     std::size_t n_codes, Scratch& scratch, std::int64_t* pair,
                     std::int64_t* with_class) const;
    template <typename Code>
    void sums_of_column(const std::vector<std::uint32_t>& other, std::size_t n_other, const Code* codes,
                        std::size_t n_codes, Scratch& scratch, std::int64_t* pair,
                        std::int64_t* with_class) const;

    static constexpr std::size_t kNone = ~std::size_t{0};

    RawCodes codes_;
    ClassRows rows_;
    double scale_;
    std::size_t n_classes_, n_words_ = 0;
    std::vector<std::size_t> word_begins_;  // where the words of each class begin in a plane
    std::vector<Planes> planes_;
    std::vector<std::uint64_t> words_;
    std::vector<std::uint32_t> counts_;
    std::vector<std::int64_t> logs_;
};

}  // namespace bayesieve
