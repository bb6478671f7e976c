// SPDX-License-Identifier: BSD-3-Clause
// Cuts of a sequence of scores into bins: half the weighted squares within bins, summed over the scores that
// a place of the sequence has, plus a price per bin is least.
#pragma once
#include <cstddef>
#include <cstdint>

namespace bayesieve {

// scores and weights: (n, n_scores). bin[v]: number of the bin of place v. Of equal costs the one whose last
// bin begins first.
void merge_scores(const double* scores, const double* weights, std::size_t n, std::size_t n_scores,
                  double price, std::int64_t* bin);

}  // namespace bayesieve
