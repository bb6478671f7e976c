// SPDX-License-Identifier: BSD-3-Clause
#include "vote_checks.hpp"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

#include "bayesieve/engine/votes.hpp"
#include "random_segments.hpp"
#include "rounds.hpp"

namespace bayesieve_test {
namespace {

constexpr std::int64_t kOne = std::int64_t{1} << 50;
constexpr std::size_t kVoters = 14;  // as many votes of 2^-50 are far below the range of an ordinary number

using Moved = std::vector<bayesieve::Change>;

// Columns whose votes are anything, or all but sure, so that the shares of most counts are tiny.
SegmentArrays voters(std::mt19937_64& random, bool sure) {
    SegmentArrays segment = random_segment(random, kOne, kVoters);
    for (std::size_t k = 0; k < segment.entries.size(); k += 2) {
        const bool against = random() % 8 == 0;
        const auto little = static_cast<std::int64_t>(1 + random() % 4);
        if (sure) segment.entries[k] = against ? kOne - little : little;
        segment.entries[k + 1] = kOne - segment.entries[k];
    }
    return segment;
}

Batch batch_of(const std::vector<Moved>& moves) {
    Batch batch;
    batch.starts = {0};
    for (const Moved& move : moves) {
        for (const bayesieve::Change& change : move) {
            batch.columns.push_back(change.column);
            batch.before.push_back(change.before), batch.after.push_back(change.after);
        }
        batch.starts.push_back(static_cast<std::int64_t>(batch.columns.size()));
    }
    return batch;
}

const char* check_estimates(bayesieve::Engine& engine, const bayesieve::Moves& moves,
                            const std::vector<bayesieve::Wide>& measures, std::size_t per_move) {
    for (int effort = 0; effort < 2 && engine.can_estimate(); ++effort) {
        std::vector<bayesieve::Estimate> estimates(moves.n);
        engine.refresh(effort);
        engine.estimate(moves, effort, estimates.data(), [] {});
        for (std::size_t i = 0; i < moves.n; ++i) {
            double exact = 0.0;
            for (std::size_t m = 0; m < per_move; ++m)
                exact += 1e-15 * measures[i * per_move + m].approximate();
            if (!std::isfinite(estimates[i].value)) return "an estimate is not finite";
            if (!(std::fabs(estimates[i].value - exact) <= estimates[i].bound + 1e-12 * (1.0 + exact)))
                return "an estimate misses its bound";
        }
    }
    return nullptr;
}

const char* vote_fault(const std::vector<SegmentArrays>& arrays, bayesieve::Measure measure,
                       bayesieve::Loss loss, const bayesieve::VoteRule& rule) {
    std::vector<std::vector<std::uint64_t>> found;
    // Without a column the first voter decides; after these many counts are possible.
    Moved none, most;
    for (std::int32_t j = 0; j < static_cast<std::int32_t>(kVoters) - 3; ++j) most.push_back({j, 0.0, 1.0});
    const Moved all_out = {{0, 1.0, 0.0}};
    const std::int32_t narrow = kVoters - 3, wide = kVoters - 2, sparse = kVoters - 1;
    const std::vector<Moved> additions = {{{narrow, 0.0, 1.0}}, {{wide, 0.0, 1.0}}, {{sparse, 0.0, 0.5}}};
    const std::vector<Moved> others = {
        {}, {{0, 1.0, 0.0}}, {{1, 1.0, 0.25}}, {{2, 1.0, 0.0}, {wide, 0.0, 0.5}, {sparse, 0.0, 1.0}}};
    for (const int n_threads : kThreads) {
        bayesieve::Engine engine(laid_out(arrays), measure, loss, 1.0, n_threads,
                                 [&](const bayesieve::Segment& s) { return bayesieve::make_votes(s, rule); });
        const std::size_t per_move = engine.n_segments() * engine.n_measures();
        found.emplace_back();
        for (const Moved& beginning : {none, Moved{{0, 0.0, 1.0}}, most}) {
            engine.reset();
            engine.apply(beginning);
            const auto state = engine.snapshot();
            std::vector<Moved> moved = additions;
            if (beginning.size() == 1) moved.push_back(all_out);
            const std::size_t n_single = moved.size();
            if (beginning.size() > 1) moved.insert(moved.end(), others.begin(), others.end());
            const Batch batch = batch_of(moved);
            bayesieve::Moves moves = batch.moves();
            std::vector<bayesieve::Wide> measures(moves.n * per_move);
            engine.measure(moves, measures.data(), [] {});
            for (std::size_t i = 0; i < moved.size(); ++i) {
                std::vector<bayesieve::Wide> applied(per_move);
                engine.apply(moved[i]);
                engine.measure(applied.data());
                for (std::size_t m = 0; m < per_move; ++m)
                    if (applied[m].low != measures[i * per_move + m].low ||
                        applied[m].high != measures[i * per_move + m].high)
                        return "a move is measured otherwise than the state after it";
                if (!engine.restore(state) || engine.snapshot() != state) return "a state is not restored";
            }
            moves.n = n_single;
            if (const char* fault = check_estimates(engine, moves, measures, per_move)) return fault;
            engine.apply({{narrow, 0.0, 1.0}});
            engine.apply({{narrow, 1.0, 0.0}});
            if (engine.snapshot() != state) return "a vote and its reverse do not cancel";
            for (const bayesieve::Wide& each : measures)
                found.back().insert(found.back().end(), {each.low, each.high});
        }
    }
    return found[0] == found[1] ? nullptr : "threads change the measures of votes";
}

}  // namespace

int check_votes() {
    std::mt19937_64 random(19);
    bayesieve::VoteRule any = {false, 1, std::vector<std::int64_t>(kVoters + 1, 1)};
    bayesieve::VoteRule half = {false, kVoters / 2, {1, 1}};
    for (std::size_t k = 2; k <= kVoters; ++k) half.decisive.push_back(static_cast<std::int64_t>(k / 2));
    int faults = 0;
    using bayesieve::Loss, bayesieve::Measure;
    for (int k = 0; k < rounds(4, 8); ++k) {
        const std::vector<SegmentArrays> arrays = {voters(random, k % 2 == 0), voters(random, k % 4 == 0)};
        const auto check = [&](Measure measure, Loss loss, const bayesieve::VoteRule& rule) {
            if (const char* fault = vote_fault(arrays, measure, loss, rule))
                ++faults, std::printf("votes: %s\n", fault);
        };
        for (bayesieve::VoteRule* rule : {&any, &half}) {
            rule->counts_refusals = random() % 2 == 0;
            for (const Loss loss : {Loss::error, Loss::error_probability, Loss::brier, Loss::log_loss})
                check(Measure::losses, loss, *rule);
            check(Measure::pairs, Loss::none, *rule);
            check(Measure::refinement, Loss::none, *rule);
        }
    }
    return faults;
}

}  // namespace bayesieve_test
