// SPDX-License-Identifier: BSD-3-Clause
// The scan of errors among columns of two codes: evidence in 16 bits instead of beliefs.
//
// A row of class y is wrong if a class c has a lead e_c - e_y + t_c > 0, where t_c is what the candidate adds
// to it (one unit more if c < y, which wins ties). With leads and additions rounded down to steps of 2^k
// units, a sum of n steps stands for n steps or less than two more: the row is surely wrong from 1 on, and
// surely right below -1. A lead that no candidate can turn is cut to 16 bits.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "bayesieve/engine/segment.hpp"
#include "bayesieve/kernels/kernels.hpp"

namespace bayesieve {

class ErrorLeads {
  public:
    using Table = std::array<std::int16_t, 2 * kMostLeads>;

    // Whether this build scans the rows and columns of a segment so.
    static bool serve(const Segment& segment);

    void build(const Segment& segment);
    void refresh(const Segment& segment, const std::vector<std::int64_t>& evidence);

    LeadBlock rows(int y) const;
    // The candidate among the rows of class y; a table that is not ready goes to `room`. False if it adds
    // more than a column that is added as a whole.
    bool find(const Segment& segment, const Change& change, int y, std::vector<std::int64_t>& scratch,
              Table& room, LeadColumn& out) const;

  private:
    // What the codes of a column add to the leads over class y, in steps: (n_classes - 1, 2).
    bool write_steps(const std::int64_t* added, int n_used, int n_classes, int y, Table& out) const;

    int step_bits_ = 0;
    std::vector<Table> tables_;            // (n_columns, n_classes): of columns that are added
    std::vector<std::size_t> first_word_;  // of each class, and the words of a column
    std::vector<std::uint64_t> bits_;      // (n_columns, words)
    std::vector<std::vector<std::int16_t>> leads_;
};

}  // namespace bayesieve
