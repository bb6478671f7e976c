// SPDX-License-Identifier: BSD-3-Clause
#include "shape_checks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

#include "bayesieve/additive/class_shape_fit.hpp"
#include "bayesieve/additive/class_stack.hpp"
#include "bayesieve/additive/log_odds_stack.hpp"
#include "bayesieve/coding/merge.hpp"
#include "bayesieve/additive/shape_fit.hpp"
#include "bayesieve/additive/stack_descent.hpp"
#include "bayesieve/additive/stacked_sums.hpp"

namespace bayesieve_test {
namespace {

struct Table {
    std::size_t n_rows, n_columns = 4, n_narrow = 3;
    std::vector<std::uint8_t> narrow, nominal, missing;
    std::vector<std::uint16_t> wide;
    std::vector<std::int64_t> place = {2, 3, 0, 1}, offsets = {0};
    std::vector<std::int8_t> monotone;
    std::vector<double> gaps, line, rank, square, target, scale;

    explicit Table(std::mt19937_64& random) {
        const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
        n_rows = static_cast<std::size_t>(2 + below(3000));
        narrow.resize(n_narrow * n_rows), wide.resize(n_rows);
        for (std::size_t k = 0; k < n_columns; ++k) {
            const std::int64_t n_bins = 2 + below(place[k] == 3 ? 400 : 60);
            offsets.push_back(offsets.back() + n_bins);
            nominal.push_back(k == 1), missing.push_back(k != 1 && below(2) == 0);
            monotone.push_back(static_cast<std::int8_t>(k == 1 ? 0 : below(3) - 1));
            for (std::size_t i = 0; i < n_rows; ++i)
                if (place[k] == 3)
                    wide[i] = static_cast<std::uint16_t>(below(static_cast<std::uint64_t>(n_bins)));
                else
                    narrow[static_cast<std::size_t>(place[k]) * n_rows + i] =
                        static_cast<std::uint8_t>(below(static_cast<std::uint64_t>(n_bins)));
            for (std::int64_t v = 0; v < n_bins; ++v) {
                const double x = 2.0 * static_cast<double>(v) / static_cast<double>(n_bins) - 1.0;
                gaps.push_back(1.0 / static_cast<double>(n_bins)), line.push_back(x), rank.push_back(1.2 * x);
                square.push_back(x * x - 0.33);
            }
        }
        const double size = below(4) == 0 ? 1e-3 : 1.0;
        for (std::size_t i = 0; i < n_rows; ++i) {
            target.push_back(static_cast<double>(below(2)));
            scale.push_back(size * static_cast<double>(1 + below(3)) * 1048576.0);
        }
    }

