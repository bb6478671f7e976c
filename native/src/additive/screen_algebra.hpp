// SPDX-License-Identifier: BSD-3-Clause
// The algebra of src/bayesieve/additive/pair_screen.py, operation by operation, of several pairs at
// once.
#pragma once
#include <cstddef>
#include <cstdint>

#include "bayesieve/additive/pair_screen.hpp"
#include "bayesieve/elementary.hpp"
#include "bayesieve/lanes.hpp"

namespace bayesieve {

inline Lanes lanes(double x) { return {x}; }

inline Lanes log_lanes(const Lanes& x) { return in_lanes(x, log_positive); }

// Sums per cell of kLanes pairs, and their contrasts.
struct ScreenCells {
    Lanes gradient[kScreenBins][kScreenBins], curvature[kScreenBins][kScreenBins];
    Lanes a[kScreenBins][kScreenBins], b[kScreenBins][kScreenBins];  // bin, contrast
    Lanes halves_a[kScreenBins - 1], halves_b[kScreenBins - 1];
};

class ScreenAlgebra {
  public:
    explicit ScreenAlgebra(const ScreenBasis& basis);

    Lanes factors(const ScreenCells& cells);

  private:
    static constexpr std::size_t kUnknowns = kScreenBins * kScreenBins;
    static constexpr std::size_t kMargins = 2 * kScreenBins - 1;
    static constexpr std::size_t kInner = kUnknowns - kMargins;
    static constexpr std::size_t kProducts = kScreenBins * (kScreenBins + 1) / 2;

    void fill(const ScreenCells& cells);
    Lanes walk_factor(double t2);
    void halves(const ScreenCells& cells, Lanes& information, Lanes& slope) const;

    ScreenBasis basis_;
    std::size_t row_[kUnknowns], column_[kUnknowns];  // contrasts of the two columns, margins first
    Lanes low_[kUnknowns][kUnknowns], slope_[kUnknowns];
    Lanes inner_[kInner][kInner], rest_[kInner];
};

}  // namespace bayesieve
