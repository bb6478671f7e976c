// SPDX-License-Identifier: BSD-3-Clause
#include "additive_checks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

#include "bayesieve/additive/cyclic_fit.hpp"
#include "bayesieve/additive/posteriors.hpp"
#include "bayesieve/additive/stack.hpp"
#include "bayesieve/additive/stacked_sums.hpp"
#include "bayesieve/coding/merge.hpp"

namespace bayesieve_test {
namespace {

struct Table {
    std::size_t n_rows, n_columns = 4, n_narrow = 3;
    std::vector<std::uint8_t> narrow, nominal, missing;
    std::vector<std::uint16_t> wide;
    std::vector<std::int64_t> place = {2, 3, 0, 1}, offsets = {0};
    std::vector<std::int8_t> monotone;
    std::vector<double> gaps, line, rank, square, target, scale, neutral;

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
            const bool is_neutral = missing.back() != 0 && below(2) == 0;
            for (std::int64_t v = 0; v < n_bins; ++v) {
                neutral.push_back(is_neutral && v > 0 ? 1.0 / static_cast<double>(n_bins - 1) : 0.0);
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

    bayesieve::AdditiveRows raw() const {
        return {n_rows,       n_columns,      n_narrow,       narrow.data(),   wide.data(),
                place.data(), offsets.data(), nominal.data(), monotone.data(), missing.data(),
                gaps.data(),  line.data(),    rank.data(),    square.data(),   target.data(),
                scale.data(), neutral.data(), 1.0 / 1048576.0};
    }
    std::size_t code(std::size_t k, std::size_t i) const {
        return place[k] == 3 ? wide[i] : narrow[static_cast<std::size_t>(place[k]) * n_rows + i];
    }
};

struct Answer {
    std::vector<double> numbers, tables, scores, intercepts;
};

// A fit of several cycles, and what it answers in between.
struct Fit {
    const Table& table;
    const char* loss;
    std::size_t n_scores, begin, end;
    bool moderated;
    std::vector<std::int64_t> lead;

    bayesieve::ShapePriors priors() const { return {{0.01, 0.1, 1.0}, {0.1, 1.0}, {0.05, 0.5}, 0.5}; }
    std::size_t n_entries() const { return static_cast<std::size_t>(table.offsets.back()) * n_scores; }
    bayesieve::CyclicProblem problem() const {
        return {table.raw(), bayesieve::find_loss(loss).get(), n_scores, lead.data(), priors(), begin, end,
                moderated};
    }

    Answer answer() const {
        const std::vector<std::int64_t> columns = {0, 1, 2, 3};
        const std::vector<double> numeric(priors().n_components(false), 0.125),
            nominal(priors().n_components(true), 0.25), start(n_scores, -0.25), nothing(n_entries(), 0.0);
        bayesieve::CyclicFit fit(problem(), start.data(), nothing.data());
        std::vector<double> numbers(columns.size());
        const auto cycle = [&] {
            std::vector<double> a(numeric.size(), 0.0), b(nominal.size(), 0.0);
            numbers.push_back(
                fit.cycle(columns.data(), 4, numeric.data(), nominal.data(), a.data(), b.data()));
            numbers.insert(numbers.end(), a.begin(), a.end());
            numbers.insert(numbers.end(), b.begin(), b.end());
        };
        for (int round = 0; round < 3; ++round) cycle();
        fit.evidence(columns.data(), 4, numeric.data(), nominal.data(), numbers.data());
        const std::vector<double> intercepts = fit.intercepts(), tables = fit.tables(),
                                  variances = fit.variances(), added(table.n_rows * n_scores, 0.5);
        fit.go_to(intercepts.data(), tables.data(), variances.data());
        const std::size_t n_sums = n_entries() + n_scores;
        std::vector<std::int64_t> sums(2 * n_sums, 0);
        fit.sums(sums.data());
        fit.correct({std::vector<std::int64_t>(n_sums, 5), std::vector<std::int64_t>(n_sums, 7)});
        fit.shift(added.data());
        cycle();
        std::vector<double> scores(table.n_rows * n_scores);
        fit.scores(0, table.n_rows, scores.data());
        return {numbers, fit.tables(), scores, fit.intercepts()};
    }

