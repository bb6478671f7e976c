// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/columns/bounds.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace bayesieve {
namespace {

constexpr double kClose = 0.1;  // of the gap, to either side of its middle
constexpr int kDigits = 17;     // distinguish all doubles

double middle_of(double left, double right) {
    const double middle = left / 2 + right / 2;
    return middle >= left && middle < right ? middle : left;
}

double shortest(double left, double right) {
    const double middle = middle_of(left, right);
    const double reach = kClose * right - kClose * left;  // no overflow where right - left would
    char text[40];
    for (int digits = 0; digits < kDigits; ++digits) {
        std::snprintf(text, sizeof text, "%.*e", digits, middle);
        const double candidate = std::strtod(text, nullptr);
        if (std::fabs(candidate - middle) <= reach && left <= candidate && candidate < right)
            return candidate;
    }
    return middle;
}

}  // namespace

void readable_between(const double* left, const double* right, std::size_t n, double* out) {
    for (std::size_t i = 0; i < n; ++i) out[i] = shortest(left[i], right[i]);
}

}  // namespace bayesieve
