// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace bayesieve {

inline double clip(double x, double most) { return x < -most ? -most : x > most ? most : x; }

}  // namespace bayesieve
