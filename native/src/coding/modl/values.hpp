// SPDX-License-Identifier: BSD-3-Clause
// A contingency table ready for the search: values of positive weight, and which cuts between them a model
// may use.
#pragma once
#include <cstdint>
#include <vector>

#include "bayesieve/coding/modl/intervals.hpp"

namespace bayesieve::modl {

// As many units as functions of them may be looked up for; no more than some a row, lest filling a table take
// longer than the search.
std::int64_t worth_tabulating(const IntervalTables& tables);

struct Values {
    Values(const IntervalTables& tables, std::size_t table);

    std::size_t n() const { return begins.size(); }
    std::int64_t total() const { return mass.back(); }

    // Once, before cells of several granularities.
    void find_borders();

    // Where the cells of a granularity begin, as positions among the values; `finest`: they are the values.
    std::vector<std::uint32_t> cells(int granularity, bool finest) const;

    int n_classes;
    bool head;                         // the first value must stay alone
    std::vector<std::int64_t> begins;  // (n): row of the table where a cut before this value lies
    std::vector<std::int64_t> sums;    // (n + 1, n_classes): weight of each class before each value
    std::vector<std::int64_t> mass;    // (n + 1): weight before each value

  private:
    template <int Classes>
    void read(const std::int64_t* counts, std::size_t n_rows);
    void pool_violators(int direction);
    std::size_t border(std::int64_t q, int granularity, std::size_t right) const;
    std::int64_t last_aim(std::size_t value, int granularity) const;

    int known_ = 0;                       // the finest granularity whose borders are known
    std::vector<std::uint32_t> borders_;  // (2^known_): of each of its cells but the first
};

}  // namespace bayesieve::modl