    // The lead of a score over another, or the only one, from bin to bin.
    bool turns(const Answer& answer, std::size_t k, std::size_t q) const {
        const auto c = static_cast<std::size_t>(lead[k]);
        const auto height = [&](std::int64_t v) {
            const double* own = answer.tables.data() + static_cast<std::size_t>(v) * n_scores;
            return n_scores == 1 ? own[0] : own[c] - own[q];
        };
        for (std::int64_t v = table.offsets[k] + table.missing[k] + 1; v < table.offsets[k + 1]; ++v)
            if (table.monotone[k] * (height(v) - height(v - 1)) < -1e-9) return true;
        return false;
    }

    const char* fault_of(const Answer& answer) const {
        for (const auto* values : {&answer.numbers, &answer.tables, &answer.scores})
            for (const double value : *values)
                if (!std::isfinite(value)) return "a number is not finite";
        for (std::size_t i = 0; i < table.n_rows * n_scores; ++i) {
            double sum = answer.intercepts[i % n_scores] + 0.5;
            for (std::size_t k = 0; k < table.n_columns; ++k)
                sum +=
                    answer.tables[(static_cast<std::size_t>(table.offsets[k]) + table.code(k, i / n_scores)) *
                                      n_scores +
                                  i % n_scores];
            if (std::fabs(sum - answer.scores[i]) > 1e-9)
                return "the score of a row is not the sum of its tables";
        }
        for (std::size_t k = 0; k < table.n_columns; ++k)
            for (std::size_t q = 0; q < n_scores; ++q)
                if (turns(answer, k, q)) return "a monotone table turns";
        return nullptr;
    }
};

// With every number of scores: lanes may be empty.
int check_fit(std::mt19937_64& random, const char* loss, std::size_t n_scores, bool moderated) {
    Table table(random);
    std::vector<std::int64_t> lead;
    for (std::size_t k = 0; k < table.n_columns; ++k)
        lead.push_back(static_cast<std::int64_t>(random() % n_scores));
    if (n_scores > 1)
        for (double& each : table.target) each = static_cast<double>(random() % n_scores);
    const std::size_t end = random() % table.n_rows, begin = end - (end > 0 ? random() % end : 0);
    const Fit fit = {table, loss, n_scores, begin, end, moderated, lead};
    const Answer answer = fit.answer();
    const char* fault = fit.fault_of(answer);
    if (fault == nullptr && fit.answer().tables != answer.tables) fault = "other bits a second time";
    const std::vector<double> weights(table.n_rows, 1.0), a(1, 0.5);
    std::vector<std::int64_t> sums(4 + 3 * n_scores, 0);
    bayesieve::stack_sums(*bayesieve::find_loss(loss),
                          {1, table.n_rows, n_scores, answer.scores.data(), table.target.data(),
                           weights.data(), 1.0 / 1048576.0},
                          a.data(), answer.intercepts.data(), sums.data());
    if (fault == nullptr && sums[0] <= 0) fault = "a stack without a loss";
    if (fault != nullptr) std::printf("%s with %zu scores: %s\n", loss, n_scores, fault);
    return fault != nullptr;
}

// Fits side by side have the sums of each alone.
int check_stacked(std::mt19937_64& random) {
    const Table table(random);
    const std::vector<std::int64_t> lead(table.n_columns, 0);
    Fit alone = {table, "logistic", 1, 0, 0, false, lead};
    const Answer answer = alone.answer();
    const std::size_t n = answer.tables.size(), n_fits = 1 + random() % 5, n_cells = 7;
    const std::vector<double> variances(n, 0.25), added(n_cells, 0.5);
    const std::vector<std::uint16_t> cells(table.n_rows, 6);
    bayesieve::StackedModel model{{}, {{cells.data(), added.data(), n_cells}}, 0.125};
    for (std::size_t m = 0; m < n_fits; ++m)
        model.fits.push_back(
            {answer.intercepts[0], 0.5, answer.tables.data(), m % 2 == 0 ? nullptr : variances.data()});
    std::vector<std::int64_t> sums(2 * (n_fits * (n + 1) + n_cells + 1), 0);
    std::vector<double> scores(table.n_rows), shift(table.n_rows, 0.5);
    const auto& loss = static_cast<const bayesieve::ScoreLoss&>(*bayesieve::find_loss("logistic"));
    int faults = bayesieve::stacked_sums(table.raw(), loss, model, sums.data(), scores.data()) <= 0;
    for (std::size_t m = 0; m < n_fits; ++m) {
        alone.moderated = m % 2 == 1;
        bayesieve::CyclicFit fit(alone.problem(), answer.intercepts.data(), answer.tables.data());
        fit.go_to(answer.intercepts.data(), answer.tables.data(), variances.data());
        fit.shift(shift.data());
        std::vector<std::int64_t> own(2 * (n + 1), 0);
        fit.sums(own.data());
        faults +=
            !std::equal(own.begin(), own.end(), sums.begin() + static_cast<std::ptrdiff_t>(2 * m * (n + 1)));
    }
    if (faults > 0) std::printf("fits side by side: %d faults\n", faults);
    return faults;
}

// Given likelihoods, tables without a level have variances that are not negative, whatever the curvatures.
int check_posteriors(std::mt19937_64& random) {
    const Table table(random);
    const std::size_t n_scores = 1 + random() % 5, n_bins = static_cast<std::size_t>(table.offsets.back());
    std::vector<double> slopes, curvatures, means(n_bins * n_scores), variances(n_bins * n_scores, -1.0);
    for (std::size_t i = 0; i < n_bins * n_scores; ++i) {
        curvatures.push_back(random() % 3 == 0 ? 0.0 : static_cast<double>(random() % 1000) / 16.0);
        slopes.push_back(curvatures.back() * (static_cast<double>(random() % 64) / 16.0 - 2.0));
    }
    bayesieve::ColumnLikelihoods columns{{}, n_scores, slopes.data(), curvatures.data()};
    for (std::size_t k = 0; k < table.n_columns; ++k) columns.bases.push_back(basis_of(table.raw(), k));
    const bayesieve::ShapePriors priors = {{0.01, 0.1, 1.0}, {0.1, 1.0}, {0.05, 0.5}, 0.5};
    const std::vector<double> numeric(priors.n_components(false), 0.125),
        nominal(priors.n_components(true), 0.25);
    bayesieve::column_posteriors(columns, priors, numeric.data(), nominal.data(), means.data(),
                                 variances.data());
    for (std::size_t i = 0; i < means.size(); ++i)
        if (!std::isfinite(means[i]) || !(variances[i] >= 0.0)) {
            std::printf("posteriors: %g with variance %g\n", means[i], variances[i]);
            return 1;
        }
    return 0;
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
            std::printf("merged bins: others cost less\n");
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
    const double b[] = {0.0};
    std::int64_t sums[7] = {};
    bayesieve::stack_sums(*bayesieve::find_loss("logistic"),
                          {1, n, 1, scores.data(), target.data(), weights.data(), 1.0 / 1024.0}, a, b, sums);
    const std::int64_t slope = 1024 * n, losses = 1420 * n;  // 2 log 2 = 1420 / 1024
    return sums[0] != losses || sums[3] != slope || sums[4] != slope / 2 || sums[2] != 0 || sums[5] != 0;
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

int check_additive() {
    std::mt19937_64 random(13);
    int faults = 0;
    for (int k = 0; k < 20; ++k)
        faults += check_fit(random, "logistic", 1, false) + check_fit(random, "logistic", 1, true) +
                  check_fit(random, "squared", 1, false) + check_stacked(random) + check_posteriors(random);
    for (std::size_t n_classes = 3; n_classes < 36; n_classes += 3)
        faults += check_fit(random, "softmax", n_classes, false);
    for (int k = 0; k < 200; ++k) faults += check_merge(random);
    return faults + check_descent() + check_log_odds();
}

}  // namespace bayesieve_test
