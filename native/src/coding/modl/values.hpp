// SPDX-License-Identifier: BSD-3-Clause
// A contingency table ready for the search: values of positive weight, and which cuts between them a model
// may use.
#pragma once
#include <cstdint>
#include <vector>

#include "arena.hpp"
#include "bayesieve/coding/modl/intervals.hpp"

namespace bayesieve::modl {

// As many units as functions of them may be looked up for; no more than some a row, lest filling a table take
// longer than the search.
std::int64_t worth_tabulating(const IntervalTables& tables);

// Memory that one table after the other uses, of at most n rows.
struct ValuesRoom {
    std::int64_t *begins, *mass, *sums;

    ValuesRoom(Arena& arena, std::size_t n, std::size_t n_classes)
        : begins(arena.take<std::int64_t>(n)),
          mass(arena.take<std::int64_t>(n + 1)),
          sums(arena.take<std::int64_t>((n + 1) * n_classes)) {}

    static std::size_t n_bytes(std::size_t n, std::size_t n_classes) {
        return Arena::bytes_for<std::int64_t>(n) + Arena::bytes_for<std::int64_t>(n + 1) +
               Arena::bytes_for<std::int64_t>((n + 1) * n_classes);
    }
};

struct Values {
    Values(const IntervalTables& tables, std::size_t table, const ValuesRoom& room);

    std::size_t n() const { return n_; }
    std::int64_t total() const { return mass[n_]; }

    // Once, before cells of several granularities.
    void find_borders();

    // Where the cells of a granularity begin, as positions among the values; `finest`: they are the values.
    std::vector<std::uint32_t> cells(int granularity, bool finest) const;

    int n_classes;
    bool head;             // the first value must stay alone
    std::int64_t* begins;  // (n): row of the table where a cut before this value lies
    std::int64_t* sums;    // (n + 1, n_classes): weight of each class before each value
    std::int64_t* mass;    // (n + 1): weight before each value

  private:
    template <int Classes>
    void read(const std::int64_t* counts, std::size_t n_rows);
    void pool_violators(int direction);
    std::size_t border(std::int64_t q, int granularity, std::size_t right) const;
    std::int64_t last_aim(std::size_t value, int granularity) const;

    std::size_t n_ = 0;
    int known_ = 0;                       // the finest granularity whose borders are known
    std::vector<std::uint32_t> borders_;  // (2^known_): of each of its cells but the first
};

}  // namespace bayesieve::modl
