// SPDX-License-Identifier: BSD-3-Clause
// How much two rows differ in one column, between 0 and 1; NaN is missing.
#pragma once
#include <cmath>
#include <cstddef>

namespace bayesieve {

// Numbers between 0 and 1 without gaps; labels; numbers with gaps.
enum class Trait { complete, nominal, gappy };

constexpr std::size_t kPeers = 16;  // rows of a tile

inline double complete_difference(double x, double y) { return std::fabs(x - y); }

// `penalty` is the chance that two labels differ, if all are as likely.
inline double nominal_difference(double x, double y, double penalty) {
    const double known = x != y ? 1.0 : 0.0;
    return x != x || y != y ? penalty : known;
}

inline double farthest(double x) { return x > 1.0 - x ? x : 1.0 - x; }

// A missing value is taken to be as far away as can be.
inline double gappy_difference(double x, double y) {
    const double from_x = x != x ? 1.0 : farthest(x);
    const double from_y = y != y ? from_x : (x != x ? farthest(y) : std::fabs(x - y));
    return from_y;
}

}  // namespace bayesieve
