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

// Tells in most cases without writing it that the number of so many digits nearest to a given one is out of
// reach. Errors of this arithmetic are below kSure units of the last digit, also where the logarithm is off.
class Nearest {
  public:
    explicit Nearest(double number) : size_(std::fabs(number)) {
        if (size_ > 1e-20 && size_ < 1e20) unit_ = std::pow(10.0, std::floor(std::log10(size_)));
    }

    bool is_beyond(double reach) const {
        const double scaled = size_ / unit_;
        return unit_ > 0.0 && (std::fabs(scaled - std::nearbyint(scaled)) - kSure) * unit_ > reach;
    }

    void add_digit() { unit_ = ++digits_ < kFewDigits ? unit_ / 10.0 : 0.0; }

  private:
    static constexpr double kSure = 1e-4;
    static constexpr int kFewDigits = 10;

    double size_, unit_ = 0.0;  // of the last digit; 0: nothing is told
    int digits_ = 0;
};

double shortest(double left, double right) {
    const double middle = middle_of(left, right);
    const double reach = kClose * right - kClose * left;  // no overflow where right - left would
    char text[40];
    Nearest nearest(middle);
    for (int digits = 0; digits < kDigits; ++digits, nearest.add_digit()) {
        if (nearest.is_beyond(reach)) continue;
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
