// SPDX-License-Identifier: BSD-3-Clause
// How many votes the rows have: the distribution of the count, and what the next column makes of it.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bayesieve/kernels/kernels.hpp"
#include "scaled.hpp"

namespace bayesieve {

constexpr std::int64_t kLogStep = 381061692392905;  // 500 log 2 in multiples of 2^-40
constexpr double kSafe = 0x1p-450;                  // above, a product with a vote needs no scaling

// The distribution of the count of some rows; shares[j] is the probability of j, the last one of the cap or
// more.
struct Count {
    std::vector<ScaledRows> shares;
    std::size_t k = 0;  // columns that are counted
    // All are ordinary numbers far above 2^-500: no product of this turn needs scaling, and there are no
    // exponents yet.
    bool plain = false;

    void begin(std::size_t n) {
        k = 0;
        plain = true;
        shares.resize(1);
        shares[0].m.assign(n, 1.0);
    }

    // One more column for rows 0 .. n - 1.
    void advance(const double* counted, const double* rest, std::size_t n, std::int64_t cap) {
        const bool grows = shares.size() <= static_cast<std::size_t>(cap);
        if (grows) {
            shares.emplace_back();
            shares.back().m.resize(n);
            if (!plain) shares.back().e.resize(n);
        }
        if (plain) {
            advance_plain(counted, rest, n, grows);
        } else {
            advance_scaled(counted, rest, n, grows);
        }
        ++k;
    }

  private:
    // From the top down, so that each share still finds the old one below it. The top is new, or it is the
    // cap, which no row leaves.
    void advance_plain(const double* counted, const double* rest, std::size_t n, bool grows) {
        double least = 1.0;
        for (std::size_t begin = 0; begin < n; begin += kTile)  // a tile of all shares stays in the cache
            for (std::size_t j = shares.size(); j-- > 0;)
                least = std::min(least, advance_tile(counted, rest, begin, std::min(n, begin + kTile), j,
                                                     j + 1 == shares.size(), grows));
        plain = least >= kSafe;
        for (std::size_t j = 0; j < shares.size() && !plain; ++j) shares[j].e.assign(n, 0);
    }

    double advance_tile(const double* counted, const double* rest, std::size_t begin, std::size_t end,
                        std::size_t j, bool top, bool grows) {
        double* m = shares[j].m.data();
        const double* below = j > 0 ? shares[j - 1].m.data() : nullptr;
        if (top && grows) {
            for (std::size_t i = begin; i < end; ++i) m[i] = below[i] * counted[i];
        } else if (top) {
            for (std::size_t i = begin; i < end; ++i) m[i] = m[i] + below[i] * counted[i];
        } else if (j > 0) {
            for (std::size_t i = begin; i < end; ++i) m[i] = m[i] * rest[i] + below[i] * counted[i];
        } else {
            for (std::size_t i = begin; i < end; ++i) m[i] = m[i] * rest[i];
        }
        double least = 1.0;
        for (std::size_t i = begin; i < end; ++i) least = m[i] < least ? m[i] : least;
        return least;
    }

    void advance_scaled(const double* counted, const double* rest, std::size_t n, bool grows) {
        for (std::size_t j = shares.size(); j-- > 0;) {
            const bool top = j + 1 == shares.size();
            for (std::size_t i = 0; i < n; ++i) {
                if (j == 0) {
                    shares[0].put(i, shares[0].at(i).times(rest[i]));
                    continue;
                }
                const Scaled gain = shares[j - 1].at(i).times(counted[i]);
                const Scaled kept = top ? shares[j].at(i) : shares[j].at(i).times(rest[i]);
                shares[j].put(i, top && grows ? gain : kept.plus(gain));
            }
        }
    }
};

// What the next column decides: q, the probability that one more is decisive, that more are counted already,
// and that fewer are.
struct Stake {
    const ScaledRows* last = nullptr;
    ScaledRows above, below;
    bool has_above = false, has_below = false, plain = false;  // plain: exponents are not filled in

    Scaled at(const ScaledRows& rows, std::size_t i) const {
        return plain ? Scaled{rows.m[i], 0} : rows.at(i);
    }

    void find(const Count& count, std::int64_t decisive, std::size_t n) {
        const auto at = static_cast<std::size_t>(decisive);
        last = &count.shares[at - 1];
        plain = count.plain;
        has_below = at > 1;
        has_above = at < count.shares.size();
        for (std::size_t begin = 0; begin < n; begin += kTile) {
            const std::size_t end = std::min(n, begin + kTile);
            for (std::size_t j = 0; j + 1 < at; ++j) add(below, count.shares[j], begin, end, n, j == 0);
            for (std::size_t j = count.shares.size(); j-- > at;)
                add(above, count.shares[j], begin, end, n, j + 1 == count.shares.size());
        }
    }

    // Evidence of n <= kChunk rows, from row `first` of the stake on: OUT, for a count that is decisive, and
    // for one that is not.
    void decide(const double* counted, const double* rest, std::size_t first, std::size_t n,
                std::int64_t* reached, std::int64_t* missed) const {
        side(has_above ? &above : nullptr, counted, first, n, reached);
        side(has_below ? &below : nullptr, rest, first, n, missed);
    }

  private:
    void add(ScaledRows& sum, const ScaledRows& share, std::size_t begin, std::size_t end, std::size_t n,
             bool is_first) const {
        if (sum.m.size() < n) sum.resize(n);
        double* m = sum.m.data();
        if (is_first) {
            std::copy(share.m.begin() + begin, share.m.begin() + end, m + begin);
            if (!plain) std::copy(share.e.begin() + begin, share.e.begin() + end, sum.e.begin() + begin);
        } else if (plain) {
            for (std::size_t i = begin; i < end; ++i) m[i] = m[i] + share.m[i];
        } else {
            for (std::size_t i = begin; i < end; ++i) sum.put(i, sum.at(i).plus(share.at(i)));
        }
    }

    void side(const ScaledRows* sure, const double* chance, std::size_t first, std::size_t n,
              std::int64_t* out) const {
        double m[kChunk];
        const double* q = last->m.data() + first;
        if (plain && sure != nullptr) {
            const double* s = sure->m.data() + first;
            for (std::size_t i = 0; i < n; ++i) m[i] = s[i] + q[i] * chance[i];
        } else if (plain) {
            for (std::size_t i = 0; i < n; ++i) m[i] = q[i] * chance[i];
        }
        if (plain) {
            kernels().fixed_logs(m, n, out);
            return;
        }
        std::int64_t e[kChunk];
        for (std::size_t i = 0; i < n; ++i) {
            Scaled x = last->at(first + i).times(chance[i]);
            if (sure != nullptr) x = sure->at(first + i).plus(x);
            m[i] = x.m;
            e[i] = x.e;
        }
        kernels().fixed_logs(m, n, out);
        for (std::size_t i = 0; i < n; ++i) out[i] += e[i] * kLogStep;
    }
};

}  // namespace bayesieve
