// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/columns/bounds.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace bayesieve {
namespace {

// Powers of ten that a double holds exactly: a product or quotient of exact numbers is rounded once.
constexpr double kPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                              1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr int kLargestPower = 22;

constexpr double kClose = 0.1;  // of the gap, to either side of its middle
constexpr int kDigits = 17;     // distinguish all doubles

double middle_of(double left, double right) {
    const double middle = left / 2 + right / 2;
    return middle >= left && middle < right ? middle : left;
}

// The number of so many digits nearest to a given one, without writing it, where that is certain: a whole
// number below 2^53 times or divided by an exact power of ten is rounded once, as reading its digits would be
// (Clinger 1990). Errors of this arithmetic are below kSure units of the last digit.
class NearestDecimal {
  public:
    explicit NearestDecimal(double number) : number_(number), size_(std::fabs(number)) {
        if (!(size_ > 1e-20 && size_ < 1e20)) return;
        exponent_ = static_cast<int>(std::floor(std::log10(size_)));
        const double leading = scaled(exponent_);
        certain_ = leading > 1.0 + kSure && leading < 10.0 - kSure;  // the logarithm is rounded, too
    }

    // Whether the number of so many digits after the first is known, and then which one it is.
    bool find(int digits, double& nearest) const {
        const int unit = exponent_ - digits;  // of the last digit
        if (!certain_ || digits >= kFewDigits || unit < -kLargestPower) return false;
        const double all_digits = scaled(unit), whole = std::nearbyint(all_digits);
        if (std::fabs(all_digits - whole) > 0.5 - kSure) return false;
        nearest = std::copysign(unit < 0 ? whole / kPowers[-unit] : whole * kPowers[unit], number_);
        return true;
    }

  private:
    static constexpr double kSure = 1e-4;
    static constexpr int kFewDigits = 10;

    double scaled(int unit) const { return unit < 0 ? size_ * kPowers[-unit] : size_ / kPowers[unit]; }

    double number_, size_;
    int exponent_ = 0;
    bool certain_ = false;
};

double shortest(double left, double right) {
    const double middle = middle_of(left, right);
    const double reach = kClose * right - kClose * left;  // no overflow where right - left would
    char text[40];
    const NearestDecimal decimal(middle);
    for (int digits = 0; digits < kDigits; ++digits) {
        double candidate;
        if (!decimal.find(digits, candidate)) {
            std::snprintf(text, sizeof text, "%.*e", digits, middle);
            candidate = std::strtod(text, nullptr);
        }
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
