// SPDX-License-Identifier: BSD-3-Clause
// Constants that the two builds of the kernels share.
#pragma once
namespace bayesieve {

// For the error, beliefs are odds against the true class, and a row is wrong if the largest of them, times
// its ratio, exceeds 1. That product is off by less than 3 units of 2^-24: closer calls are left open.
constexpr float kSurelyWrong = 1.0f + 0x1p-20f, kPossiblyWrong = 1.0f - 0x1p-20f;

// Ratios lie between 2^-60 and 2^60, so odds beyond 2^62 decide a row whatever the candidate is, and may be
// cut.
constexpr double kLargestLogOdds = 62 * 0.693147180559945309417232121458;
constexpr double kLn2 = 0.693147180559945309417232121458;

}  // namespace bayesieve
