// SPDX-License-Identifier: BSD-3-Clause
// Positive numbers m 2^(500 e), far below the range of float64; see src/bayesieve/models/scaled_floats.py,
// whose operations and order these are.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bayesieve/elementary.hpp"

namespace bayesieve {

constexpr double kUp = 0x1p500, kDown = 0x1p-500;

struct Scaled {
    double m;
    std::int64_t e;

    Scaled times(double factor) const {
        const double product = m * factor;
        const bool low = product < kDown;
        return {low ? product * kUp : product, e - (low ? 1 : 0)};
    }

    Scaled plus(const Scaled& other) const {
        const std::int64_t top = e > other.e ? e : other.e;
        return {m * shift(e - top) + other.m * shift(other.e - top), top};
    }

    // As an ordinary number; 0 if it is below the range of those.
    double value() const { return m * shift(e); }

  private:
    static double shift(std::int64_t e) { return e == 0 ? 1.0 : e == -1 ? kDown : 0.0; }
};

// Such a number for each of some rows.
struct ScaledRows {
    std::vector<double> m;
    std::vector<std::int32_t> e;

    void resize(std::size_t n) {
        m.resize(n);
        e.resize(n);
    }
    Scaled at(std::size_t i) const { return {m[i], e[i]}; }
    void put(std::size_t i, const Scaled& x) {
        m[i] = x.m;
        e[i] = static_cast<std::int32_t>(x.e);
    }
};

}  // namespace bayesieve
