// SPDX-License-Identifier: BSD-3-Clause
#include "group_search.hpp"

#include "group_start.hpp"

namespace bayesieve::modl {
namespace {

constexpr int kMaxFailures = 3;  // merges in a row that do not pay
constexpr std::int64_t kStepsAbove =
    3;  // the ladder's best step is not always where the best way down begins

// Takes the state if it costs less, or the same with fewer groups; returns whether it did.
bool keep_better(const GroupState& state, GroupState& best) {
    const std::int64_t change = state.cost() - best.cost();
    if (change > kTolerance || (change >= -kTolerance && state.n_groups() >= best.n_groups())) return false;
    best = state;
    return true;
}

// Improves the best step, and one above it, from which it merges and improves until that has failed three
// times.
GroupState descend(GroupSpace& space, const Ladder& ladder) {
    const std::int64_t chosen = ladder.choose();
    GroupState best(space, ladder.labels(chosen));
    best.improve();
    std::int64_t first = chosen + kStepsAbove;
    while (!ladder.has(first)) --first;
    GroupState state(space, ladder.labels(first));
    state.improve();
    keep_better(state, best);
    int failures = 0;
    while (failures < kMaxFailures && state.n_groups() > 1) {
        const GroupState::Merge merge = state.best_merge();
        state.merge(merge.a, merge.b);
        state.improve();
        failures = keep_better(state, best) ? 0 : failures + 1;
    }
    return best;
}

}  // namespace

std::optional<GroupState> search_groups(GroupSpace& space) {
    const Ladder ladder = build_ladder(space);
    const std::int64_t chosen = ladder.choose();
    if (chosen == 0) return std::nullopt;
    GroupState best = descend(space, ladder);
    // A garbage group makes further groups cheaper to state, so the search for it begins above the best step.
    for (std::int64_t k = space.allows_garbage() ? chosen + kStepsAbove : 1; k > 1; --k) {
        if (!ladder.has(k)) continue;
        GroupState state(space, ladder.labels(k));
        if (!state.fill_garbage()) continue;
        state.improve();
        keep_better(state, best);
    }
    return best;
}

}  // namespace bayesieve::modl
