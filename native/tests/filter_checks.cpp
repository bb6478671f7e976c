// SPDX-License-Identifier: BSD-3-Clause
#include "filter_checks.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <map>
#include <random>
#include <tuple>
#include <vector>

#include "bayesieve/filters/joint_sums.hpp"
#include "bayesieve/filters/relieff.hpp"

namespace bayesieve_test {
namespace {

struct Table {
    std::vector<std::uint8_t> narrow;
    std::vector<std::uint16_t> wide, common, entry_codes;
    std::vector<std::int32_t> entry_rows, target;
    std::vector<std::int64_t> place, n_codes, begins{0}, weights;
    std::size_t n_rows;
    int n_classes;

    // Columns: narrow of few codes, narrow of many, wide, sparse.
    explicit Table(std::mt19937_64& random) {
        const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
        n_rows = static_cast<std::size_t>(1 + below(200));
        n_classes = static_cast<int>(1 + below(4));
        n_codes = {1 + below(9), 10 + below(200), 1 + below(5000), 2 + below(12)};
        place = {0, 1, 2, 3};
        const bool same = below(2) == 0;
        for (std::size_t i = 0; i < n_rows; ++i) {
            target.push_back(static_cast<std::int32_t>(below(n_classes)));
            weights.push_back(same ? 7 : 1 + below(1000));
        }
        std::sort(target.begin(), target.end());
        for (int j = 0; j < 2; ++j)
            for (std::size_t i = 0; i < n_rows; ++i)
                narrow.push_back(static_cast<std::uint8_t>(below(n_codes[j])));
        for (std::size_t i = 0; i < n_rows; ++i)
            wide.push_back(static_cast<std::uint16_t>(below(n_codes[2])));
        common = {static_cast<std::uint16_t>(below(n_codes[3]))};
        for (std::size_t i = 0; i < n_rows; ++i)
            if (below(4) == 0) {
                entry_rows.push_back(static_cast<std::int32_t>(i));
                entry_codes.push_back(static_cast<std::uint16_t>(below(n_codes[3])));
            }
        begins.push_back(static_cast<std::int64_t>(entry_rows.size()));
    }

    std::int64_t code(std::size_t j, std::size_t i) const {
        if (j < 2) return narrow[j * n_rows + i];
        if (j == 2) return wide[i];
        const auto found = std::find(entry_rows.begin(), entry_rows.end(), static_cast<std::int32_t>(i));
        return found == entry_rows.end() ? common[0] : entry_codes[found - entry_rows.begin()];
    }

    bayesieve::JointSums sums() const {
        const bayesieve::RawCodes codes{narrow.data(),
                                        wide.data(),
                                        2,
                                        1,
                                        1,
                                        n_rows,
                                        4,
                                        place.data(),
                                        n_codes.data(),
                                        common.data(),
                                        begins.data(),
                                        entry_rows.data(),
                                        entry_codes.data()};
        const bool same =
            std::all_of(weights.begin(), weights.end(), [&](auto w) { return w == weights[0]; });
        bayesieve::ClassRows rows{{}, same ? nullptr : weights.data(), weights[0]};
        for (int c = 0; c <= n_classes; ++c)
            rows.class_begins.push_back(std::lower_bound(target.begin(), target.end(), c) - target.begin());
        return {codes, rows, 20};
    }

    // Counts in rows where all weights are the same, as JointSums::logs takes them.
    std::int64_t plain(const bayesieve::JointSums& sums, std::size_t a, std::size_t b,
                       bool with_class) const {
        const bool same =
            std::all_of(weights.begin(), weights.end(), [&](auto w) { return w == weights[0]; });
        std::map<std::tuple<std::int64_t, std::int64_t, std::int32_t>, std::int64_t> cells;
        for (std::size_t i = 0; i < n_rows; ++i)
            cells[{code(a, i), code(b, i), with_class ? target[i] : 0}] += same ? 1 : weights[i];
        std::int64_t sum = 0;
        for (const auto& cell : cells) sum += sums.logs(cell.second);
        return sum;
    }
};

bool joint_sums_hold(std::mt19937_64& random) {
    const Table table(random);
    const bayesieve::JointSums sums = table.sums();
    const std::int64_t columns[4] = {0, 1, 2, 3};
    for (std::size_t other = 0; other < 4; ++other) {
        std::int64_t pairs[4], triples[4];
        sums.sums(other, columns, 4, pairs, triples, {1 + static_cast<int>(other % 2), [] {}});
        for (std::size_t j = 0; j < 4; ++j)
            if (pairs[j] != table.plain(sums, j, other, false) ||
                triples[j] != table.plain(sums, j, other, true))
                return false;
    }
    return true;
}

bool relief_holds(std::mt19937_64& random) {
    const std::size_t n_rows = 2 + random() % 60, n_columns = 6;
    std::vector<double> values(n_rows * n_columns);
    for (std::size_t k = 0; k < values.size(); ++k) {
        values[k] = static_cast<double>(random() % 9) / 8.0;
        if (k >= 2 * n_rows && random() % 4 == 0) values[k] = std::numeric_limits<double>::quiet_NaN();
    }
    std::vector<std::int32_t> target(n_rows);
    for (auto& y : target) y = static_cast<std::int32_t>(random() % 3);
    const std::vector<double> penalties(n_columns, 0.5), factors{-1, .5, .5, .5, -1, .5, .5, .5, -1};
    const std::vector<double> shares{0, 0, 1, 0, .5, .5};
    const bayesieve::ReliefProblem problem{
        values.data(), {0, 2, 4, 6},  penalties.data(), target.data(), n_rows, n_columns, 3, 2,
        shares.data(), factors.data()};
    return bayesieve::relieff(problem, {1, [] {}}) == bayesieve::relieff(problem, {3, [] {}});
}

}  // namespace

int check_filters() {
    std::mt19937_64 random(7);
    int failed = 0;
    for (int i = 0; i < 200; ++i) {
        if (!joint_sums_hold(random))
            ++failed, std::printf("joint sums differ from a plain count, table %d\n", i);
        if (!relief_holds(random)) ++failed, std::printf("ReliefF depends on threads, table %d\n", i);
    }
    return failed;
}

}  // namespace bayesieve_test
