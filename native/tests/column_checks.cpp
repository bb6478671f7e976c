// SPDX-License-Identifier: BSD-3-Clause
#include "column_checks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <set>
#include <type_traits>
#include <vector>

#include "bayesieve/columns/bounds.hpp"
#include "bayesieve/columns/cells.hpp"
#include "bayesieve/columns/column_batch.hpp"
#include "bayesieve/columns/count.hpp"
#include "bayesieve/columns/index.hpp"

namespace bayesieve_test {
namespace {

using Random = std::mt19937_64;

std::int64_t below(Random& random, std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
}

// Small whole numbers, a few numbers of any size, all different, or spread over a range.
template <typename Number>
Number any_number(Random& random, int kind) {
    if (kind == 0) return static_cast<Number>(random() % 128);
    if constexpr (std::is_floating_point_v<Number>) {
        if (random() % 16 == 0)
            return random() % 2 == 0 ? std::numeric_limits<Number>::quiet_NaN() : Number{-0.0};
        if (kind == 3) return static_cast<Number>(below(random, 5000)) / 7 - 99;
        const auto whole = static_cast<Number>(kind == 1 ? below(random, 40) - 20 : below(random, 1 << 30));
        return kind == 1 ? whole / 3 : std::ldexp(whole - (1 << 29), static_cast<int>(random() % 60) - 40);
    } else {
        if (kind == 3) return static_cast<Number>(random() % 5000);
        return static_cast<Number>(kind == 1 ? random() % 5 * 0x4321432143214321u : random());
    }
}

template <typename Number>
bool index_holds(Random& random, int kind, bool turned) {
    const std::size_t n = random() % 3 == 0 ? 1500 + random() % 5000 : random() % 600, n_columns = 3;
    std::vector<Number> values(n * n_columns);
    for (Number& each : values) each = any_number<Number>(random, kind);
    const bayesieve::NumberColumns<Number> columns{values.data(), n_columns, n,
                                                   static_cast<std::ptrdiff_t>(turned ? 1 : n),
                                                   static_cast<std::ptrdiff_t>(turned ? n_columns : 1)};
    if (columns.together() < 1) return false;
    std::vector<std::int32_t> ids(values.size());
    std::vector<std::vector<double>> distinct(n_columns);
    bayesieve::index_columns(columns, 0, n_columns, ids.data(), distinct.data());
    for (std::size_t j = 0; j < n_columns; ++j) {
        const auto value = [&](std::size_t i) {
            return static_cast<double>(values[turned ? i * n_columns + j : j * n + i]) + 0.0;
        };
        std::set<double> plain;
        for (std::size_t i = 0; i < n; ++i)
            if (!std::isnan(value(i))) plain.insert(value(i));
        if (distinct[j] != std::vector<double>(plain.begin(), plain.end())) return false;
        for (std::size_t i = 0; i < n; ++i) {
            const auto at = std::lower_bound(distinct[j].begin(), distinct[j].end(), value(i));
            const auto place = std::isnan(value(i)) ? distinct[j].size() : at - distinct[j].begin();
            if (ids[j * n + i] != static_cast<std::int32_t>(place)) return false;
        }
    }
    return true;
}

template <typename Number>
int check_index(Random& random) {
    int faults = 0;
    for (int kind = 0; kind < 4; ++kind)
        for (const bool turned : {false, true}) faults += index_holds<Number>(random, kind, turned) ? 0 : 1;
    return faults;
}

// Borders and values of which some are equal, close together, huge, infinite or missing.
template <typename Value>
struct CellCase {
    std::vector<double> borders;
    std::vector<Value> values;
    std::vector<std::int32_t> strata;
    std::vector<std::int64_t> weights;
    bool infinite = false;

