// SPDX-License-Identifier: BSD-3-Clause
// The cost of a bin, for a number of classes known when compiling (0: known when running) and for
// log-factorials that are all tabulated or not.
#pragma once
#include <cstdint>

#include "bayesieve/coding/modl/cost.hpp"

namespace bayesieve::modl {

template <int Classes, bool Tabulated>
struct BinCost {
    static constexpr bool kTabulated = Tabulated;

    const Factorials& factorials;
    const std::int64_t *plain, *shifted;
    int n_classes;

    explicit BinCost(const Factorials& f)
        : factorials(f),
          plain(f.plain()),
          shifted(f.shifted()),
          n_classes(Classes > 0 ? Classes : f.n_classes()) {}

    int classes() const { return Classes > 0 ? Classes : n_classes; }
    std::int64_t of(std::int64_t m) const { return Tabulated ? plain[m] : factorials.of(m); }
    std::int64_t whole(std::int64_t m) const { return Tabulated ? shifted[m] : factorials.with_classes(m); }

    // The classes of the second sums less those of the first, as one bin; its weight is `mass`.
    std::int64_t between(const std::int64_t* low, const std::int64_t* high, std::int64_t& mass) const {
        std::int64_t cost = 0;
        mass = 0;
        for (int c = 0; c < classes(); ++c) {
            const std::int64_t m = high[c] - low[c];
            mass += m;
            cost -= of(m);
        }
        return cost + whole(mass);
    }
};

// Calls f(BinCost) with the fastest kind that fits.
template <typename F>
auto with_bin_cost(const Factorials& factorials, std::int64_t total, F&& f) {
    const bool tabulated = total < factorials.size();
    if (factorials.n_classes() == 2)
        return tabulated ? f(BinCost<2, true>(factorials)) : f(BinCost<2, false>(factorials));
    return tabulated ? f(BinCost<0, true>(factorials)) : f(BinCost<0, false>(factorials));
}

}  // namespace bayesieve::modl