    bayesieve::CodedRows raw() const {
        return {n_rows,         n_columns,      n_narrow,        narrow.data(),  wide.data(),    place.data(),
                offsets.data(), nominal.data(), monotone.data(), missing.data(), gaps.data(),    line.data(),
                rank.data(),    square.data(),  target.data(),   scale.data(),   1.0 / 1048576.0};
    }
    std::size_t code(std::size_t k, std::size_t i) const {
        return place[k] == 3 ? wide[i] : narrow[static_cast<std::size_t>(place[k]) * n_rows + i];
    }
};

struct Answer {
    std::vector<double> numbers, tables, scores;
    double intercept;
};

Answer fitted(const Table& table, bool moderated, std::size_t begin, std::size_t end) {
    const bayesieve::TablePriors priors = {{0.01, 0.1, 1.0}, {0.1, 1.0}, {0.05, 0.5}, 0.5};
    bayesieve::ShapeFit fit(table.raw(), priors, moderated, begin, end, -0.25);
    const std::vector<std::int64_t> columns = {0, 1, 2, 3};
    const std::vector<double> numeric(priors.n_components(false), 0.125),
        nominal(priors.n_components(true), 0.25);
    std::vector<double> numbers(columns.size());
    for (int round = 0; round < 3; ++round) {
        std::vector<double> a(numeric.size(), 0.0), b(nominal.size(), 0.0);
        numbers.push_back(fit.cycle(columns.data(), 4, numeric.data(), nominal.data(), a.data(), b.data()));
        numbers.insert(numbers.end(), a.begin(), a.end()), numbers.insert(numbers.end(), b.begin(), b.end());
    }
    fit.evidence(columns.data(), 4, numeric.data(), nominal.data(), numbers.data());
    const std::vector<double> tables = fit.tables(), variances = fit.variances();
    fit.go_to(fit.intercept(), tables.data(), variances.data());
    std::vector<std::int64_t> sums(2 * tables.size() + 2, 0);
    fit.sums(sums.data());
    fit.correct(
        {std::vector<std::int64_t>(tables.size() + 1, 5), std::vector<std::int64_t>(tables.size() + 1, 7)});
    std::vector<double> a(numeric.size(), 0.0), b(nominal.size(), 0.0);
    numbers.push_back(fit.cycle(columns.data(), 4, numeric.data(), nominal.data(), a.data(), b.data()));
    return {numbers, fit.tables(), fit.scores(), fit.intercept()};
}

const char* fault_of(const Table& table, const Answer& answer) {
    for (const auto* values : {&answer.numbers, &answer.tables, &answer.scores})
        for (const double value : *values)
            if (!std::isfinite(value)) return "a number is not finite";
    for (std::size_t i = 0; i < table.n_rows; ++i) {
        double sum = answer.intercept;
        for (std::size_t k = 0; k < table.n_columns; ++k)
            sum += answer.tables[static_cast<std::size_t>(table.offsets[k]) + table.code(k, i)];
        if (std::fabs(sum - answer.scores[i]) > 1e-9)
            return "the score of a row is not the sum of its tables";
    }
    for (std::size_t k = 0; k < table.n_columns; ++k)
        for (std::int64_t v = table.offsets[k] + table.missing[k] + 1; v < table.offsets[k + 1]; ++v) {
            const auto place = static_cast<std::size_t>(v);
            const double step = answer.tables[place] - answer.tables[place - 1];
            if (table.monotone[k] * step < -1e-9) return "a monotone shape turns";
        }
    return nullptr;
}

int check_fit(std::mt19937_64& random) {
    const Table table(random);
    const std::size_t end = random() % table.n_rows, begin = end - (end > 0 ? random() % end : 0);
    int faults = 0;
    for (const bool moderated : {false, true}) {
        const Answer answer = fitted(table, moderated, begin, end);
        if (const char* fault = fault_of(table, answer)) ++faults, std::printf("shapes: %s\n", fault);
        if (fitted(table, moderated, begin, end).tables != answer.tables)
            ++faults, std::printf("shapes: other bits a second time\n");
    }
    return faults;
}

// Fits side by side have the sums of each alone.
int check_stacked(std::mt19937_64& random) {
    const Table table(random);
    const Answer answer = fitted(table, false, 0, 0);
    const std::size_t n = answer.tables.size(), n_fits = 1 + random() % 5, n_cells = 7;
    const std::vector<double> variances(n, 0.25), beside(n_cells, 0.5);
    const std::vector<std::uint8_t> cells(table.n_rows, 6);
    bayesieve::StackedModel model{{}, {{cells.data(), beside.data(), n_cells}}, 0.125};
    for (std::size_t m = 0; m < n_fits; ++m)
        model.fits.push_back(
            {answer.intercept, 0.5, answer.tables.data(), m % 2 == 0 ? nullptr : variances.data()});
    std::vector<std::int64_t> sums(2 * (n_fits * (n + 1) + n_cells + 1), 0);
    std::vector<double> scores(table.n_rows), shift(table.n_rows, 0.5);
    int faults = bayesieve::stacked_sums(table.raw(), model, sums.data(), scores.data()) <= 0;
    for (std::size_t m = 0; m < n_fits; ++m) {
        bayesieve::ShapeFit fit(table.raw(), {{0.1}, {}, {0.1}, 0.0}, m % 2 == 1, 0, 0, 0.0);
        fit.go_to(answer.intercept, answer.tables.data(), variances.data());
        fit.shift(shift.data());
        std::vector<std::int64_t> own(2 * (n + 1), 0);
        fit.sums(own.data());
        faults +=
            !std::equal(own.begin(), own.end(), sums.begin() + static_cast<std::ptrdiff_t>(2 * m * (n + 1)));
    }
    if (faults > 0) std::printf("shapes side by side: %d faults\n", faults);
    return faults;
}

struct ClassAnswer {
    std::vector<double> numbers, tables, scores, intercepts;
};

ClassAnswer class_fitted(const Table& table, const std::vector<std::int64_t>& lead, std::size_t n_classes,
                         std::size_t begin, std::size_t end) {
    bayesieve::TablePriors priors = {{0.01, 0.1, 1.0}, {0.1, 1.0}, {0.05, 0.5}, 0.5};
    priors.with_variances = false;
    const std::vector<std::int64_t> columns = {0, 1, 2, 3};
    const std::vector<double> numeric(priors.n_components(false), 0.125),
        nominal(priors.n_components(true), 0.25), start(n_classes, 0.0),
        nothing(static_cast<std::size_t>(table.offsets.back()) * n_classes, 0.0);
    bayesieve::ClassShapeFit fit(table.raw(), lead.data(), n_classes, priors, begin, end, start.data(),
                                 nothing.data());
    std::vector<double> numbers(columns.size());
    for (int round = 0; round < 3; ++round) {
        std::vector<double> a(numeric.size(), 0.0), b(nominal.size(), 0.0);
        numbers.push_back(fit.cycle(columns.data(), 4, numeric.data(), nominal.data(), a.data(), b.data()));
        numbers.insert(numbers.end(), a.begin(), a.end()), numbers.insert(numbers.end(), b.begin(), b.end());
    }
    const std::size_t n_entries = fit.tables().size() + n_classes;
    std::vector<std::int64_t> sums(2 * n_entries, 0);
    fit.sums(sums.data());
    fit.correct({std::vector<std::int64_t>(n_entries, 5), std::vector<std::int64_t>(n_entries, 7)});
    fit.shift(std::vector<double>(table.n_rows * n_classes, 0.5).data());
    fit.evidence(columns.data(), 4, numeric.data(), nominal.data(), numbers.data());
    std::vector<double> scores(table.n_rows * n_classes);
    fit.scores(0, table.n_rows, scores.data());
    return {numbers, fit.tables(), scores, fit.intercepts()};
}

// Tables add up to scores, with every number of classes: lanes may be empty.
int check_classes(std::mt19937_64& random, std::size_t n_classes) {
    Table table(random);
    for (double& each : table.target) each = static_cast<double>(random() % n_classes);
    std::vector<std::int64_t> lead;
    for (std::size_t k = 0; k < table.n_columns; ++k)
        lead.push_back(static_cast<std::int64_t>(random() % n_classes));
    const std::size_t end = random() % table.n_rows, begin = end - (end > 0 ? random() % end : 0);
    const ClassAnswer answer = class_fitted(table, lead, n_classes, begin, end);
    int faults = class_fitted(table, lead, n_classes, begin, end).tables != answer.tables;
    for (const auto* values : {&answer.numbers, &answer.tables, &answer.scores})
        for (const double value : *values) faults += !std::isfinite(value);
    for (std::size_t i = 0; i < table.n_rows; ++i)
        for (std::size_t q = 0; q < n_classes; ++q) {
            double sum = answer.intercepts[q] + 0.5;
            for (std::size_t k = 0; k < table.n_columns; ++k)
                sum +=
                    answer
                        .tables[(static_cast<std::size_t>(table.offsets[k]) + table.code(k, i)) * n_classes +
                                q];
            faults += std::fabs(sum - answer.scores[i * n_classes + q]) > 1e-9;
        }
    const std::vector<std::int64_t> target(table.target.begin(), table.target.end());
    const std::vector<double> weights(table.n_rows, 1.0), a(1, 0.5);
    std::vector<std::int64_t> sums(3 + 3 * n_classes, 0);
    bayesieve::stack_sums(
        {1, table.n_rows, n_classes, answer.scores.data(), target.data(), weights.data(), 1.0 / 1048576.0},
        a.data(), answer.intercepts.data(), sums.data());
    faults += sums[0] <= 0;
    if (faults > 0) std::printf("shapes of classes: %d faults\n", faults);
    return faults;
}

double cost_of(const std::vector<double>& scores, const std::vector<double>& weights, double price,
               const std::vector<std::int64_t>& bin) {
    double cost = price * static_cast<double>(bin.back() + 1);
    for (std::size_t first = 0, last = 0; first < bin.size(); first = last) {
        double mass = 0.0, sum = 0.0;
        for (last = first; last < bin.size() && bin[last] == bin[first]; ++last)
            mass += weights[last], sum += weights[last] * scores[last];
        for (std::size_t v = first; v < last; ++v)
            cost += 0.5 * weights[v] * (scores[v] - sum / mass) * (scores[v] - sum / mass);
    }
    return cost;
}

int check_merge(std::mt19937_64& random) {
    const std::size_t n = 1 + random() % 9;
    std::vector<double> scores, weights;
    for (std::size_t v = 0; v < n; ++v) {
        scores.push_back(static_cast<double>(random() % 5)),
            weights.push_back(static_cast<double>(1 + random() % 4));
    }
    const double price = 0.25 * static_cast<double>(random() % 9);
    std::vector<std::int64_t> bin(n, -1), other(n, 0);
    bayesieve::merge_scores(scores.data(), weights.data(), n, 1, price, bin.data());
    const double cost = cost_of(scores, weights, price, bin);
    for (std::uint32_t cuts = 0; cuts < (1u << (n - 1)); ++cuts) {
        for (std::size_t v = 1; v < n; ++v) other[v] = other[v - 1] + ((cuts >> (v - 1)) & 1u);
        if (cost_of(scores, weights, price, other) < cost - 1e-9) {
            std::printf("shapes: other bins cost less\n");
            return 1;
        }
    }
    return 0;
}

// One member of no score: the log loss is that of even odds, and nothing depends on the member.
int check_log_odds() {
    constexpr std::size_t n = 300;
    const std::vector<double> scores(n, 0.0), target(n, 1.0), weights(n, 2.0);
    const double a[] = {1.0};
    std::int64_t sums[7] = {};
    bayesieve::log_odds_sums({1, n, scores.data(), target.data(), weights.data(), 1.0 / 1024.0}, a, 0.0,
                             sums);
    const std::int64_t slope = 1024 * n, losses = 1420 * n;  // 2 log 2 = 1420 / 1024
    return sums[0] != losses || sums[1] != slope || sums[2] != slope / 2 || sums[3] != 0 || sums[5] != 0;
}

// Two weights, of which the second may not fall below 0: without it the first moves by 6 / 4.
int check_descent() {
    const double gradient[] = {6.0, -9.0}, hessian[] = {4.0, 1.0, 1.0, 4.0}, with_start[] = {0.0, 0.0},
                 weights[] = {0.5, 0.0};
    double change[2];
    const double shift =
        bayesieve::descend_stack({2, gradient, hessian, with_start, 1.0, 2.0, weights}, 1e-8, 100, change);
    return change[0] != 1.5 || change[1] != 0.0 || shift != 0.5;
}

}  // namespace

int check_shapes() {
    std::mt19937_64 random(13);
    int faults = 0;
    for (int k = 0; k < 20; ++k) faults += check_fit(random) + check_stacked(random);
    for (std::size_t n_classes = 3; n_classes < 36; n_classes += 3)
        faults += check_classes(random, n_classes);
    for (int k = 0; k < 200; ++k) faults += check_merge(random);
    faults += check_descent() + check_log_odds();
    return faults;
}

}  // namespace bayesieve_test
