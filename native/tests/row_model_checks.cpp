// SPDX-License-Identifier: BSD-3-Clause
#include "row_model_checks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

#include "bayesieve/engine/votes.hpp"
#include "bayesieve/gradients/gradient_histogram.hpp"
#include "bayesieve/gradients/weight_gradients.hpp"
#include "case.hpp"

namespace bayesieve_test {
namespace {

constexpr int kThreads[] = {1, 3};
constexpr std::size_t kColumns = 5;

// Narrow columns of two classes; entries are below `largest`, and positive if they are votes.
SegmentArrays random_segment(std::mt19937_64& random, std::int64_t largest, bool votes) {
    const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
    SegmentArrays segment;
    const auto n_codes = static_cast<std::size_t>(2 + below(8));
    segment.n_rows = static_cast<std::size_t>(1 + below(900));
    segment.n_narrow = segment.n_columns = kColumns, segment.n_classes = 2;
    for (std::size_t i = 0; i < kColumns * segment.n_rows; ++i)
        segment.narrow.push_back(static_cast<std::uint8_t>(below(n_codes)));
    segment.begins = {0};
    for (std::size_t j = 0; j <= kColumns; ++j) {
        if (j < kColumns) segment.place.push_back(static_cast<std::int64_t>(j));
        segment.offsets.push_back(static_cast<std::int64_t>(j * n_codes));
    }
    for (std::size_t i = 0; i < kColumns * n_codes; ++i) {
        const std::int64_t entry = 1 + below(static_cast<std::uint64_t>(largest - 1));
        segment.entries.push_back(votes ? largest - entry : entry);
        segment.entries.push_back(votes ? entry : -below(static_cast<std::uint64_t>(largest)));
    }
    segment.start = {largest / 3, largest - largest / 3};
    for (std::size_t i = 0; i < segment.n_rows; ++i) {
        segment.target.push_back(static_cast<std::int32_t>(below(2)));
        segment.weights.push_back(1 + below(5));
    }
    segment.slopes = {1e-15, 1e-15};
    return segment;
}

std::vector<bayesieve::Segment> laid_out(const std::vector<SegmentArrays>& arrays) {
    std::vector<bayesieve::Segment> segments;
    for (const SegmentArrays& each : arrays) segments.push_back(bayesieve::lay_out(each.raw()));
    return segments;
}

const char* vote_fault(const std::vector<SegmentArrays>& arrays, bayesieve::Measure measure,
                       bayesieve::Loss loss, const bayesieve::VoteRule& rule) {
    std::vector<std::vector<std::uint64_t>> found;
    const std::vector<std::int32_t> columns = {1, 2, 4};
    const std::vector<double> before(3, 0.0), after(3, 1.0);
    const std::vector<std::int64_t> starts = {0, 1, 2, 3};
    const bayesieve::Moves moves = {columns.data(), before.data(), after.data(), starts.data(), 3};
    for (const int n_threads : kThreads) {
        bayesieve::Engine engine(laid_out(arrays), measure, loss, 1.0, n_threads,
                                 [&](const bayesieve::Segment& s) { return bayesieve::make_votes(s, rule); });
        engine.reset();
        engine.apply({{0, 0.0, 1.0}, {3, 0.0, 1.0}});
        const auto state = engine.snapshot();
        const std::size_t per_move = engine.n_segments() * engine.n_measures();
        std::vector<bayesieve::Wide> measures(3 * per_move);
        engine.measure(moves, measures.data(), [] {});
        for (int effort = 0; effort < 2 && engine.can_estimate(); ++effort) {
            std::vector<bayesieve::Estimate> estimates(3);
            engine.refresh(effort);
            engine.estimate(moves, effort, estimates.data(), [] {});
            for (std::size_t i = 0; i < 3; ++i) {
                double exact = 0.0;
                for (std::size_t m = 0; m < per_move; ++m)
                    exact += 1e-15 * measures[i * per_move + m].approximate();
                if (!(std::fabs(estimates[i].value - exact) <= estimates[i].bound + 1e-12 * (1.0 + exact)))
                    return "an estimate misses its bound";
            }
        }
        engine.apply({{1, 0.0, 1.0}});
        engine.apply({{1, 1.0, 0.0}});
        if (engine.snapshot() != state || !engine.restore(state))
            return "a vote and its reverse do not cancel";
        found.emplace_back();
        for (const bayesieve::Wide& each : measures)
            found.back().insert(found.back().end(), {each.low, each.high});
    }
    return found[0] == found[1] ? nullptr : "threads change the measures of votes";
}

int check_votes(std::mt19937_64& random) {
    const std::vector<SegmentArrays> arrays = {random_segment(random, std::int64_t{1} << 50, true),
                                               random_segment(random, std::int64_t{1} << 50, true)};
    const bayesieve::VoteRule any = {false, 1, std::vector<std::int64_t>(kColumns + 1, 1)};
    const bayesieve::VoteRule most = {random() % 2 == 0, 3, {1, 1, 1, 2, 2, 3}};
    int faults = 0;
    using bayesieve::Loss, bayesieve::Measure;
    const auto check = [&](Measure measure, Loss loss, const bayesieve::VoteRule& rule) {
        if (const char* fault = vote_fault(arrays, measure, loss, rule))
            ++faults, std::printf("votes: %s\n", fault);
    };
    for (const bayesieve::VoteRule& rule : {any, most}) {
        for (const Loss loss : {Loss::error, Loss::error_probability, Loss::brier, Loss::log_loss})
            check(Measure::losses, loss, rule);
        check(Measure::pairs, Loss::none, rule);
        check(Measure::refinement, Loss::none, rule);
    }
    return faults;
}

int check_histograms(std::mt19937_64& random) {
    const SegmentArrays rows = random_segment(random, std::int64_t{1} << 20, false);
    const std::size_t width = 1 + random() % 4;
    const std::vector<std::int64_t> n_codes(kColumns, rows.offsets[1]), columns = {3, 0, 4};
    std::vector<std::int64_t> gradients(rows.n_rows * width);
    for (auto& each : gradients) each = static_cast<std::int64_t>(random() % 2000) - 1000;
    // Column 3 is wide, column 4 is sparse.
    const std::uint8_t *third = rows.narrow.data() + 3 * rows.n_rows, *fourth = third + rows.n_rows;
    const std::vector<std::uint16_t> wide(third, third + rows.n_rows), common = {fourth[0]};
    std::vector<std::uint16_t> entry_codes;
    std::vector<std::int32_t> entry_rows;
    for (std::size_t i = 0; i < rows.n_rows; ++i)
        if (fourth[i] != common[0]) {
            entry_codes.push_back(fourth[i]);
            entry_rows.push_back(static_cast<std::int32_t>(i));
        }
    const std::vector<std::int64_t> begins = {0, static_cast<std::int64_t>(entry_rows.size())};
    const bayesieve::RawCodes codes = {rows.narrow.data(),
                                       wide.data(),
                                       3,
                                       1,
                                       1,
                                       rows.n_rows,
                                       kColumns,
                                       rows.place.data(),
                                       n_codes.data(),
                                       common.data(),
                                       begins.data(),
                                       entry_rows.data(),
                                       entry_codes.data()};
    const auto size = static_cast<std::size_t>(rows.offsets[1]) * width;
    std::vector<std::int64_t> expected(3 * size, 0);
    for (std::size_t k = 0; k < 3; ++k)
        for (std::size_t i = 0; i < rows.n_rows; ++i)
            for (std::size_t w = 0; w < width; ++w)
                expected[k * size +
                         rows.narrow[static_cast<std::size_t>(columns[k]) * rows.n_rows + i] * width + w] +=
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
int check_rank_blocks(std::mt19937_64& random) {
    const int bits = static_cast<int>(30 + random() % 20);
    const std::vector<SegmentArrays> arrays = {random_segment(random, std::int64_t{1} << bits, false),
                                               random_segment(random, std::int64_t{1} << bits, false)};
    const std::vector<std::int32_t> columns = {1, 2, 4};
    const std::vector<double> before(3, 0.0), after(3, 1.0);
    const std::vector<std::int64_t> starts = {0, 1, 2, 3};
    const bayesieve::Moves moves = {columns.data(), before.data(), after.data(), starts.data(), 3};
    const std::size_t n_buckets = random() % 2 == 0 ? 1 << 11 : 1 << 12;
    std::vector<std::int64_t> totals(2, 0);
    for (const SegmentArrays& each : arrays)
        for (std::size_t i = 0; i < each.n_rows; ++i) totals[each.target[i]] += each.weights[i];
    std::vector<RankAnswer> found;
    for (const int n_threads : kThreads) {
        bayesieve::Engine engine(laid_out(arrays), bayesieve::Measure::pairs, bayesieve::Loss::none, 0.0,
                                 n_threads);
        engine.reset();
        for (std::size_t n_added = 0; n_added < 3; n_added += 2) {  // few log-odds, then many
            if (n_added > 0) engine.apply({{0, 0.0, 1.0}, {3, 0.0, 0.77}});
            engine.refresh(0);
            RankAnswer answer;
            answer.ranges.resize(3 * engine.n_segments() * engine.n_measures());
            engine.key_ranges(answer.ranges.data());
            std::vector<std::int64_t> buckets;
            for (int k = 0; k < 6; ++k) buckets.insert(buckets.end(), {-(std::int64_t{1} << 30), 20});
            answer.histograms.assign(6 * 2 * (n_buckets + 1), 0);
            if (!engine.histograms(moves, buckets.data(), n_buckets, answer.histograms.data(), [] {})) {
                std::printf("a key falls into no bucket\n");
                return 1;
            }
            std::vector<bayesieve::RankTable> tables(6);
            engine.tabulate(moves, tables.data(), [] {});
            std::vector<std::int64_t> counted(2, 0), tabulated(2, 0);
            for (std::size_t k = 0; k < answer.histograms.size(); ++k)
                if (k % (n_buckets + 1) < n_buckets) counted[k / (n_buckets + 1) % 2] += answer.histograms[k];
            for (const bayesieve::RankTable& table : tables) {
                for (std::size_t k = 0; k < table.weights.size(); ++k) tabulated[k % 2] += table.weights[k];
                answer.keys.insert(answer.keys.end(), table.keys.begin(), table.keys.end());
                answer.weights.insert(answer.weights.end(), table.weights.begin(), table.weights.end());
            }
            const std::vector<std::int64_t> expected = {3 * totals[0], 3 * totals[1]};
            buckets[0] = std::int64_t{1} << 40;
            if (counted != expected || tabulated != expected ||
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
    const std::vector<SegmentArrays> arrays = {random_segment(random, std::int64_t{1} << 41, false)};
    const std::vector<std::int32_t> columns = {0, 2, 4};
    std::vector<std::vector<std::int64_t>> found;
    for (const int n_threads : kThreads) {
        bayesieve::WeightGradients model(laid_out(arrays), 1.0, n_threads, 5000.0);
        model.reset(model.start().data(), std::vector<double>(kColumns, 0.5).data(), [] {});
        model.shift({1, 0.5, 0.75}, [] {});
        const std::vector<std::int64_t> change = {1000, -1000};
        model.shift_start(change.data(), [] {});
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
        sums.insert(sums.end(), totals.begin(), totals.end());
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
        faults +=
            check_votes(random) + check_histograms(random) + check_blocks(random) + check_rank_blocks(random);
    return faults;
}

}  // namespace bayesieve_test
