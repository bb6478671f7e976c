// SPDX-License-Identifier: BSD-3-Clause
// Sums of products that do not fit 64 bits.
#pragma once
#include <cstdint>

namespace bayesieve {

// A 128-bit unsigned sum.
struct Wide {
    std::uint64_t low = 0, high = 0;

    void add(std::uint64_t value) {
        low += value;
        high += low < value;
    }

    // Adds a * b, from four products of 32-bit halves.
    void add_product(std::uint64_t a, std::uint64_t b) {
        const std::uint64_t a0 = a & 0xffffffff, a1 = a >> 32, b0 = b & 0xffffffff, b1 = b >> 32;
        const std::uint64_t middle = a1 * b0 + ((a0 * b0) >> 32);
        const std::uint64_t cross = a0 * b1 + (middle & 0xffffffff);
        add((cross << 32) | ((a0 * b0) & 0xffffffff));
        high += a1 * b1 + (middle >> 32) + (cross >> 32);
    }

    void add(const Wide& other) {
        add(other.low);
        high += other.high;
    }

    double approximate() const { return static_cast<double>(high) * 0x1p64 + static_cast<double>(low); }
};

}  // namespace bayesieve
