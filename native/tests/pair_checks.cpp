// SPDX-License-Identifier: BSD-3-Clause
#include "pair_checks.hpp"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

#include "bayesieve/additive/cell_sums.hpp"
#include "bayesieve/additive/cross_fit.hpp"
#include "bayesieve/additive/pair_algebra.hpp"
#include "bayesieve/additive/pair_screen.hpp"
#include "bayesieve/kernels/kernels.hpp"

namespace bayesieve_test {
namespace {

const bayesieve::AdditiveLoss& logistic() { return *bayesieve::find_loss("logistic"); }
const bayesieve::AdditiveLoss& of_classes() { return *bayesieve::find_loss("softmax"); }

const std::vector<int> kThreads = {1, 3};

struct Rows {
    std::size_t n_columns, n_rows;
    std::vector<std::int64_t> n_bins, gradient, curvature, weights;
    std::vector<std::uint8_t> codes, fold;
    std::vector<double> target, log_odds;

    Rows(std::mt19937_64& random, std::int64_t most_bins, std::int64_t largest) {
        const auto below = [&](std::int64_t n) {
            return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
        };
        n_columns = static_cast<std::size_t>(2 + below(10)),
        n_rows = static_cast<std::size_t>(1 + below(5000));
        for (std::size_t j = 0; j < n_columns; ++j) {
            n_bins.push_back(1 + below(most_bins));
            for (std::size_t i = 0; i < n_rows; ++i)
                codes.push_back(static_cast<std::uint8_t>(below(n_bins.back())));
        }
        for (std::size_t i = 0; i < n_rows; ++i) {
            gradient.push_back(below(2 * largest + 1) - largest), curvature.push_back(below(largest / 4 + 1));
            weights.push_back(below(4)), target.push_back(static_cast<double>(below(2)));
            fold.push_back(static_cast<std::uint8_t>(below(3)));
            log_odds.push_back(static_cast<double>(below(2000) - 1000));
        }
    }

