// SPDX-License-Identifier: BSD-3-Clause
#include "interval_checks.hpp"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <random>
#include <vector>

#include "bayesieve/coding/mdlp.hpp"
#include "bayesieve/coding/modl/average.hpp"
#include "bayesieve/coding/modl/cost.hpp"
#include "bayesieve/coding/modl/intervals.hpp"
#include "bayesieve/kernels/kernels.hpp"
#include "rounds.hpp"

namespace bayesieve_test {
namespace {

using bayesieve::modl::FoundIntervals;
using bayesieve::modl::IntervalRules;
using bayesieve::modl::IntervalTables;
using bayesieve::modl::PriorKind;

struct Problem {
    std::vector<std::int64_t> counts, offsets{0};
    std::vector<std::uint8_t> fixed_first;
    std::vector<std::int8_t> monotone;
    int n_classes;
    double unit;

    // Of many small tables, or one of more cells than there are sums of log* to look up.
    explicit Problem(std::mt19937_64& random, bool large) {
        const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
        n_classes = static_cast<int>(1 + below(4));
        const int shift = static_cast<int>(below(3)) * 10;  // weights in units of 1, 2^-10 or 2^-20
        unit = 1.0 / static_cast<double>(std::int64_t{1} << shift);
        for (std::int64_t table = large ? 1 : 1 + below(20); table > 0; --table) {
            const std::int64_t few = below(3) == 0 ? below(4) : below(300), likely = below(n_classes);
            const std::int64_t n_rows = large ? 2500 : few;
            for (std::int64_t cell = 0; cell < n_rows * n_classes; ++cell) {
                const bool rare = cell % n_classes != likely && below(4) > 0;
                counts.push_back(rare || below(3) == 0 ? 0 : below(std::uint64_t{5} << shift));
            }
            offsets.push_back(offsets.back() + n_rows);
            fixed_first.push_back(below(2) == 0);
            monotone.push_back(n_classes == 2 ? static_cast<std::int8_t>(below(3) - 1) : 0);
        }
    }

    // The heaviest table has almost as many rows as there may be, 2^30: keys far beyond the buckets of the
    // queue.
    void make_heavy() {
        std::int64_t heaviest = 0;
        for (std::size_t t = 0; t + 1 < offsets.size(); ++t) {
            const auto begin = counts.begin() + offsets[t] * n_classes,
                       end = counts.begin() + offsets[t + 1] * n_classes;
            heaviest = std::max(heaviest, std::accumulate(begin, end, std::int64_t{0}));
        }
        while (heaviest > 0 && static_cast<double>(heaviest) * unit <= 0x1p29) unit *= 2.0;
    }

    IntervalTables tables() const {
        return {counts.data(), offsets.data(),     offsets.size() - 1, n_classes,
                unit,          fixed_first.data(), monotone.data()};
    }
};

const char* find_fault(const std::vector<std::int64_t>& cuts, std::int64_t n_rows) {
    std::int64_t last = 0;
    for (const std::int64_t cut : cuts) {
        if (cut <= last || cut >= n_rows) return "cuts are not in order, or not within the table";
        last = cut;
    }
    return nullptr;
}

const char* check(const Problem& problem, const IntervalRules& rules) {
    const IntervalTables tables = problem.tables();
    const auto one = find_intervals(tables, rules, 1, [] {}), two = find_intervals(tables, rules, 2, [] {});
    const auto simple = bayesieve::mdlp_intervals(tables, rules.least, rules.max_bins, 2, [] {});
    for (std::size_t t = 0; t < tables.n_tables; ++t) {
        const FoundIntervals &a = one[t], &b = two[t];
        if (a.cuts != b.cuts || a.cost != b.cost || a.granularity != b.granularity) return "threads matter";
        if (a.cost > a.null) return "the null model is cheaper";
        const std::int64_t n_rows = tables.offsets[t + 1] - tables.offsets[t];
        for (const auto* cuts : {&a.cuts, &simple[t]}) {
            const char* fault = find_fault(*cuts, n_rows);
            if (fault != nullptr) return fault;
            if (rules.max_bins > 0 && static_cast<std::int64_t>(cuts->size()) >= rules.max_bins)
                return "there are too many bins";
        }
    }
    return nullptr;
}

// The average over partitions is finite and the same with any number of threads.
const char* check_average(const Problem& problem) {
    const auto n_rows = static_cast<std::size_t>(problem.offsets.back());
    const std::size_t n_cells = n_rows * static_cast<std::size_t>(problem.n_classes);
    const std::vector<double> priors(n_rows, 0.01);
    std::vector<std::vector<double>> found;
    for (const int n_threads : {1, 2}) {
        std::vector<double> evidence(problem.offsets.size() - 1), curves(n_cells, 0.0), lowered(n_cells, 0.0);
        bayesieve::modl::average_partitions({problem.counts.data(), problem.offsets.data(), evidence.size(),
                                             problem.n_classes, problem.unit, priors.data(), 2.0},
                                            {evidence.data(), curves.data(), lowered.data()}, n_threads,
                                            [] {});
        for (const auto* more : {&curves, &lowered})
            evidence.insert(evidence.end(), more->begin(), more->end());
        for (const double value : evidence)
            if (!std::isfinite(value)) return "an average is not finite";
        found.push_back(evidence);
    }
    return found[0] == found[1] ? nullptr : "threads change an average";
}

// Tabulated costs of factorials are those of single numbers, in every build.
const char* check_factorials(double unit, int n_classes, std::int64_t n) {
    using namespace bayesieve;
    const modl::Factorials tabulated(unit, n_classes, n), computed(unit, n_classes, 0);
    for (std::int64_t m = 0; m <= n + 5; ++m)
        if (tabulated.of(m) != computed.of(m) || tabulated.with_classes(m) != computed.with_classes(m))
            return "a table of factorials differs from single ones";
    for (const Kernels* build : {&portable_kernels(), avx2_kernels(), avx512_kernels()}) {
        if (build == nullptr || (build != &portable_kernels() && build != &kernels())) continue;
        for (std::int64_t m = 16; m < n; ++m) {
            const double x = static_cast<double>(m) * unit + 16.0;
            double cost;
            build->log_factorials(&x, 1, &cost);
            if (static_cast<std::int64_t>(cost) != modl::to_cost(modl::log_factorial(x)))
                return "a kernel of factorials differs";
        }
    }
    return nullptr;
}

}  // namespace

int check_intervals() {
    std::mt19937_64 random(1);
    int failed = 0;
    for (const double unit : {1.0, 0.125, 1000.5})
        for (const int n_classes : {1, 2, 3, 40})
            for (const std::int64_t n : {0, 1, 20, 3000})
                if (const char* fault = check_factorials(unit, n_classes, n)) {
                    std::printf("factorials: %s\n", fault);
                    ++failed;
                }
    const int n_problems = rounds(100, 300);
    for (int i = 0; i < n_problems; ++i) {
        Problem problem(random, i % 100 == 99);
        if (i % 50 == 49) problem.make_heavy();
        if (const char* fault = i % 30 == 0 ? check_average(problem) : nullptr) {
            std::printf("averages, problem %d: %s\n", i, fault);
            ++failed;
        }
        for (const PriorKind prior : {PriorKind::khiops, PriorKind::boulle}) {
            const IntervalRules rules{prior, 3, i % 4 == 0 ? 7 : 0, i % 5};
            const char* fault = check(problem, rules);
            if (fault == nullptr) continue;
            std::printf("intervals, problem %d: %s\n", i, fault);
            ++failed;
        }
    }
    return failed;
}

}  // namespace bayesieve_test
