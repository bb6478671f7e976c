// SPDX-License-Identifier: BSD-3-Clause
#include "group_checks.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

#include "bayesieve/coding/modl/groups.hpp"
#include "bayesieve/pool.hpp"
#include "rounds.hpp"

namespace bayesieve_test {
namespace {

using bayesieve::modl::Factorials;
using bayesieve::modl::Grouping;
using bayesieve::modl::GroupLimits;
using bayesieve::modl::GroupTable;
using bayesieve::modl::PriorKind;

constexpr std::int64_t kTabulated = 1 << 14;  // so that heavier values are computed

// Values of a few kinds, some of them rare and some without weight.
struct Problem {
    std::vector<std::int64_t> counts;
    std::size_t n_values;
    int n_classes;
    double unit;
    bool fixed_first;

    // Few values, or more of them than groups begin with.
    explicit Problem(std::mt19937_64& random, bool large) {
        const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
        n_classes = static_cast<int>(1 + below(4));
        const int shift = static_cast<int>(below(3)) * 5;  // weights in units of 1, 2^-5 or 2^-10
        unit = 1.0 / static_cast<double>(std::int64_t{1} << shift);
        n_values = static_cast<std::size_t>(large ? 300 : below(3) == 0 ? below(4) : below(80));
        fixed_first = below(2) == 0;
        for (std::size_t v = 0; v < n_values; ++v) {
            const std::int64_t likely = below(n_classes), size = below(8) == 0 ? 0 : 1 + below(30);
            for (int c = 0; c < n_classes; ++c)
                counts.push_back(
                    below(1 + (static_cast<std::uint64_t>(c == likely ? size : size / 4) << shift)));
        }
    }

    GroupTable table() const { return {counts.data(), n_values, unit, fixed_first}; }
    std::int64_t mass(std::size_t v) const {
        std::int64_t sum = 0;
        for (int c = 0; c < n_classes; ++c) sum += counts[v * n_classes + c];
        return sum;
    }
    std::int64_t total() const {
        std::int64_t sum = 0;
        for (std::size_t v = 0; v < n_values; ++v) sum += mass(v);
        return sum;
    }
};

struct Answer {
    Grouping found{};
    std::vector<std::int32_t> groups;

    bool operator!=(const Answer& other) const {
        return groups != other.groups || found.cost != other.found.cost || found.other != other.found.other ||
               found.n_groups != other.found.n_groups || found.granularity != other.found.granularity;
    }
};

const char* find_fault(const Problem& problem, const Answer& answer, const GroupLimits& limits) {
    const Grouping& found = answer.found;
    if (found.cost > found.null_cost) return "one group is cheaper";
    if (found.n_groups > std::max<std::int64_t>(1, limits.max_bins)) return "there are too many groups";
    if (found.other < -1 || found.other >= std::max<std::int64_t>(1, found.n_groups))
        return "there is no such group for new values";
    std::vector<std::int64_t> mass(static_cast<std::size_t>(found.n_groups), 0);
    for (std::size_t v = 0; v < problem.n_values; ++v) {
        const std::int32_t group = answer.groups[v];
        if ((group < 0) != (problem.mass(v) == 0))
            return "a value with weight has no group, or one without has";
        if (group >= found.n_groups) return "a value is in no such group";
        if (group >= 0) mass[static_cast<std::size_t>(group)] += problem.mass(v);
    }
    for (std::size_t g = 0; g < mass.size(); ++g) {
        if (mass[g] == 0) return "a group is empty";
        const bool apart = problem.fixed_first && answer.groups[0] == static_cast<std::int32_t>(g);
        if (found.n_groups > 1 && !apart && mass[g] < limits.min_size) return "a group is too small";
    }
    return nullptr;
}

const char* check(const Problem& problem, PriorKind prior, const GroupLimits& limits) {
    const Factorials factorials(problem.unit, problem.n_classes, std::min(problem.total(), kTabulated));
    std::vector<Answer> answers(4);
    for (const int n_threads : {1, 2}) {  // the factorials are shared
        bayesieve::run_blocks(
            2, 1, n_threads,
            [&](std::size_t begin, std::size_t end, int) {
                for (std::size_t k = begin; k < end; ++k) {
                    Answer& answer = answers[2 * static_cast<std::size_t>(n_threads - 1) + k];
                    answer.groups.assign(problem.n_values, -2);
                    answer.found =
                        group_values(problem.table(), factorials, prior, 3, limits, answer.groups.data());
                }
            },
            [] {});
    }
    for (const Answer& answer : answers)
        if (answer != answers[0]) return "threads matter";
    return find_fault(problem, answers[0], limits);
}

}  // namespace

int check_groups() {
    std::mt19937_64 random(2);
    int failed = 0;
    const int n_problems = rounds(60, 200);
    for (int i = 0; i < n_problems; ++i) {
        const Problem problem(random, i % 20 == 19);
        for (const PriorKind prior : {PriorKind::khiops, PriorKind::boulle}) {
            const GroupLimits limits{i % 4 == 0 ? 7 : 0, i % 5 == 0 ? 3 : std::int64_t{1} << 40};
            const char* fault = check(problem, prior, limits);
            if (fault == nullptr) continue;
            std::printf("groups, problem %d: %s\n", i, fault);
            ++failed;
        }
    }
    return failed;
}

}  // namespace bayesieve_test