    CellCase(Random& random, std::size_t n_borders, bool distinct) {
        const std::int64_t width = distinct ? 1 << 20 : static_cast<std::int64_t>(1 + n_borders);
        for (std::size_t k = 0; k < n_borders; ++k) {
            const double near = static_cast<double>(static_cast<float>(below(random, width))) / 8;
            borders.push_back(k % 5 == 4 ? (distinct ? -near * 1e30f : -near * 1e300) : near);
        }
        std::sort(borders.begin(), borders.end());
        if (distinct) {
            for (double& each : borders) each = static_cast<double>(static_cast<float>(each));
            borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
        }
        for (std::size_t i = random() % 1300; i > 0; --i) {
            Value value = static_cast<Value>(below(random, width)) / 8;
            if (!borders.empty() && random() % 2 == 0) {
                const double border = borders[random() % borders.size()];
                if (std::fabs(border) < 1e38) value = static_cast<Value>(border);
            }
            if (random() % 20 == 0) value = std::numeric_limits<Value>::quiet_NaN();
            if (random() % 400 == 0) {
                value = random() % 2 == 0 ? std::numeric_limits<Value>::infinity()
                                          : -std::numeric_limits<Value>::infinity();
                infinite = true;
            }
            values.push_back(value);
            strata.push_back(static_cast<std::int32_t>(random() % 3));
            weights.push_back(below(random, 1000));
        }
    }

