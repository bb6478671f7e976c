// SPDX-License-Identifier: BSD-3-Clause
// Four doubles at a time: the same algebra for four classes, or pairs, at once. Each lane has the bits of a
// double.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstring>

#include "bayesieve/elementary.hpp"

namespace bayesieve {

constexpr std::size_t kLanes = 4;

// Two doubles, in one register of any x86-64 or ARM processor where the compiler has such a type.
#if defined(__GNUC__)
typedef double Two __attribute__((vector_size(16)));  // NOLINT: an attribute of a typedef
#else
struct Two {
    double a, b;
};
inline Two operator+(Two x, Two y) { return {x.a + y.a, x.b + y.b}; }
inline Two operator-(Two x, Two y) { return {x.a - y.a, x.b - y.b}; }
inline Two operator*(Two x, Two y) { return {x.a * y.a, x.b * y.b}; }
inline Two operator/(Two x, Two y) { return {x.a / y.a, x.b / y.b}; }
#endif

struct Lanes {
    double v[kLanes];

    Lanes() = default;
    Lanes(double each) { std::fill_n(v, kLanes, each); }  // NOLINT: a number is the same in every lane
    Lanes(Two first, Two second) {
        std::memcpy(v, &first, sizeof first), std::memcpy(v + 2, &second, sizeof second);
    }

    Two half(std::size_t h) const {
        Two own;
        std::memcpy(&own, v + 2 * h, sizeof own);
        return own;
    }
};

inline Lanes operator+(const Lanes& a, const Lanes& b) {
    return {a.half(0) + b.half(0), a.half(1) + b.half(1)};
}
inline Lanes operator-(const Lanes& a, const Lanes& b) {
    return {a.half(0) - b.half(0), a.half(1) - b.half(1)};
}
inline Lanes operator*(const Lanes& a, const Lanes& b) {
    return {a.half(0) * b.half(0), a.half(1) * b.half(1)};
}
inline Lanes operator/(const Lanes& a, const Lanes& b) {
    return {a.half(0) / b.half(0), a.half(1) / b.half(1)};
}
inline Lanes operator-(const Lanes& a) { return Lanes(-1.0) * a; }
inline Lanes& operator+=(Lanes& a, const Lanes& b) { return a = a + b; }

// The same functions of a double and of lanes.
inline double larger(double a, double b) { return std::max(a, b); }
inline Lanes larger(const Lanes& a, const Lanes& b) {
    Lanes result;
    for (std::size_t l = 0; l < kLanes; ++l) result.v[l] = std::max(a.v[l], b.v[l]);
    return result;
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
