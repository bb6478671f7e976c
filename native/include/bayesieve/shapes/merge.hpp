// SPDX-License-Identifier: BSD-3-Clause
// Cuts of a sequence of scores into bins: half the weighted squares within bins plus a price per bin is
// least.
#pragma once
#include <cstddef>
#include <cstdint>

namespace bayesieve {

// bin[v]: number of the bin of score v. Of equal costs the one whose last bin begins first.
void merge_scores(const double* scores, const double* weights, std::size_t n, double price,
                  std::int64_t* bin);

}  // namespace bayesieve
