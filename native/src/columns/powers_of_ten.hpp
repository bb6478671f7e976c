// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace bayesieve {

// Powers of ten that a double holds exactly: a product or quotient of exact numbers is rounded once.
constexpr double kPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                              1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr int kLargestPower = 22;

}  // namespace bayesieve