    bayesieve::PairCodes raw() const { return {codes.data(), n_columns, n_rows}; }
    bayesieve::RowSlopes slopes() const { return {gradient.data(), curvature.data()}; }
    std::size_t code(std::size_t j, std::size_t i) const { return codes[j * n_rows + i]; }
};

// Sums of the cells of all rows are sums over rows; probabilities of the classes of a row add up to 1.
int check_classes(const Rows& rows) {
    constexpr std::size_t n_scores = 5;
    const double steps = 1048576.0;
    std::vector<double> scores;
    for (std::size_t i = 0; i < rows.n_rows * n_scores; ++i)
        scores.push_back(rows.log_odds[i % rows.n_rows] / (10.0 + static_cast<double>(i % n_scores)));
    const bayesieve::ScoredRows scored = {scores.data(), rows.target.data(), rows.weights.data(), rows.n_rows,
                                          n_scores};
    std::vector<std::int64_t> g(rows.n_rows * n_scores), h(g), losses(rows.n_rows);
    bayesieve::row_derivatives(of_classes(), scored, {steps, steps}, g.data(), h.data(), losses.data());
    const auto n_a = static_cast<std::size_t>(rows.n_bins[0]), n_b = static_cast<std::size_t>(rows.n_bins[1]);
    const std::vector<double> tables(n_a * n_b * n_scores, 0.0);
    const std::vector<std::uint8_t> fold(rows.n_rows, 1);
    std::vector<std::int64_t> cells(2 * tables.size(), 0), loss(1, 0);
    bayesieve::fold_sums(of_classes(),
                         {rows.codes.data(), rows.codes.data() + rows.n_rows, scored, fold.data()},
                         {tables.data(), 1, n_a, n_b, {steps, steps}}, cells.data(), loss.data(), {2, [] {}});
    std::vector<std::int64_t> expected(cells.size(), 0);
    int faults = 0;
    for (std::size_t i = 0; i < rows.n_rows; ++i) {
        std::int64_t total = 0;
        loss[0] -= losses[i];
        for (std::size_t q = 0; q < n_scores; ++q) {
            const std::size_t cell = (rows.code(0, i) * n_b + rows.code(1, i)) * n_scores + q;
            expected[2 * cell] += g[q * rows.n_rows + i], expected[2 * cell + 1] += h[q * rows.n_rows + i];
            total += g[q * rows.n_rows + i];
        }
        faults += total > 20 || total < -20;
    }
    return faults + (loss[0] != 0) + (cells != expected);
}

int check_cells(const Rows& rows) {
    int faults = 0;
    const std::vector<std::int64_t> pair = {0, 1};
    std::vector<std::int64_t> expected(128, 0);
    for (std::size_t i = 0; i < rows.n_rows; ++i) {
        const std::size_t cell = rows.code(0, i) * 8 + rows.code(1, i);
        expected[2 * cell] += rows.gradient[i], expected[2 * cell + 1] += rows.curvature[i];
    }
    const auto n_a = static_cast<std::size_t>(rows.n_bins[0]), n_b = static_cast<std::size_t>(rows.n_bins[1]);
    const std::vector<double> tables(4 * n_a * n_b, 0.25);
    const bayesieve::FoldRows of_folds = {
        rows.codes.data(),
        rows.codes.data() + rows.n_rows,
        {rows.log_odds.data(), rows.target.data(), rows.weights.data(), rows.n_rows, 1},
        rows.fold.data()};
    std::vector<std::int64_t> first;
    for (const int n_threads : kThreads) {
        std::vector<std::int64_t> sums(128, 0), cells(8 * n_a * n_b, 0), losses(4, 0);
        bayesieve::pair_sums(rows.raw(), pair.data(), 1, rows.slopes(), sums.data(), {n_threads, [] {}});
        faults += sums != expected;
        bayesieve::fold_sums(logistic(), of_folds, {tables.data(), 4, n_a, n_b, {1099511627776.0, 1048576.0}},
                             cells.data(), losses.data(), {n_threads, [] {}});
        cells.insert(cells.end(), losses.begin(), losses.end());
        if (first.empty()) first = cells;
        faults += cells != first;
    }
    return faults;
}

// Any contrasts will do; the values are compared with the twin from Python.
int check_screen(const Rows& rows) {
    std::vector<double> contrasts(80), halves(15, 0.5);
    const std::vector<double> scales = {0.015625, 0.0625, 0.25, 1.0};
    for (std::size_t k = 0; k < contrasts.size(); ++k)
        contrasts[k] = k % 4 == 0 ? 1.0 : 0.25 * (k % 7) - 0.75;
    const bayesieve::PairScreen screen(rows.raw(), rows.n_bins.data(),
                                       {contrasts.data(), halves.data(), scales.data(), 1e-4});
    std::vector<double> first;
    int faults = 0;
    for (const int n_threads : kThreads) {
        const std::size_t n = screen.n_doubles(), middle = n / 2, n_before = screen.n_pairs(0, middle);
        std::vector<double> factors(screen.n_pairs(0, n));
        const double unit = 1.0 / 1048576.0;
        screen.factors(rows.slopes(), unit, 0, middle, factors.data(), {n_threads, [] {}});
        screen.factors(rows.slopes(), unit, middle, n, factors.data() + n_before, {n_threads, [] {}});
        if (first.empty()) first = factors;
        faults += factors != first || factors.size() != rows.n_columns * (rows.n_columns - 1) / 2;
    }
    return faults;
}

// A table of two halves: its margins are zero, so that nothing is taken from it.
int check_algebra() {
    const bayesieve::PairDesign design = {
        2, 2, 1, {100.0, 100.0, 100.0, 100.0}, {{{1, 0, 0, 1}, {1, 0, 0, 1}, 2, 2}}, {1.0}};
    const std::vector<double> gradient = {5, -5, -5, 5}, curvature = {4, 4, 4, 4};
    double factor = 0.0;
    std::vector<double> mean(4);
    bayesieve::fit_pair_tables(design, {gradient.data(), curvature.data(), 1, &factor, mean.data()},
                               {1, [] {}});
    // Three contrasts of information 4 are left: z^2 = 100, so 100 / 5 / 2 - 3 log(5) / 2.
    const double expected = 7.585843;
    std::vector<double> margins(4);
    const std::vector<double> slope = {5, 5, 5, 5};
    bayesieve::fit_pair_margins(design, {slope.data(), curvature.data(), 1, nullptr, margins.data()});
    // One effect of 100 in each cell: 100 x 2000 / (160000 + 1).
    if (margins[0] < 1.2499 || margins[0] > 1.25) return 1;
    return (factor - expected > 1e-3 || expected - factor > 1e-3) + (mean[0] < 0.999 || mean[0] > 1.001);
}

// A symmetric matrix is U'DU plus what is left after the first unknowns, whose factors and pivots are U and
// D.
int check_elimination(std::mt19937_64& random) {
    const std::size_t n = 1 + random() % 20, end = 1 + random() % n, stride = (n + 3) / 4 * 4;
    const auto share = [&] { return static_cast<double>(random() % 2001) / 1000.0 - 1.0; };
    std::vector<double> matrix(n * stride, 0.0), slope(n), rows(4 * stride);
    for (std::size_t i = 0; i < n; ++i) {
        slope[i] = share();
        for (std::size_t j = i; j < n; ++j) matrix[i * stride + j] = share() + (i == j ? 25.0 : 0.0);
    }
    std::vector<double> high = matrix, left = slope;
    bayesieve::kernels().eliminate({high.data(), left.data(), n, stride}, end, rows.data());
    int faults = 0;
    const auto factor = [&](std::size_t k, std::size_t i) { return k == i ? 1.0 : high[k * stride + i]; };
    for (std::size_t i = 0; i < n; ++i) {
        double sum = left[i];
        for (std::size_t k = 0; k < end && k < i; ++k) sum += factor(k, i) * left[k];
        faults += std::fabs(sum - slope[i]) > 1e-12;
        for (std::size_t j = i; j < n; ++j) {
            double entry = i >= end ? high[i * stride + j] : 0.0;
            for (std::size_t k = 0; k < end && k <= i; ++k)
                entry += factor(k, i) * high[k * stride + k] * factor(k, j);
            faults += std::fabs(entry - matrix[i * stride + j]) > 1e-12;
        }
    }
    return faults;
}

// Forms of four variances are those of each, one after the other.
int check_scales(std::mt19937_64& random) {
    const std::size_t n = 1 + random() % 20, stride = (n + 3) / 4 * 4, n_lanes = bayesieve::kFormLanes;
    const std::vector<double> variances = {0.015625, 0.0625, 0.25, 1.0};
    const auto share = [&] { return static_cast<double>(random() % 2001) / 1000.0 - 1.0; };
    std::vector<double> matrix(n * stride, 0.0), slope(n), rows(4 * stride), factors(n_lanes),
        means(n * n_lanes), room(n_lanes * (n + 5) * n);
    for (std::size_t i = 0; i < n; ++i) {
        slope[i] = share();
        for (std::size_t j = i; j < n; ++j) matrix[i * stride + j] = share() + (i == j ? 25.0 : 0.0);
    }
    bayesieve::kernels().fit_scales({matrix.data(), slope.data(), n, stride}, variances.data(), room.data(),
                                    factors.data(), means.data());
    int faults = 0;
    for (std::size_t t = 0; t < n_lanes; ++t) {
        std::vector<double> high = matrix, left = slope;
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = i; j < n; ++j) high[i * stride + j] *= variances[t];
            high[i * stride + i] += 1.0;
        }
        bayesieve::kernels().eliminate({high.data(), left.data(), n, stride}, n, rows.data());
        double quadratic = 0.0, log_determinant = 0.0;
        for (std::size_t k = 0; k < n; ++k) {
            quadratic += left[k] * left[k] / high[k * stride + k];
            log_determinant += std::log(high[k * stride + k]);
            left[k] /= high[k * stride + k];
        }
        for (std::size_t i = n; i-- > 0;)
            for (std::size_t k = 0; k < i; ++k) left[k] -= high[k * stride + i] * left[i];
        for (std::size_t k = 0; k < n; ++k) faults += means[k * n_lanes + t] != variances[t] * left[k];
        faults += std::fabs(factors[t] - 0.5 * (variances[t] * quadratic - log_determinant)) > 1e-12;
    }
    return faults;
}

