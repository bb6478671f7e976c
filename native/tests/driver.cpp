// SPDX-License-Identifier: BSD-3-Clause
// Replays test cases on the core, without Python: exact measures must be the reference engine's to the last
// bit, and every estimate must contain them. Run under sanitizers.
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "additive_checks.hpp"
#include "bayesieve/gradients/weight_gradients.hpp"
#include "bayesieve/kernels/kernels.hpp"
#include "bin_checks.hpp"
#include "case.hpp"
#include "column_checks.hpp"
#include "filter_checks.hpp"
#include "group_checks.hpp"
#include "interval_checks.hpp"
#include "pair_checks.hpp"
#include "pool_checks.hpp"
#include "rank_checks.hpp"
#include "row_model_checks.hpp"
#include "share_checks.hpp"
#include "vote_checks.hpp"

namespace {

using namespace bayesieve_test;

bool same(const bayesieve::Wide& a, const bayesieve::Wide& b) { return a.low == b.low && a.high == b.high; }

std::vector<bayesieve::Change> changes_of(const Batch& batch) {
    std::vector<bayesieve::Change> changes;
    for (std::size_t k = 0; k < batch.columns.size(); ++k)
        changes.push_back({batch.columns[k], batch.before[k], batch.after[k]});
    return changes;
}

double score_of(const bayesieve::Wide* measures, const Case& test, std::size_t n_measures) {
    double score = 0.0;
    for (const SegmentArrays& segment : test.segments)
        for (std::size_t m = 0; m < n_measures; ++m) score += segment.slopes[m] * (measures++)->approximate();
    return score;
}

const char* check_estimates(bayesieve::Engine& engine, const Case& test, int effort) {
    const bayesieve::Moves moves = test.batch.moves();
    for (std::size_t i = 0; i < moves.n; ++i)
        if (moves.starts[i + 1] - moves.starts[i] != 1) return nullptr;
    std::vector<bayesieve::Estimate> estimates(moves.n);
    engine.refresh(effort);
    engine.estimate(moves, effort, estimates.data(), [] {});
    const std::size_t per_move = engine.n_segments() * engine.n_measures();
    for (std::size_t i = 0; i < moves.n; ++i) {
        const double exact = score_of(test.after.data() + i * per_move, test, engine.n_measures());
        const double slack = 1e-13 * (1.0 + std::fabs(exact));
        // The caller adds and subtracts the two, so only the bound may be infinite.
        if (!std::isfinite(estimates[i].value)) return "an estimate is not finite";
        if (!(std::fabs(estimates[i].value - exact) <= estimates[i].bound + slack))
            return "an estimate misses its bound";
    }
    return nullptr;
}

const char* check(const Case& test, int n_threads) {
    if (!test.good || !is_sound(test)) return "the case is not sound";
    bayesieve::Engine engine = make_engine(test, n_threads);
    engine.reset();
    engine.apply(changes_of(test.beginning));
    std::vector<bayesieve::Wide> found(engine.n_segments() * engine.n_measures());
    engine.measure(found.data());
    if (found.size() != test.at_start.size()) return "the number of measures differs";
    for (std::size_t i = 0; i < found.size(); ++i)
        if (!same(found[i], test.at_start[i])) return "a measure of the state differs";
    found.assign(test.batch.moves().n * engine.n_segments() * engine.n_measures(), {});
    if (found.size() != test.after.size()) return "the number of moves differs";
    // What estimates need makes some measures faster: they are taken without it and with it.
    for (const bool fresh : {false, true}) {
        if (fresh && !engine.can_estimate()) continue;
        if (fresh) engine.refresh(0);
        found.assign(test.after.size(), {});
        engine.measure(test.batch.moves(), found.data(), [] {});
        for (std::size_t i = 0; i < found.size(); ++i)
            if (!same(found[i], test.after[i])) return "a measure of a move differs";
    }
    if (engine.can_estimate())
        for (int effort : {0, 1})
            if (const char* fault = check_estimates(engine, test, effort)) return fault;
    const std::vector<std::int64_t> before = engine.snapshot();
    std::vector<bayesieve::Change> there = changes_of(test.batch), back = there;
    for (bayesieve::Change& change : back) std::swap(change.before, change.after);
    engine.apply(there);
    if (!engine.restore(before) || engine.snapshot() != before) return "a state is not restored";
    engine.apply(there);
    engine.apply(back);
    return engine.snapshot() == before ? nullptr : "changes and their reverse do not cancel";
}

// Weights that descend are the same with any number of threads, and none is negative.
const char* check_weights(const Case& test, int n_threads) {
    std::vector<std::vector<double>> found;
    for (const int threads : {1, n_threads}) {
        std::vector<bayesieve::Segment> segments;
        for (const SegmentArrays& segment : test.segments)
            segments.push_back(bayesieve::lay_out(segment.raw()));
        bayesieve::WeightGradients model(std::move(segments), 0.5, threads);
        const std::size_t n = model.n_columns();
        const std::vector<std::int64_t> start = model.start();
        model.reset(start.data(), std::vector<double>(n, 0.25).data(), [] {});
        std::vector<std::int32_t> columns(n);
        for (std::size_t j = 0; j < n; ++j) columns[j] = static_cast<std::int32_t>(j);
        std::vector<bayesieve::WeightGradients::Slope> slopes(n);
        const std::vector<double> penalties(n, 0.5);
        model.slopes(columns.data(), n, slopes.data(), [] {});
        model.descend(columns.data(), penalties.data(), n, 1e-3, 5, [] {});
        std::vector<bayesieve::Wide> losses(model.n_segments() * model.n_classes());
        model.losses(losses.data());
        found.push_back(model.weights());
        for (const bayesieve::WeightGradients::Slope& each : slopes) found.back().push_back(each.slope);
        for (const double weight : model.weights())
            if (!(weight >= 0.0)) return "a weight is negative";
    }
    return found[0] == found[1] ? nullptr : "threads change weights";
}

// Every file named, and every file of a folder named.
std::vector<std::string> files_of(int n_arguments, char** arguments) {
    std::vector<std::string> files;
    for (int i = 1; i < n_arguments; ++i) {
        if (!std::filesystem::is_directory(arguments[i])) {
            files.emplace_back(arguments[i]);
            continue;
        }
        for (const auto& entry : std::filesystem::directory_iterator(arguments[i]))
            files.push_back(entry.path().string());
    }
    return files;
}

// Under the thread sanitizer one thread shows nothing new.
#if defined(__SANITIZE_THREAD__)
constexpr int kThreadCounts[] = {4};
#else
constexpr int kThreadCounts[] = {1, 7};
#endif

}  // namespace

