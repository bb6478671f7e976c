// SPDX-License-Identifier: BSD-3-Clause
// Votes: each column votes or not, and n of k votes decide; see src/bayesieve/models/votes.py.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "bayesieve/engine/row_model.hpp"

namespace bayesieve {

struct VoteRule {
    bool counts_refusals;                // whether columns that do not vote are counted
    std::int64_t cap;                    // from which count on it no longer matters how many there are
    std::vector<std::int64_t> decisive;  // the count that decides, of 0, 1 ... n_columns columns
};

// For segments of two classes, whose tables hold votes against and for, in multiples of 2^-50.
std::unique_ptr<RowModel> make_votes(const Segment& segment, const VoteRule& rule);

}  // namespace bayesieve
