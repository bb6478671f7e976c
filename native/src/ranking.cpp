#include "bayesieve/ranking.hpp"

#include <algorithm>

namespace bayesieve {
namespace {

constexpr double kSlack = 0x1p-36;  // more than doubles lose in adding up a histogram

struct Cell {
    std::int64_t key;
    std::uint64_t negative, positive;
};

constexpr int kRadixBits = 11;
constexpr std::size_t kRadix = std::size_t{1} << kRadixBits;

// Elements are (key << 1 | positive) << 32 | row: sorted by their upper half. Returns the sorted array.
const std::uint64_t* radix_sort(std::uint64_t* from, std::uint64_t* to, std::size_t n,
                                std::uint64_t largest) {
    for (int shift = 32; shift < 64 && (largest >> shift) != 0; shift += kRadixBits) {
        std::size_t place[kRadix] = {};
        for (std::size_t i = 0; i < n; ++i) ++place[(from[i] >> shift) & (kRadix - 1)];
        std::size_t sum = 0;
        for (std::size_t& p : place) {
            const std::size_t count = p;
            p = sum;
            sum += count;
        }
        for (std::size_t i = 0; i < n; ++i) to[place[(from[i] >> shift) & (kRadix - 1)]++] = from[i];
        std::swap(from, to);
    }
    return from;
}

// Within a tie negatives come first (their lowest bit is 0), so each positive sees all of them.
Wide sweep(const std::uint64_t* sorted, std::size_t n, const std::int64_t* weights) {
    Wide statistic;
    std::uint64_t below = 0, upto = 0, previous = ~std::uint64_t{0};
    if (weights == nullptr) {
        std::uint64_t sum = 0;  // n^2 fits 64 bits for any table that fits memory
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint64_t key = sorted[i] >> 33, positive = (sorted[i] >> 32) & 1;
            below = key != previous ? upto : below;
            previous = key;
            sum += (0 - positive) & (below + upto);
            upto += 1 - positive;
        }
        statistic.add(sum);
        return statistic;
    }
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t key = sorted[i] >> 33;
        const std::uint64_t weight = static_cast<std::uint64_t>(weights[sorted[i] & 0xffffffff]);
        below = key != previous ? upto : below;
        previous = key;
        if ((sorted[i] >> 32) & 1) {
            statistic.add_product(weight, below + upto);
        } else {
            upto += weight;
        }
    }
    return statistic;
}

// Keys too far apart for 31 bits become ranks.
void compress(std::vector<std::int64_t>& keys, RankScratch& scratch) {
    std::vector<std::int64_t>& distinct = scratch.plain;
    distinct.assign(keys.begin(), keys.end());
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    for (std::int64_t& key : keys)
        key = std::lower_bound(distinct.begin(), distinct.end(), key) - distinct.begin();
}

// Two tables take turns, so that an addition need not wait for the last one to the same bucket.
template <typename Code, typename Count>
void fill_histogram(const RankedRows& rows, const Code* codes, const std::int64_t* shift, int bits,
                    std::size_t begin, std::size_t end, Count* even, Count* odd) {
    const auto bucket = [&](std::size_t i) {
        return static_cast<std::uint64_t>(rows.log_odds[i] + shift[codes[i]]) >> bits;
    };
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

// Pairs in different buckets are decided; those in one bucket are worth 0 to 2 each, or 1 if a bucket is one
// key.
template <typename Count>
RankBounds bounds_of(const RankedRows& rows, const RankColumn& column, const std::int64_t* shift, int bits,
                     std::size_t n_buckets, std::vector<Count>& histogram) {
    histogram.assign(4 * n_buckets, 0);
    Count *even = histogram.data(), *odd = even + n_buckets, *even_positive = odd + n_buckets,
          *odd_positive = even_positive + n_buckets;
    const int shift_bits = bits + kRankShift;
    if (column.narrow != nullptr) {
        fill_histogram(rows, column.narrow, shift, shift_bits, 0, rows.n_negative, even, odd);
        fill_histogram(rows, column.narrow, shift, shift_bits, rows.n_negative, rows.n_rows, even_positive,
                       odd_positive);
    } else {
        fill_histogram(rows, column.wide, shift, shift_bits, 0, rows.n_negative, even, odd);
        fill_histogram(rows, column.wide, shift, shift_bits, rows.n_negative, rows.n_rows, even_positive,
                       odd_positive);
    }
    double decided = 0.0, open = 0.0, below = 0.0;
    for (std::size_t g = 0; g < n_buckets; ++g) {
        const double a = static_cast<double>(even[g]) + static_cast<double>(odd[g]);
        const double b = static_cast<double>(even_positive[g]) + static_cast<double>(odd_positive[g]);
        decided += 2.0 * b * below;
        open += 2.0 * a * b;
        below += a;
    }
    if (bits == 0) return {(decided + open / 2) * (1 - kSlack), (decided + open / 2) * (1 + kSlack)};
    return {decided * (1 - kSlack), (decided + open) * (1 + kSlack)};
}

}  // namespace

