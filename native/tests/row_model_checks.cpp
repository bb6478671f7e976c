// SPDX-License-Identifier: BSD-3-Clause
#include "row_model_checks.hpp"

#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

#include "bayesieve/gradients/gradient_histogram.hpp"
#include "bayesieve/gradients/weight_gradients.hpp"
#include "random_segments.hpp"

namespace bayesieve_test {
namespace {

int check_histograms(std::mt19937_64& random) {
    const SegmentArrays rows = random_segment(random, std::int64_t{1} << 20);
    const std::size_t width = 1 + random() % 4;
    const std::vector<std::int64_t> n_codes(kColumns, rows.offsets[1]), columns = {kWide, 0, kSparse};
    std::vector<std::int64_t> gradients(rows.n_rows * width);
    for (auto& each : gradients) each = static_cast<std::int64_t>(random() % 2000) - 1000;
    const bayesieve::RawCodes codes = {
        rows.narrow.data(),     rows.wide.data(),   rows.n_narrow,      rows.n_wide,
        rows.common.size(),     rows.n_rows,        kColumns,           rows.place.data(),
        n_codes.data(),         rows.common.data(), rows.begins.data(), rows.entry_rows.data(),
        rows.entry_codes.data()};
    const auto size = static_cast<std::size_t>(rows.offsets[1]) * width;
    std::vector<std::int64_t> expected(3 * size, 0);
    for (std::size_t k = 0; k < 3; ++k)
        for (std::size_t i = 0; i < rows.n_rows; ++i)
            for (std::size_t w = 0; w < width; ++w)
                expected[k * size + code_of(rows, static_cast<std::size_t>(columns[k]), i) * width + w] +=
                    gradients[i * width + w];
    for (const int n_threads : kThreads) {
        std::vector<std::int64_t> sums(3 * size, 0);
        bayesieve::add_gradient_histograms(codes, columns.data(), 3, {gradients.data(), width}, sums.data(),
                                           {n_threads, [] {}});
        if (sums != expected) {
            std::printf("a gradient histogram differs from a plain sum\n");
            return 1;
        }
    }
    return 0;
}

struct RankAnswer {
    std::vector<std::int64_t> ranges, histograms, keys, weights;
    bool operator==(const RankAnswer& other) const {
        return ranges == other.ranges && histograms == other.histograms && keys == other.keys &&
               weights == other.weights;
    }
};

// What blocks elsewhere send for a criterion of ranks: the same from any number of threads, and all rows.
int check_rank_blocks(std::mt19937_64& random, int n_classes) {
    const std::int64_t largest = std::int64_t{1} << (30 + random() % 20);
    const std::vector<SegmentArrays> arrays = {random_segment(random, largest, kColumns, n_classes),
                                               random_segment(random, largest, kColumns, n_classes)};
    // Single columns of each kind, and two columns together, which have tables and no histograms.
    const std::vector<std::int32_t> columns = {2, kWide, kSparse, 2, kWide};
    const std::vector<double> before(5, 0.0), after(5, 1.0);
    const std::vector<std::int64_t> starts = {0, 1, 2, 3, 5};
    const bayesieve::Moves moves = {columns.data(), before.data(), after.data(), starts.data(), 3};
    const bayesieve::Moves all = {columns.data(), before.data(), after.data(), starts.data(), 4};
    const std::size_t n_buckets = random() % 2 == 0 ? 1 << 11 : 1 << 12;
    // Of two classes the second is ranked against the first; of more, each against the rest.
    const std::size_t n_ranked = n_classes == 2 ? 1 : static_cast<std::size_t>(n_classes);
    std::vector<std::int64_t> totals(2, 0);
    for (const SegmentArrays& each : arrays) {
        for (std::size_t i = 0; i < each.n_rows; ++i) {
            totals[n_ranked > 1 || each.target[i] == 1] += each.weights[i];
            if (n_ranked > 1) totals[0] += static_cast<std::int64_t>(n_ranked - 1) * each.weights[i];
        }
    }
    std::vector<RankAnswer> found;
    for (const int n_threads : kThreads) {
        bayesieve::Engine engine(laid_out(arrays), bayesieve::Measure::pairs, bayesieve::Loss::none, 0.0,
                                 n_threads);
        engine.reset();
        for (std::size_t n_added = 0; n_added < 3; n_added += 2) {  // few log-odds, then many
            if (n_added > 0) engine.apply({{0, 0.0, 1.0}, {1, 0.0, 0.77}});
            engine.refresh(0);
            RankAnswer answer;
            answer.ranges.resize(3 * engine.n_segments() * engine.n_measures());
            engine.key_ranges(answer.ranges.data());
            std::vector<std::int64_t> buckets;
            for (std::size_t k = 0; k < 6 * n_ranked; ++k)
                buckets.insert(buckets.end(), {-(std::int64_t{1} << 30), 20});
            answer.histograms.assign(6 * n_ranked * 2 * (n_buckets + 1), 0);
            if (!engine.histograms(moves, buckets.data(), n_buckets, answer.histograms.data(), [] {})) {
                std::printf("a key falls into no bucket\n");
                return 1;
            }
            std::vector<bayesieve::RankTable> tables(8 * n_ranked);
            engine.tabulate(all, tables.data(), [] {});
            std::vector<std::int64_t> counted(2, 0), tabulated(2, 0);
            for (std::size_t k = 0; k < answer.histograms.size(); ++k)
                if (k % (n_buckets + 1) < n_buckets) counted[k / (n_buckets + 1) % 2] += answer.histograms[k];
            for (const bayesieve::RankTable& table : tables) {
                for (std::size_t k = 0; k < table.weights.size(); ++k) tabulated[k % 2] += table.weights[k];
                answer.keys.insert(answer.keys.end(), table.keys.begin(), table.keys.end());
                answer.weights.insert(answer.weights.end(), table.weights.begin(), table.weights.end());
            }
            const std::vector<std::int64_t> expected = {3 * totals[0], 3 * totals[1]},
                                            of_all = {4 * totals[0], 4 * totals[1]};
            buckets[0] = std::int64_t{1} << 40;
            if (counted != expected || tabulated != of_all ||
                engine.histograms(moves, buckets.data(), n_buckets, answer.histograms.data(), [] {})) {
                std::printf("ranks of a block: rows are lost, or a wrong bucket is accepted\n");
                return 1;
            }
            answer.histograms.clear();
            found.push_back(answer);
        }
    }
    const bool same = found[0] == found[2] && found[1] == found[3];
    if (!same) std::printf("threads change the ranks of a block\n");
    return same ? 0 : 1;
}

// The gradients of two blocks, added up, are those of all rows.
int check_blocks(std::mt19937_64& random) {
    const std::vector<SegmentArrays> arrays = {random_segment(random, std::int64_t{1} << 41)};
    const std::vector<std::int32_t> columns = {0, 2, 4};
    std::vector<std::vector<std::int64_t>> found;
    for (const int n_threads : kThreads) {
        bayesieve::WeightGradients model(laid_out(arrays), 1.0, n_threads, 5000.0);
        model.reset(model.start().data(), std::vector<double>(kColumns, 0.5).data(), [] {});
        const std::vector<std::int64_t> change = {1000, -1000};
        model.shift(change.data(), {{1, 0.5, 0.75}}, [] {});
        std::vector<std::int64_t> sums(model.sums_size(columns.data(), 3), 0),
            totals(2 * model.n_channels(), 0);
        model.sums(columns.data(), 3, sums.data(), [] {});
        model.totals(totals.data());
        const auto n_codes = static_cast<std::size_t>(arrays[0].offsets[1]);
        for (std::size_t k = 0; k < 3; ++k)
            for (std::size_t part = 0; part < 2; ++part) {
                std::int64_t sum = 0;
                for (std::size_t v = 0; v < n_codes; ++v) sum += sums[2 * (k * n_codes + v) + part];
                if (sum != totals[part]) {
                    std::printf("gradients per code do not add up to those of all rows\n");
                    return 1;
                }
            }
        const std::size_t width = model.n_channels() + columns.size();
        std::vector<double> factors;
        for (const std::int32_t column : columns) factors.push_back(model.factor_of(column));
        std::vector<std::int64_t> products(width * width, 0);
        model.products(columns.data(), factors.data(), columns.size(), products.data(), [] {});
        for (std::size_t k = 0; k < width; ++k)
            if (products[k * width + k] < 0) {
                std::printf("a second derivative has the wrong sign\n");
                return 1;
            }
        sums.insert(sums.end(), totals.begin(), totals.end());
        sums.insert(sums.end(), products.begin(), products.end());
        found.push_back(sums);
    }
    if (found[0] != found[1]) std::printf("threads change the gradients of a block\n");
    return found[0] != found[1];
}

}  // namespace

int check_row_models() {
    std::mt19937_64 random(17);
    int faults = 0;
    for (int k = 0; k < 15; ++k)
        faults += check_histograms(random) + check_blocks(random) + check_rank_blocks(random, 2) +
                  check_rank_blocks(random, 3 + k % 3);
    return faults;
}

}  // namespace bayesieve_test
