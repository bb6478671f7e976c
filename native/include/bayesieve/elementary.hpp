// SPDX-License-Identifier: BSD-3-Clause
// exp and log that give the same bits on every machine: only operations that IEEE 754 fixes exactly, in the
// order of src/bayesieve/exact.py. Compile without floating-point contraction. Written without
// branches and calls, so that compilers vectorize loops over them.
#pragma once
#include <cstdint>
#include <cstring>

namespace bayesieve {

constexpr double kFixedOne = 1099511627776.0;  // 2^40

inline std::int64_t bits_of(double x) {
    std::int64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}

inline double double_of(std::int64_t bits) {
    double x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}

// Adding 1.5 * 2^52 leaves the nearest integer (halves to even) in the low bits of a double below 2^51 in
// size.
constexpr double kMagic = 6755399441055744.0;

inline std::int64_t nearest_integer(double x) { return bits_of(x + kMagic) - bits_of(kMagic); }

inline double double_of_small(std::int64_t n) { return double_of(n + bits_of(kMagic)) - kMagic; }

// A fixed-point number that is at most 0, as a double; what exp takes for 0 is cut off first, so that it
// stays small.
inline double unfix(std::int64_t fixed) {
    constexpr std::int64_t lowest = -(std::int64_t{701} << 40);
    return double_of_small(fixed < lowest ? lowest : fixed) * (1.0 / kFixedOne);
}

inline double exp_nonpositive(double x) {
    constexpr double log2_e = 0x1.71547652b82fep+0, ln2_high = 0x1.62e42fee00000p-1;
    constexpr double ln2_low = 0x1.a39ef35793c76p-33, least = -700.0;
    const double clipped = x < least ? least : x;
    const double shifted = clipped * log2_e + kMagic;
    const double k = shifted - kMagic;
    const double r = (clipped - k * ln2_high) - k * ln2_low;
    double p = 1.0 / 6227020800.0;
    p = p * r + 1.0 / 479001600.0;
    p = p * r + 1.0 / 39916800.0;
    p = p * r + 1.0 / 3628800.0;
    p = p * r + 1.0 / 362880.0;
    p = p * r + 1.0 / 40320.0;
    p = p * r + 1.0 / 5040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 1.0 / 2.0;
    p = p * r + 1.0;
    p = p * r + 1.0;
    // 2^k as bits; k is at least -1010, so the product is normal and exact.
    const double scale = double_of((bits_of(shifted) - bits_of(kMagic) + 1023) << 52);
    return x < least ? 0.0 : p * scale;
}

inline double log_positive(double x) {
    constexpr double ln2_high = 0x1.62e42fee00000p-1, ln2_low = 0x1.a39ef35793c76p-33;
    constexpr double sqrt_half = 0x1.6a09e667f3bcdp-1;
    const std::int64_t bits = bits_of(x);
    double mantissa = double_of((bits & 0x000fffffffffffff) | 0x3fe0000000000000);
    const bool low = mantissa < sqrt_half;
    mantissa = low ? mantissa * 2.0 : mantissa;
    // x is positive; AVX2 shifts 64-bit integers only as unsigned ones.
    const auto exponent = static_cast<std::int64_t>(static_cast<std::uint64_t>(bits) >> 52);
    const double e = double_of_small(exponent - 1022 - (low ? 1 : 0));
    const double t = (mantissa - 1.0) / (mantissa + 1.0);
    const double square = t * t;
    double series = 1.0 / 23.0;
    series = series * square + 1.0 / 21.0;
    series = series * square + 1.0 / 19.0;
    series = series * square + 1.0 / 17.0;
    series = series * square + 1.0 / 15.0;
    series = series * square + 1.0 / 13.0;
    series = series * square + 1.0 / 11.0;
    series = series * square + 1.0 / 9.0;
    series = series * square + 1.0 / 7.0;
    series = series * square + 1.0 / 5.0;
    series = series * square + 1.0 / 3.0;
    series = series * square + 1.0;
    return e * ln2_high + ((2.0 * t) * series + e * ln2_low);
}

}  // namespace bayesieve