int check_products(std::mt19937_64& random) {
    const std::size_t n = 1 + random() % 9, n_inner = 1 + random() % 9, width = 4 * (1 + random() % 5);
    std::vector<double> a(n * n_inner), b(n_inner * width), by_row(n * width), by_column(n * width);
    for (double& each : a) each = static_cast<double>(random() % 2001) - 1000.0;
    for (double& each : b) each = static_cast<double>(random() % 2001) / 1024.0;
    bayesieve::kernels().multiply({a.data(), n, n_inner, n_inner, 1}, b.data(), width, by_row.data());
    std::vector<double> turned(a.size());
    for (std::size_t r = 0; r < n; ++r)
        for (std::size_t s = 0; s < n_inner; ++s) turned[s * n + r] = a[r * n_inner + s];
    bayesieve::kernels().multiply({turned.data(), n, n_inner, 1, n}, b.data(), width, by_column.data());
    int faults = by_row != by_column;
    for (std::size_t r = 0; r < n; ++r)
        for (std::size_t w = 0; w < width; ++w) {
            double sum = 0.0;
            for (std::size_t s = 0; s < n_inner; ++s) sum += a[r * n_inner + s] * b[s * width + w];
            faults += sum != by_row[r * width + w];
        }
    return faults;
}

// Tables do not depend on threads; without rows they stay at zero.
int check_newton(const Rows& rows) {
    const auto n_a = static_cast<std::size_t>(rows.n_bins[0]), n_b = static_cast<std::size_t>(rows.n_bins[1]);
    std::vector<double> identity_a(n_a * n_a, 0.0), identity_b(n_b * n_b, 0.0);
    for (std::size_t u = 0; u < n_a; ++u) identity_a[u * n_a + u] = 1.0;
    for (std::size_t v = 0; v < n_b; ++v) identity_b[v * n_b + v] = 1.0;
    const bayesieve::PairDesign design = {
        n_a,        n_b, 1, std::vector<double>(n_a * n_b, 100.0), {{identity_a, identity_b, n_a, n_b}},
        {0.25, 1.0}};
    const std::vector<std::int64_t> no_weights(rows.n_rows, 0);
    std::vector<double> first;
    int faults = 0;
    for (const int n_threads : kThreads) {
        std::vector<double> tables(4 * n_a * n_b, 0.0), nothing(tables);
        bayesieve::FoldRows of_folds = {
            rows.codes.data(),
            rows.codes.data() + rows.n_rows,
            {rows.log_odds.data(), rows.target.data(), rows.weights.data(), rows.n_rows, 1},
            rows.fold.data()};
        const bayesieve::NewtonSteps newton = {0x1p-40, 0x1p-20, 3};
        bayesieve::cross_fit(logistic(), design, of_folds, {0x1p40, 0x1p20}, newton, tables.data(), 4,
                             {n_threads, [] {}});
        if (first.empty()) first = tables;
        faults += tables != first;
        of_folds.scored.weights = no_weights.data();
        bayesieve::cross_fit(logistic(), design, of_folds, {0x1p40, 0x1p20}, newton, nothing.data(), 4,
                             {n_threads, [] {}});
        for (const double entry : nothing) faults += entry != 0.0;
    }
    return faults;
}