    std::size_t cell(Value value) const {
        if (std::isnan(value)) return borders.size() + 1;
        return static_cast<std::size_t>(std::count_if(borders.begin(), borders.end(), [&](double border) {
            return border < static_cast<double>(value);
        }));
    }
};

template <typename Value>
bool cells_hold(Random& random, std::size_t n_borders, bool weighted) {
    const CellCase<Value> test(random, n_borders, false);
    const bayesieve::CellFinder<Value> finder(test.borders.data(), test.borders.size());
    const std::size_t n = test.values.size(), n_cells = test.borders.size() + 2;
    const bayesieve::Strata strata{test.strata.data(), weighted ? test.weights.data() : nullptr, 3};
    std::vector<std::int64_t> counts(3 * n_cells, 0), expected(3 * n_cells, 0), code_of(n_cells), rows;
    for (std::size_t k = 0; k < n_cells; ++k) code_of[k] = static_cast<std::int64_t>(k % 200);
    for (std::size_t i = 0; i < n; ++i) {
        expected[3 * test.cell(test.values[i]) + test.strata[i]] += weighted ? test.weights[i] : 1;
        rows.push_back(below(random, static_cast<std::int64_t>(n)));
    }
    const bool infinite =
        bayesieve::count_cells(finder, test.values.data(), n, strata, counts.data(), nullptr);
    std::vector<std::uint8_t> narrow(n);
    std::vector<std::uint16_t> wide(n);
    bayesieve::code_cells(finder, test.values.data(), rows.data(), n, code_of.data(), narrow.data());
    bayesieve::code_cells(finder, test.values.data(), rows.data(), n, code_of.data(), wide.data());
    for (std::size_t i = 0; i < n; ++i) {
        const std::int64_t code = code_of[test.cell(test.values[rows[i]])];
        if (narrow[i] != code || wide[i] != code) return false;
    }
    return counts == expected && infinite == test.infinite;
}

// Borders are labels: rows of other numbers are listed.
template <typename Value>
bool labels_hold(Random& random, std::size_t n_labels, bool weighted) {
    const CellCase<Value> test(random, n_labels, true);
    const bayesieve::CellFinder<Value> finder(test.borders.data(), test.borders.size());
    const bayesieve::Strata strata{test.strata.data(), weighted ? test.weights.data() : nullptr, 3};
    const std::size_t n_cells = test.borders.size() + 1;
    std::vector<std::int64_t> counts(3 * n_cells, 0), expected(3 * n_cells, 0), others, plain;
    for (std::size_t i = 0; i < test.values.size(); ++i) {
        const auto value = static_cast<double>(test.values[i]);
        const auto at = std::find(test.borders.begin(), test.borders.end(), value);
        if (!std::isnan(value) && at == test.borders.end()) {
            plain.push_back(static_cast<std::int64_t>(i));
        } else {
            const auto cell = static_cast<std::size_t>(at - test.borders.begin());
            expected[3 * cell + test.strata[i]] += weighted ? test.weights[i] : 1;
        }
    }
    bayesieve::count_cells(finder, test.values.data(), test.values.size(), strata, counts.data(), &others);
    return counts == expected && others == plain;
}

template <typename Code>
bool batch_holds(Random& random, std::int64_t n_labels, bool weighted, int n_threads) {
    const std::size_t n_rows = random() % 2000, n_columns = 4;
    std::vector<std::int32_t> ids, strata;
    std::vector<std::int64_t> offsets, bins, weights, rows;
    for (std::size_t j = 0; j <= n_columns; ++j) offsets.push_back(static_cast<std::int64_t>(j) * n_labels);
    for (std::size_t k = 0; k < n_columns * n_rows; ++k)
        ids.push_back(static_cast<std::int32_t>(below(random, n_labels)));
    for (std::int64_t k = 0; k < offsets.back(); ++k)
        bins.push_back(below(random, std::min<std::int64_t>(n_labels, std::numeric_limits<Code>::max())));
    for (std::size_t i = 0; i < n_rows; ++i) {
        strata.push_back(static_cast<std::int32_t>(random() % 2));
        weights.push_back(below(random, 9));
        rows.push_back(below(random, static_cast<std::int64_t>(n_rows)));
    }
    const bayesieve::ColumnBatch batch{ids.data(), offsets.data(), n_columns, n_rows};
    const bayesieve::Strata by{strata.data(), weighted ? weights.data() : nullptr, 2};
    const bayesieve::Threads threads{n_threads, [] {}};
    std::vector<std::int64_t> counts(2 * bins.size(), 0), expected(2 * bins.size(), 0);
    std::vector<Code> codes(n_columns * n_rows);
    std::vector<const std::int64_t*> of_columns;
    for (std::size_t j = 0; j < n_columns; ++j) of_columns.push_back(bins.data() + offsets[j]);
    if (bayesieve::count_columns(batch, by, counts.data(), threads) != nullptr ||
        bayesieve::code_columns(batch, rows.data(), n_rows, of_columns.data(), codes.data(), threads) !=
            nullptr)
        return false;
    for (std::size_t j = 0; j < n_columns; ++j)
        for (std::size_t i = 0; i < n_rows; ++i) {
            expected[2 * (offsets[j] + batch.column(j)[i]) + strata[i]] += weighted ? weights[i] : 1;
            if (codes[j * n_rows + i] != bins[offsets[j] + batch.column(j)[rows[i]]]) return false;
        }
    std::vector<std::int64_t> sums(2 * n_labels, 0), plain(2 * n_labels, 0);
    if (bayesieve::add_by_bin(bins.data(), counts.data(), bins.size(), 2, n_labels, sums.data()) != nullptr)
        return false;
    for (std::size_t k = 0; k < 2 * bins.size(); ++k) plain[2 * bins[k / 2] + k % 2] += counts[k];
    return counts == expected && sums == plain;
}

// Whatever is out of range is named, and nothing beyond an array is touched.
bool faults_are_named() {
    std::int32_t ids[] = {0, 1, 2, 9}, strata[] = {0, 1, 0, 1}, bad_strata[] = {0, 1, 0, -1};
    const std::int64_t offsets[] = {0, 3}, rows[] = {0, 3}, bad_rows[] = {0, 4}, bins[] = {0, 1, 2},
                       bad_bins[] = {0, 256, -1};
    const bayesieve::Threads threads{1, [] {}};
    std::vector<std::int64_t> counts(6, 0);
    std::vector<std::uint8_t> codes(2);
    bayesieve::ColumnBatch batch{ids, offsets, 1, 4};
    const auto counted = [&](const std::int32_t* of_row) {
        return bayesieve::count_columns(batch, {of_row, nullptr, 2}, counts.data(), threads);
    };
    const auto coded = [&](const std::int64_t* own, const std::int64_t* of_label) {
        return bayesieve::code_columns(batch, own, 2, &of_label, codes.data(), threads);
    };
    const bool refused = counted(strata) != nullptr && coded(rows, bins) != nullptr;
    ids[3] = 2;
    return refused && counted(bad_strata) != nullptr && coded(bad_rows, bins) != nullptr &&
           coded(rows, bad_bins) != nullptr && counted(strata) == nullptr && coded(rows, bins) == nullptr &&
           bayesieve::add_by_bin(bad_bins, counts.data(), 3, 1, 3, counts.data()) != nullptr;
}

template <typename Code>
bool counts_hold(Random& random) {
    const std::size_t n = random() % 300;
    std::vector<Code> codes(n);
    std::vector<std::int32_t> target(n);
    std::vector<std::int64_t> weights(n), counts(3 * 20, 0), expected(3 * 20, 0);
    for (std::size_t i = 0; i < n; ++i) {
        codes[i] = static_cast<Code>(random() % 20);
        target[i] = static_cast<std::int32_t>(random() % 3);
        weights[i] = below(random, 1000);
        expected[3 * codes[i] + target[i]] += weights[i];
    }
    const bayesieve::Rows rows{target.data(), weights.data(), n, 3};
    if (bayesieve::find_fault(rows) != nullptr || !bayesieve::codes_below(codes.data(), n, 20)) return false;
    bayesieve::count_column(codes.data(), rows, counts.data());
    const std::int32_t bad_target[] = {3};
    const std::int64_t one[] = {1}, negative[] = {-1};
    const std::int32_t good_target[] = {0, 0};
    const std::int64_t huge[] = {std::numeric_limits<std::int64_t>::max(), 1};
    return counts == expected && bayesieve::find_fault({bad_target, one, 1, 3}) != nullptr &&
           bayesieve::find_fault({good_target, negative, 1, 3}) != nullptr &&
           bayesieve::find_fault({good_target, huge, 2, 3}) != nullptr &&
           bayesieve::find_fault({good_target, one, 1, 0}) != nullptr &&
           (n == 0 ||
            !bayesieve::codes_below(codes.data(), n, *std::max_element(codes.begin(), codes.end())));
}

bool bounds_hold(Random& random) {
    std::vector<double> left, right;
    for (int k = 0; k < 50; ++k) {
        const double a = any_number<double>(random, 2), step = std::fabs(any_number<double>(random, k % 3));
        if (std::isnan(a) || std::isnan(step) || !(a + step > a)) continue;
        left.push_back(a);
        right.push_back(k % 4 == 0 ? std::nextafter(a, INFINITY) : a + step);
    }
    left.insert(left.end(), {-1e308, 0.0, -5e-324});
    right.insert(right.end(), {1e308, 5e-324, 0.0});
    std::vector<double> out(left.size());
    bayesieve::readable_between(left.data(), right.data(), left.size(), out.data());
    for (std::size_t k = 0; k < left.size(); ++k)
        if (!(left[k] <= out[k] && out[k] < right[k])) return false;
    return true;
}

}  // namespace

int check_columns() {
    Random random(23);
    int faults = faults_are_named() ? 0 : 1;
    const auto expect = [&](bool holds, const char* what) {
        if (!holds) ++faults, std::printf("columns: %s differ from a plain search\n", what);
    };
    for (int k = 0; k < 12; ++k) {
        expect(check_index<double>(random) + check_index<float>(random) == 0, "positions of floats");
        expect(check_index<std::int8_t>(random) + check_index<std::int16_t>(random) +
                       check_index<std::int32_t>(random) + check_index<std::int64_t>(random) ==
                   0,
               "positions of integers");
        expect(check_index<std::uint8_t>(random) + check_index<std::uint16_t>(random) +
                       check_index<std::uint32_t>(random) + check_index<std::uint64_t>(random) ==
                   0,
               "positions of unsigned integers");
        for (const std::size_t n : {0, 1, 3, 12, 600}) {
            const bool weighted = random() % 2 == 0;
            expect(cells_hold<double>(random, n, weighted) && cells_hold<float>(random, n, weighted),
                   "cells");
            expect(labels_hold<double>(random, n, weighted) && labels_hold<float>(random, n, weighted),
                   "labels");
        }
        for (const std::int64_t n : {1, 7, 150, 3000})
            expect(batch_holds<std::uint16_t>(random, n, k % 2 == 0, 1 + k % 3) &&
                       (n > 200 || batch_holds<std::uint8_t>(random, n, k % 2 == 1, 1 + k % 3)),
                   "batches");
        expect(counts_hold<std::uint8_t>(random) && counts_hold<std::uint16_t>(random), "counts");
        expect(bounds_hold(random), "bounds");
    }
    return faults;
}

}  // namespace bayesieve_test
