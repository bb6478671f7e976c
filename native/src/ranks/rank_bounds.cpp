// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "bayesieve/kernels/kernels.hpp"
#include "bayesieve/ranks/ranking.hpp"

namespace bayesieve {
namespace {

constexpr double kSlack = 0x1p-36;  // more than doubles lose in adding up a histogram

// How log-odds fall into buckets: (log-odds + shift[code]) >> bits, from 0 to n - 1. A bucket holds whole
// keys: half a key, which rounds to nearest, goes into the shift with the origin.
struct Buckets {
    const std::int64_t* shift;
    int bits;
    std::size_t n;
};

Buckets buckets_from(std::int64_t lowest, int bits, std::size_t n, const RankColumn& column,
                     std::vector<std::int64_t>& shift) {
    const std::int64_t origin =
        (std::int64_t{1} << (kRankShift - 1)) - lowest * (std::int64_t{1} << kRankShift);
    shift.resize(static_cast<std::size_t>(column.n_codes));
    for (std::int32_t v = 0; v < column.n_codes; ++v) shift[v] = column.shift[v] + origin;
    return {shift.data(), bits + kRankShift, n};
}

Buckets make_buckets(const RankedRows& rows, const RankColumn& column, std::size_t most,
                     std::vector<std::int64_t>& shift) {
    const std::int64_t lowest = rank_key(rows.lowest + column.lowest),
                       highest = rank_key(rows.highest + column.highest);
    const auto range = static_cast<std::uint64_t>(highest) - static_cast<std::uint64_t>(lowest);
    int bits = 0;
    while ((range >> bits) >= most) ++bits;
    return buckets_from(lowest, bits, static_cast<std::size_t>(range >> bits) + 1, column, shift);
}

// Two tables take turns, so that an addition need not wait for the last one to the same bucket.
template <typename Count, typename Bucket>
void count_rows(const RankedRows& rows, std::size_t begin, std::size_t end, const Bucket& bucket, Count* even,
                Count* odd) {
    const auto weight = [&](std::size_t i) {
        return rows.weights != nullptr ? static_cast<Count>(rows.weights[i]) : Count{1};
    };
    std::size_t i = begin;
    for (; i + 1 < end; i += 2) {
        even[bucket(i)] += weight(i);
        odd[bucket(i + 1)] += weight(i + 1);
    }
    if (i < end) even[bucket(i)] += weight(i);
}

template <typename Count, typename Code>
void count_exactly(const RankedRows& rows, const Code* codes, const Buckets& buckets, std::size_t begin,
                   std::size_t end, Count* even, Count* odd) {
    count_rows(
        rows, begin, end,
        [&](std::size_t i) {
            return static_cast<std::uint64_t>(rows.log_odds[i] + buckets.shift[codes[i]]) >> buckets.bits;
        },
        even, odd);
}

// The same in 32 bits. Log-odds and shift are cut, so their sum may be one short: only a row at the very end
// of a bucket may belong into the next one. Returns how much weight such rows have at most.
template <typename Count>
double count_coarsely(const RankedRows& rows, const std::uint8_t* codes, int n_codes,
                      const std::int32_t* shift, int bits, std::size_t begin, std::size_t end, Count* even,
                      Count* odd) {
    std::uint16_t bucket[kChunk];
    double astray = 0.0;
    for (std::size_t first = begin; first < end; first += kChunk) {
        const std::size_t n = std::min(kChunk, end - first);
        const std::size_t close =
            kernels().buckets(rows.coarse + first, codes + first, shift, n_codes, bits, n, bucket);
        if (close > 0 && rows.coarse_bits > 0)
            astray +=
                rows.weights == nullptr
                    ? static_cast<double>(close)
                    : static_cast<double>(*std::max_element(rows.weights + first, rows.weights + first + n)) *
                          static_cast<double>(close);
        count_rows(rows, first, first + n, [&](std::size_t i) { return bucket[i - first]; }, even, odd);
    }
    return astray;
}

template <typename Count>
void count_both(const RankedRows& rows, const RankColumn& column, const Buckets& buckets, Count* even,
                Count* odd, Count* even_positive, Count* odd_positive) {
    if (column.narrow != nullptr) {
        count_exactly(rows, column.narrow, buckets, 0, rows.n_negative, even, odd);
        count_exactly(rows, column.narrow, buckets, rows.n_negative, rows.n_rows, even_positive,
                      odd_positive);
    } else {
        count_exactly(rows, column.wide, buckets, 0, rows.n_negative, even, odd);
        count_exactly(rows, column.wide, buckets, rows.n_negative, rows.n_rows, even_positive, odd_positive);
    }
}

// The most that rows weigh which may belong into the next bucket.
struct Astray {
    double negative = 0.0, positive = 0.0;
};

// Four histograms, of which the first two are to be added up for the negative rows, the others for the
// positive ones.
template <typename Count>
Astray fill_buckets(const RankedRows& rows, const RankColumn& column, const Buckets& buckets,
                    std::vector<Count>& histogram, std::vector<std::int32_t>& cut) {
    histogram.assign(4 * buckets.n, 0);
    Count *even = histogram.data(), *odd = even + buckets.n, *even_positive = odd + buckets.n,
          *odd_positive = even_positive + buckets.n;
    Astray astray;
    // The cut log-odds start at 0, and so does what is added to them.
    const int bits = buckets.bits - rows.coarse_bits;
    if (rows.coarse != nullptr && column.narrow != nullptr && bits > 0 && bits < 31 &&
        (buckets.n << bits) < (std::size_t{1} << 31) && buckets.n <= (std::size_t{1} << 16)) {
        cut.resize(std::max<std::size_t>(16, static_cast<std::size_t>(column.n_codes)));
        for (std::int32_t v = 0; v < column.n_codes; ++v)
            cut[v] = static_cast<std::int32_t>((buckets.shift[v] + rows.lowest) >> rows.coarse_bits);
        astray.negative = count_coarsely(rows, column.narrow, column.n_codes, cut.data(), bits, 0,
                                         rows.n_negative, even, odd);
        astray.positive = count_coarsely(rows, column.narrow, column.n_codes, cut.data(), bits,
                                         rows.n_negative, rows.n_rows, even_positive, odd_positive);
    } else {
        count_both(rows, column, buckets, even, odd, even_positive, odd_positive);
    }
    return astray;
}

template <typename Count>
void add_counts(const RankedRows& rows, const RankColumn& column, const Buckets& buckets,
                std::vector<Count>& histogram, std::vector<std::int32_t>& cut, std::int64_t* out) {
    const std::size_t n = buckets.n;
    const Astray astray = fill_buckets(rows, column, buckets, histogram, cut);
    const Count* even = histogram.data();
    for (std::size_t g = 0; g < n; ++g) {
        out[g] += static_cast<std::int64_t>(even[g]) + static_cast<std::int64_t>(even[n + g]);
        out[n + 1 + g] +=
            static_cast<std::int64_t>(even[2 * n + g]) + static_cast<std::int64_t>(even[3 * n + g]);
    }
    // Of whole weights, added up in doubles: more than these lose is added.
    out[n] += static_cast<std::int64_t>(std::ceil(astray.negative * (1 + kSlack)));
    out[2 * n + 1] += static_cast<std::int64_t>(std::ceil(astray.positive * (1 + kSlack)));
}

// Pairs in different buckets are decided; those in one bucket are worth 0 to 2 each, or 1 if a bucket is one
// key.
template <typename Count>
RankBounds bounds_of(const RankedRows& rows, const RankColumn& column, const Buckets& buckets,
                     std::vector<Count>& histogram, std::vector<std::int32_t>& cut) {
    const Astray astray = fill_buckets(rows, column, buckets, histogram, cut);
    const double negative_astray = astray.negative, positive_astray = astray.positive;
    const Count *even = histogram.data(), *odd = even + buckets.n, *even_positive = odd + buckets.n,
                *odd_positive = even_positive + buckets.n;
    double decided = 0.0, open = 0.0, below = 0.0, last_a = 0.0, last_b = 0.0, most_a = 0.0, most_b = 0.0;
    for (std::size_t g = 0; g < buckets.n; ++g) {
        const double a = static_cast<double>(even[g]) + static_cast<double>(odd[g]);
        const double b = static_cast<double>(even_positive[g]) + static_cast<double>(odd_positive[g]);
        decided += 2.0 * b * below;
        open += 2.0 * a * b;
        below += a;
        most_a = std::max(most_a, a + last_a);
        most_b = std::max(most_b, b + last_b);
        last_a = a;
        last_b = b;
    }
    // A row that belongs into the next bucket changes its pairs in these two buckets only.
    const double margin =
        2.0 * (negative_astray * (most_b + positive_astray) + positive_astray * (most_a + negative_astray));
    if (buckets.bits == kRankShift)
        return {(decided + open / 2) * (1 - kSlack) - margin, (decided + open / 2) * (1 + kSlack) + margin};
    return {decided * (1 - kSlack) - margin, (decided + open) * (1 + kSlack) + margin};
}

}  // namespace

int cut_log_odds(const std::int64_t* log_odds, std::size_t n, std::int64_t lowest, std::int64_t highest,
                 std::vector<std::int32_t>& coarse) {
    // A quarter of 32 bits for the rows, so that there is room for what a candidate adds.
    int bits = 0;
    while (((static_cast<std::uint64_t>(highest) - static_cast<std::uint64_t>(lowest)) >> bits) >=
           (std::uint64_t{1} << 28))
        ++bits;
    coarse.resize(n);
    for (std::size_t i = 0; i < n; ++i) coarse[i] = static_cast<std::int32_t>((log_odds[i] - lowest) >> bits);
    return bits;
}

RankBounds statistic_bounds(const RankedRows& rows, const RankColumn& column, std::size_t n_buckets,
                            RankScratch& scratch) {
    const Buckets buckets = make_buckets(rows, column, n_buckets, scratch.plain);
    if (rows.weights == nullptr) return bounds_of(rows, column, buckets, scratch.counts, scratch.cut);
    return bounds_of(rows, column, buckets, scratch.histogram, scratch.cut);
}

void count_in_buckets(const RankedRows& rows, const RankColumn& column, std::int64_t lowest, int bits,
                      std::size_t n_buckets, std::int64_t* out, RankScratch& scratch) {
    const Buckets buckets = buckets_from(lowest, bits, n_buckets, column, scratch.plain);
    if (rows.weights == nullptr) {
        add_counts(rows, column, buckets, scratch.counts, scratch.cut, out);
    } else {
        add_counts(rows, column, buckets, scratch.histogram, scratch.cut, out);
    }
}

}  // namespace bayesieve
