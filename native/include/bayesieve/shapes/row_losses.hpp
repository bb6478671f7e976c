// SPDX-License-Identifier: BSD-3-Clause
// Log loss of each row of two classes; the same bits as the NumPy twin in
// src/bayesieve/additive/row_losses.py.
#pragma once
#include <cstddef>

namespace bayesieve {

//   log_odds, target  IN  (n), classes are 0 or 1
//   losses            OUT (n)
void row_losses(const double* log_odds, const double* target, std::size_t n, double* losses);

}  // namespace bayesieve