int main(int n_arguments, char** arguments) {
    const std::vector<std::string> files = files_of(n_arguments, arguments);
    if (files.empty()) {
        std::fprintf(stderr, "no cases: give files, or a folder that dump_cases.py has filled\n");
        return 1;
    }
    int passed = 0, failed = check_pool() + check_intervals() + check_groups() + check_filters() +
                             check_pairs() + check_additive() + check_votes() + check_row_models() +
                             check_bins() + check_columns() + check_ranks() + check_shares();
    for (const std::string& name : files) {
        std::ifstream file(name, std::ios::binary);
        const std::vector<char> bytes((std::istreambuf_iterator<char>(file)),
                                      std::istreambuf_iterator<char>());
        const Case test =
            read_case(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), 1u << 24);
        for (int n_threads : kThreadCounts) {
            const char* fault = check(test, n_threads);
            if (fault == nullptr) fault = check_weights(test, n_threads);
            ++(fault == nullptr ? passed : failed);
            if (fault != nullptr) std::printf("%s, %d threads: %s\n", name.c_str(), n_threads, fault);
        }
    }
    std::printf("%s kernels\n%d passed, %d failed\n", bayesieve::name_of(bayesieve::build_in_use()), passed,
                failed);
    return failed == 0 ? 0 : 1;
}
