// SPDX-License-Identifier: BSD-3-Clause
#include "rank_checks.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <map>
#include <random>
#include <vector>

#include "bayesieve/ranks/ranking.hpp"

namespace bayesieve_test {
namespace {

// Rows with few or many different log-odds, near each other or far apart, and a column that adds to them.
struct RankCase {
    std::vector<std::int64_t> log_odds, weights, shift;
    std::vector<std::uint8_t> narrow;
    std::vector<std::uint16_t> wide;
    std::vector<std::int32_t> coarse;
    std::size_t n_negative;
    bool weighted, is_narrow;
    int coarse_bits;

    explicit RankCase(std::mt19937_64& random) : weighted(random() % 2 == 0), is_narrow(random() % 3 != 0) {
        const auto n = 1 + random() % 500, n_patterns = random() % 2 == 0 ? 1 + random() % 30 : 100000;
        const int spread = static_cast<int>(20 + random() % 37);
        n_negative = random() % (n + 1);
        const auto any = [&] { return static_cast<std::int64_t>(random() >> (64 - spread)); };
        for (auto k = 1 + random() % (is_narrow ? 30 : 400); k > 0; --k) shift.push_back(any() - any());
        for (std::size_t i = 0; i < n; ++i) {
            const auto pattern = static_cast<std::int64_t>(random() % n_patterns);
            log_odds.push_back((pattern * 0x9e3779b9) % (std::int64_t{1} << spread) - (1 << 19));
            weights.push_back(static_cast<std::int64_t>(random() % 1000));
            const auto code = random() % shift.size();
            narrow.push_back(static_cast<std::uint8_t>(code));
            wide.push_back(static_cast<std::uint16_t>(code));
        }
        const auto range = std::minmax_element(log_odds.begin(), log_odds.end());
        coarse_bits = bayesieve::cut_log_odds(log_odds.data(), n, *range.first, *range.second, coarse);
    }

    bayesieve::RankedRows rows(bool cut) const {
        const auto range = std::minmax_element(log_odds.begin(), log_odds.end());
        return {log_odds.data(),
                n_negative,
                log_odds.size(),
                weights_or_none(),
                *range.first,
                *range.second,
                cut ? coarse.data() : nullptr,
                cut ? coarse_bits : 0};
    }

    bayesieve::RankColumn column() const {
        const auto range = std::minmax_element(shift.begin(), shift.end());
        return {is_narrow ? narrow.data() : nullptr,
                is_narrow ? nullptr : wide.data(),
                shift.data(),
                static_cast<std::int32_t>(shift.size()),
                *range.first,
                *range.second};
    }

    const std::int64_t* weights_or_none() const { return weighted ? weights.data() : nullptr; }
    std::int64_t weight(std::size_t i) const { return weighted ? weights[i] : 1; }

    // Whether keys do not fit 31 bits, by the extremes of both summands.
    bool is_far() const {
        const bayesieve::RankedRows all = rows(false);
        const bayesieve::RankColumn own = column();
        return bayesieve::rank_key(all.highest + own.highest) -
                   bayesieve::rank_key(all.lowest + own.lowest) >=
               (std::int64_t{1} << 31);
    }

