// SPDX-License-Identifier: BSD-3-Clause
// What is left of the Brier score of one class against the rest once its keys are recalibrated: isotonic
// regression makes blocks of rows with neighboring keys, and a block with the weights P and Q of its two
// kinds of rows loses P Q / (P + Q).
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bayesieve/ranks/ranking.hpp"
#include "bayesieve/wide.hpp"

namespace bayesieve {

// The sum over blocks, in multiples of 2^-shift with shift = 60 - the number of bits of `mass`, the weight of
// all rows. Keys in any order; `keys` is used up. weights may be nullptr (all 1).
Wide refinement_of_keys(std::vector<std::int64_t>& keys, std::size_t n_negative, const std::int64_t* weights,
                        std::uint64_t mass, RankScratch& scratch);

}  // namespace bayesieve
