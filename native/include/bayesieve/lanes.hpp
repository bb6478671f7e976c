// SPDX-License-Identifier: BSD-3-Clause
// Four doubles at a time: the same algebra for four classes, or pairs, at once. Each lane has the bits of a
// double.
#pragma once
#include <algorithm>
#include <cstddef>

#include "bayesieve/elementary.hpp"

namespace bayesieve {

constexpr std::size_t kLanes = 4;

struct Lanes {
    double v[kLanes];

    Lanes() = default;
    Lanes(double each) { std::fill_n(v, kLanes, each); }  // NOLINT: a number is the same in every lane
};

template <typename Operation>
inline Lanes each_lane(const Lanes& a, const Lanes& b, Operation operation) {
    Lanes result;
    for (std::size_t l = 0; l < kLanes; ++l) result.v[l] = operation(a.v[l], b.v[l]);
    return result;
}

inline Lanes operator+(const Lanes& a, const Lanes& b) {
    return each_lane(a, b, [](double x, double y) { return x + y; });
}
inline Lanes operator-(const Lanes& a, const Lanes& b) {
    return each_lane(a, b, [](double x, double y) { return x - y; });
}
inline Lanes operator*(const Lanes& a, const Lanes& b) {
    return each_lane(a, b, [](double x, double y) { return x * y; });
}
inline Lanes operator/(const Lanes& a, const Lanes& b) {
    return each_lane(a, b, [](double x, double y) { return x / y; });
}
inline Lanes& operator+=(Lanes& a, const Lanes& b) { return a = a + b; }

// The same functions of a double and of lanes.
inline double larger(double a, double b) { return std::max(a, b); }
inline Lanes larger(const Lanes& a, const Lanes& b) {
    return each_lane(a, b, [](double x, double y) { return std::max(x, y); });
}

template <typename Function>
inline double in_lanes(double x, Function function) {
    return function(x);
}
template <typename Function>
inline Lanes in_lanes(const Lanes& x, Function function) {
    Lanes result;
    for (std::size_t l = 0; l < kLanes; ++l) result.v[l] = function(x.v[l]);
    return result;
}

}  // namespace bayesieve