Wide statistic_of_keys(std::vector<std::int64_t>& keys, std::size_t n_negative, const std::int64_t* weights,
                       RankScratch& scratch) {
    const std::size_t n = keys.size();
    if (n == 0) return {};
    auto range = std::minmax_element(keys.begin(), keys.end());
    std::int64_t lowest = *range.first;
    if (static_cast<std::uint64_t>(*range.second) - static_cast<std::uint64_t>(lowest) >=
        (std::uint64_t{1} << 31)) {
        compress(keys, scratch);
        lowest = 0;
    }
    scratch.keys.resize(n);
    scratch.other.resize(n);
    std::uint64_t largest = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const auto key = static_cast<std::uint64_t>(keys[i] - lowest);
        scratch.keys[i] = ((key << 1 | (i >= n_negative ? 1 : 0)) << 32) | i;
        largest = std::max(largest, scratch.keys[i]);
    }
    return sweep(radix_sort(scratch.keys.data(), scratch.other.data(), n, largest), n, weights);
}

RankBounds statistic_bounds(const RankedRows& rows, const RankColumn& column, std::size_t n_buckets,
                            RankScratch& scratch) {
    const std::int64_t lowest = rank_key(rows.lowest + column.lowest),
                       highest = rank_key(rows.highest + column.highest);
    const auto range = static_cast<std::uint64_t>(highest) - static_cast<std::uint64_t>(lowest);
    int bits = 0;
    while ((range >> bits) >= n_buckets) ++bits;
    const std::size_t used = static_cast<std::size_t>(range >> bits) + 1;
    // A bucket is (key - lowest key) >> bits. Half a key, which rounds to nearest, goes into the shift with
    // the origin.
    const std::int64_t origin =
        (std::int64_t{1} << (kRankShift - 1)) - lowest * (std::int64_t{1} << kRankShift);
    scratch.plain.resize(static_cast<std::size_t>(column.n_codes));
    for (std::int32_t v = 0; v < column.n_codes; ++v) scratch.plain[v] = column.shift[v] + origin;
    if (rows.weights == nullptr)
        return bounds_of(rows, column, scratch.plain.data(), bits, used, scratch.counts);
    return bounds_of(rows, column, scratch.plain.data(), bits, used, scratch.histogram);
}

bool find_patterns(const std::int64_t* log_odds, std::size_t n_rows, std::size_t most, Patterns& patterns) {
    constexpr std::size_t slots = 4096;
    std::vector<std::int32_t> slot(slots, -1);
    patterns.values.clear();
    patterns.ids.resize(n_rows);
    for (std::size_t i = 0; i < n_rows; ++i) {
        const auto value = static_cast<std::uint64_t>(log_odds[i]);
        std::size_t at = (value * 0x9e3779b97f4a7c15u) >> 52;
        while (slot[at] >= 0 && patterns.values[slot[at]] != log_odds[i]) at = (at + 1) % slots;
        if (slot[at] < 0) {
            if (patterns.values.size() == most) return false;
            slot[at] = static_cast<std::int32_t>(patterns.values.size());
            patterns.values.push_back(log_odds[i]);
        }
        patterns.ids[i] = static_cast<std::uint16_t>(slot[at]);
    }
    return true;
}

Wide cell_statistic(const RankedRows& rows, const Patterns& patterns, const RankColumn& column,
                    RankScratch& scratch) {
    const auto n_codes = static_cast<std::size_t>(column.n_codes);
    const std::size_t n_cells = patterns.values.size() * n_codes;
    scratch.histogram.assign(2 * n_cells, 0);
    for (std::size_t i = 0; i < rows.n_rows; ++i) {
        const std::size_t code = column.narrow != nullptr ? column.narrow[i] : column.wide[i];
        const std::size_t side = i < rows.n_negative ? 0 : n_cells;
        scratch.histogram[side + patterns.ids[i] * n_codes + code] +=
            rows.weights != nullptr ? static_cast<std::uint64_t>(rows.weights[i]) : 1;
    }
    std::vector<Cell> cells;
    for (std::size_t cell = 0; cell < n_cells; ++cell) {
        const std::uint64_t negative = scratch.histogram[cell], positive = scratch.histogram[n_cells + cell];
        if (negative == 0 && positive == 0) continue;
        cells.push_back(
            {rank_key(patterns.values[cell / n_codes] + column.shift[cell % n_codes]), negative, positive});
    }
    std::sort(cells.begin(), cells.end(), [](const Cell& a, const Cell& b) { return a.key < b.key; });
    Wide statistic;
    std::uint64_t below = 0;
    for (std::size_t first = 0, last = 0; first < cells.size(); first = last) {
        std::uint64_t negative = 0, positive = 0;
        for (; last < cells.size() && cells[last].key == cells[first].key; ++last) {
            negative += cells[last].negative;
            positive += cells[last].positive;
        }
        statistic.add_product(positive, 2 * below + negative);
        below += negative;
    }
    return statistic;
}

}  // namespace bayesieve