    std::vector<std::int64_t> keys() const {
        std::vector<std::int64_t> found;
        for (std::size_t i = 0; i < log_odds.size(); ++i)
            found.push_back(bayesieve::rank_key(log_odds[i] + shift[wide[i]]));
        return found;
    }
};

std::uint64_t plain_statistic(const RankCase& test) {
    const std::vector<std::int64_t> keys = test.keys();
    std::uint64_t sum = 0;
    for (std::size_t i = test.n_negative; i < keys.size(); ++i)
        for (std::size_t j = 0; j < test.n_negative; ++j)
            sum += static_cast<std::uint64_t>(test.weight(i) * test.weight(j)) * (keys[i] > keys[j]    ? 2
                                                                                  : keys[i] == keys[j] ? 1
                                                                                                       : 0);
    return sum;
}

const char* statistic_fault(const RankCase& test, bayesieve::RankScratch& scratch) {
    const std::uint64_t plain = plain_statistic(test);
    std::vector<std::int64_t> keys = test.keys();
    const bayesieve::Wide swept =
        bayesieve::statistic_of_keys(keys, test.n_negative, test.weights_or_none(), scratch);
    if (swept.low != plain || swept.high != 0) return "a statistic differs from all pairs";
    for (const bool cut : {false, true})
        for (const std::size_t n_buckets : {64, 1 << 11, 1 << 16}) {
            const bayesieve::RankBounds bounds =
                bayesieve::statistic_bounds(test.rows(cut), test.column(), n_buckets, scratch);
            const auto exact = static_cast<double>(plain);
            if (!(bounds.low <= exact && exact <= bounds.high)) return "a statistic misses its bounds";
        }
    return nullptr;
}

// Shares of several threads.
const char* part_fault(const RankCase& test, bayesieve::RankScratch& scratch) {
    const std::uint64_t plain = plain_statistic(test);
    for (const std::size_t n_shares : {1, 2, 3, 7}) {
        bayesieve::Wide sum, sum_of_column;
        for (std::size_t part = 0; part < n_shares; ++part) {
            std::vector<std::int64_t> keys = test.keys();
            sum.add(bayesieve::statistic_of_part(keys, test.n_negative, test.weights_or_none(),
                                                 {part, n_shares}, scratch));
        }
        if (sum.low != plain || sum.high != 0) return "parts of a statistic do not add up";
        for (std::size_t part = 0; part < n_shares; ++part) {
            bayesieve::Wide share;
            if (!bayesieve::statistic_of_column(test.rows(false), test.column(), {part, n_shares}, share,
                                                scratch))
                return test.weighted || test.is_far() ? nullptr : "a column has no statistic";
            sum_of_column.add(share);
        }
        if (sum_of_column.low != plain || sum_of_column.high != 0)
            return "a statistic of a column differs from all pairs";
    }
    return nullptr;
}

const char* table_fault(const RankCase& test, bayesieve::RankScratch& scratch) {
    std::map<std::int64_t, std::array<std::int64_t, 2>> plain;
    std::vector<std::int64_t> keys = test.keys(), expected_keys, expected_weights;
    for (std::size_t i = 0; i < keys.size(); ++i) plain[keys[i]][i >= test.n_negative] += test.weight(i);
    for (const auto& [key, weights] : plain)
        if (weights[0] != 0 || weights[1] != 0) {
            expected_keys.push_back(key);
            expected_weights.insert(expected_weights.end(), weights.begin(), weights.end());
        }
    const auto same = [&](const bayesieve::RankTable& table) {
        return table.keys == expected_keys && table.weights == expected_weights;
    };
    if (!same(bayesieve::table_of_keys(keys, test.n_negative, test.weights_or_none(), scratch)))
        return "a table of keys differs from a plain count";
    bayesieve::Patterns patterns;
    if (!bayesieve::find_patterns(test.log_odds.data(), test.log_odds.size(), 64, patterns)) return nullptr;
    if (!same(bayesieve::table_of_cells(test.rows(false), patterns, test.column(), scratch)))
        return "a table of cells differs from a plain count";
    const bayesieve::Wide cells =
        bayesieve::cell_statistic(test.rows(false), patterns, test.column(), scratch);
    return cells.low == plain_statistic(test) && cells.high == 0 ? nullptr
                                                                 : "a statistic of cells is another";
}

// A row may be in the bucket before its own, but not more of them than the last number.
const char* histogram_fault(const RankCase& test, bool cut, bayesieve::RankScratch& scratch) {
    const bayesieve::RankedRows rows = test.rows(cut);
    const bayesieve::RankColumn column = test.column();
    const std::int64_t lowest = bayesieve::rank_key(rows.lowest + column.lowest);
    const std::int64_t width = bayesieve::rank_key(rows.highest + column.highest) - lowest;
    int bits = 0;
    while (width >> bits >= 512) ++bits;
    const auto n_buckets = static_cast<std::size_t>(width >> bits) + 1;
    std::vector<std::int64_t> out(2 * (n_buckets + 1), 0), plain(out.size(), 0);
    bayesieve::count_in_buckets(rows, column, lowest, bits, n_buckets, out.data(), scratch);
    const std::vector<std::int64_t> keys = test.keys();
    for (std::size_t i = 0; i < keys.size(); ++i)
        plain[(i >= test.n_negative ? n_buckets + 1 : 0) +
              static_cast<std::size_t>((keys[i] - lowest) >> bits)] += test.weight(i);
    for (const std::size_t begin : {std::size_t{0}, n_buckets + 1}) {
        std::int64_t early = 0;
        for (std::size_t g = begin; g < begin + n_buckets; ++g) {
            early += out[g] - plain[g];
            if (early < 0 || early > out[begin + n_buckets]) return "a histogram differs from a plain count";
        }
        if (early != 0) return "a histogram loses rows";
    }
    return nullptr;
}

}  // namespace

int check_ranks() {
    std::mt19937_64 random(29);
    bayesieve::RankScratch scratch;
    int faults = 0;
    for (int k = 0; k < 120; ++k) {
        const RankCase test(random);
        for (const char* fault :
             {statistic_fault(test, scratch), part_fault(test, scratch), table_fault(test, scratch),
              histogram_fault(test, false, scratch), histogram_fault(test, true, scratch)})
            if (fault != nullptr) ++faults, std::printf("ranks: %s, case %d\n", fault, k);
    }
    return faults;
}

}  // namespace bayesieve_test