// With classes: every score has a table, and all are finite.
int check_class_newton(const Rows& rows) {
    constexpr std::size_t n_scores = 5;
    const auto n_a = static_cast<std::size_t>(rows.n_bins[0]), n_b = static_cast<std::size_t>(rows.n_bins[1]);
    std::vector<double> root_a(n_a * n_a, 0.0), root_b(n_b * n_b, 0.0);
    for (std::size_t u = 0; u < n_a; ++u) root_a[u * n_a + u] = 1.0;
    for (std::size_t v = 0; v < n_b; ++v) root_b[v * n_b + v] = 1.0;
    const bayesieve::PairDesign design = {
        n_a, n_b, 1, std::vector<double>(n_a * n_b, 100.0), {{root_a, root_b, n_a, n_b}}, {0.25, 1.0}};
    const std::vector<double> scores(rows.n_rows * n_scores, 0.0);
    const bayesieve::FoldRows of_folds = {
        rows.codes.data(),
        rows.codes.data() + rows.n_rows,
        {scores.data(), rows.target.data(), rows.weights.data(), rows.n_rows, n_scores},
        rows.fold.data()};
    std::vector<double> tables(4 * n_a * n_b * n_scores, 0.0), again(tables);
    for (std::vector<double>* own : {&tables, &again})
        bayesieve::cross_fit(of_classes(), design, of_folds, {0x1p40, 0x1p20}, {0x1p-40, 0x1p-20, 2},
                             own->data(), 4, {own == &tables ? 1 : 2, [] {}});
    int faults = tables != again;
    for (const double entry : tables) faults += !(std::fabs(entry) < 100.0);
    return faults;
}

}  // namespace

int check_pairs() {
    std::mt19937_64 random(11);
    int faults = check_algebra();
    for (int k = 0; k < 50; ++k)
        faults += check_elimination(random) + check_scales(random) + check_products(random);
    for (int k = 0; k < 30; ++k) {
        faults += check_cells(Rows(random, 8, std::int64_t{1} << 40));
        faults += check_classes(Rows(random, 8, 1000));
        if (k < 5) faults += check_newton(Rows(random, 8, 1000)) + check_class_newton(Rows(random, 8, 1000));
        faults += check_screen(Rows(random, 4, std::int64_t{1} << (k % 2 == 0 ? 20 : 30)));
    }
    if (faults > 0) std::printf("pairs: %d faults\n", faults);
    return faults;
}

}  // namespace bayesieve_test
