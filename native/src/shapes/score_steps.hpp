// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include "bayesieve/elementary.hpp"

namespace bayesieve {

constexpr double kMostChange = 2.0;  // of a score in one update

// Multiples of 2^-40 below 2^12 add up without rounding, in any order.
inline double to_fixed(double x) { return std::rint(x * kFixedOne) * (1.0 / kFixedOne); }

inline double clip(double x, double most) { return x < -most ? -most : x > most ? most : x; }

}  // namespace bayesieve
