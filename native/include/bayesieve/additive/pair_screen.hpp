// SPDX-License-Identifier: BSD-3-Clause
// Log Bayes factors of all pairs of columns on at most 4 x 4 cells.
//
// Columns are joined in twos: one pass over a double column on the left and one on the right fills 256 cells,
// whose margins are the cells of four pairs.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bayesieve/additive/cell_sums.hpp"
#include "bayesieve/columns/column_batch.hpp"

namespace bayesieve {

constexpr std::size_t kScreenBins = 4, kScreenScales = 4;

// Constants of src/bayesieve/additive/pair_screen.py.
struct ScreenBasis {
    const double* contrasts;       // IN (5, 4, 4): number of bins, bin, contrast
    const double* halves;          // IN (5, 3): number of bins, contrast
    const double* squared_scales;  // IN (kScreenScales)
    double ridge;
};

class PairScreen {
  public:
    // codes IN (n_columns, n_rows), below their n_bins IN (n_columns), from 2 to 4. All but the codes is
    // copied.
    PairScreen(const PairCodes& codes, const std::int64_t* n_bins, const ScreenBasis& basis);

    PairScreen(const PairScreen&) = delete;
    PairScreen& operator=(const PairScreen&) = delete;

    std::size_t n_doubles() const { return (n_columns_ + 1) / 2; }

    // Number of pairs (a, b) with a < b and a in the double columns first .. last - 1.
    std::size_t n_pairs(std::size_t first, std::size_t last) const;

    // factors OUT (n_pairs(first, last)), ordered by a, then by b.
    void factors(const RowSlopes& slopes, double unit, std::size_t first, std::size_t last, double* factors,
                 const Threads& threads) const;

  private:
    class Task;

    std::size_t n_columns_, n_rows_;
    std::vector<std::uint8_t> doubles_;  // (n_doubles, n_rows)
    std::vector<std::size_t> n_bins_;
    std::vector<double> constants_;
    ScreenBasis basis_;
};

}  // namespace bayesieve
