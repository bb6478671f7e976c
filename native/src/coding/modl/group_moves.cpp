// SPDX-License-Identifier: BSD-3-Clause
#include "group_moves.hpp"

#include <numeric>
#include <utility>

namespace bayesieve::modl {
namespace {

constexpr int kMaxRounds =
    100;  // each round lowers the cost, and few are needed; a bound on time all the same

}  // namespace

GroupState::GroupState(GroupSpace& space, Labels labels) : space_(&space), labels_(std::move(labels)) {
    const std::size_t n_classes = space.n_classes();
    const std::size_t n = static_cast<std::size_t>(*std::max_element(labels_.begin(), labels_.end())) + 1;
    counts_.resize(n * n_classes, 0);
    sizes_.resize(n, 0);
    costs_.resize(n);
    for (std::size_t v = 0; v < labels_.size(); ++v) {
        for (std::size_t c = 0; c < n_classes; ++c) counts_[labels_[v] * n_classes + c] += space.value(v)[c];
        ++sizes_[labels_[v]];
    }
    for (std::size_t g = 0; g < n; ++g) costs_[g] = space.bin_cost(row(g));
}

std::int64_t GroupState::n_groups() const {
    return static_cast<std::int64_t>(sizes_.size()) - std::count(sizes_.begin(), sizes_.end(), 0);
}

std::int64_t GroupState::cost() const {
    return std::accumulate(costs_.begin(), costs_.end(), std::int64_t{0}) +
           space_->structure(n_groups(), largest());
}

void GroupState::improve() {
    for (int round = 0; round < kMaxRounds; ++round) {
        move_values();
        if (sizes_.size() < 2) return;
        const Merge best = best_merge();
        if (best.change > kTolerance) return;
        merge(best.a, best.b);
    }
}

GroupState::Merge GroupState::best_merge() const {
    const auto k = static_cast<std::int64_t>(sizes_.size());
    const std::int64_t big = largest();
    Merge best{kNever, 0, 0};
    for (std::size_t a = 0; a < sizes_.size(); ++a) {
        for (std::size_t b = a + 1; b < sizes_.size(); ++b) {
            const std::int64_t change = space_->cost_of_sum(row(a), row(b)) - costs_[a] - costs_[b] +
                                        space_->structure(k - 1, std::max(sizes_[a] + sizes_[b], big));
            if (change < best.change) best = {change, a, b};
        }
    }
    best.change -= space_->structure(k, big);
    return best;
}

void GroupState::merge(std::size_t a, std::size_t b) {
    for (std::int32_t& label : labels_)
        if (label == static_cast<std::int32_t>(b)) label = static_cast<std::int32_t>(a);
    const std::size_t n_classes = space_->n_classes();
    for (std::size_t c = 0; c < n_classes; ++c) counts_[a * n_classes + c] += counts_[b * n_classes + c];
    sizes_[a] += sizes_[b];
    sizes_[b] = 0;
    costs_[a] = space_->bin_cost(row(a));
    drop_empty();
}

// Moves values, those first that gain most, until none gains.
void GroupState::move_values() {
    std::vector<std::int64_t> gains(labels_.size()), structure;
    std::vector<std::size_t> promising;
    for (int round = 0; round < kMaxRounds; ++round) {
        const std::size_t n = sizes_.size();
        structure.assign(n * (n + 1), kNever);
        for (std::size_t s = 0; s < n; ++s) structure_changes(s, structure.data() + s * (n + 1));
        promising.clear();
        for (std::size_t v = 0; v < labels_.size(); ++v) {
            gains[v] = best_move(v, structure.data() + labels_[v] * (n + 1)).change;
            if (gains[v] < -kTolerance) promising.push_back(v);
        }
        if (promising.empty()) return;
        std::stable_sort(promising.begin(), promising.end(),
                         [&](std::size_t a, std::size_t b) { return gains[a] < gains[b]; });
        for (const std::size_t v : promising) {
            structure.resize(sizes_.size() + 1);
            structure_changes(labels_[v], structure.data());
            const Move best = best_move(v, structure.data());
            if (best.change >= -kTolerance) continue;
            if (best.target == sizes_.size()) append_empty();
            move(v, best.target);
        }
        drop_empty();
    }
}

// The best target of a value, which may be a new group; structure IN (groups + 1), from the value's group.
GroupState::Move GroupState::best_move(std::size_t v, const std::int64_t* structure) const {
    const std::int64_t* value = space_->value(v);
    const auto source = static_cast<std::size_t>(labels_[v]);
    const std::int64_t left = space_->mass(row(source)) - space_->mass(value);
    Move best{kNever, 0};
    if (left > 0 && space_->too_small(left)) return best;
    const std::int64_t leaving = space_->cost_of_difference(row(source), value) - costs_[source];
    for (std::size_t t = 0; t < sizes_.size(); ++t) {
        if (structure[t] >= kNever || space_->too_small(space_->mass(row(t)) + space_->mass(value))) continue;
        const std::int64_t change = leaving + space_->cost_of_sum(row(t), value) - costs_[t] + structure[t];
        if (change < best.change) best = {change, t};
    }
    if (structure[sizes_.size()] < kNever && !space_->too_small(space_->mass(value))) {
        const std::int64_t change = leaving + space_->bin_cost(value) + structure[sizes_.size()];
        if (change < best.change) best = {change, sizes_.size()};
    }
    return best;
}

// The change of the structure's cost by a move from one group to another; OUT (groups + 1), kNever without
// such a move.
void GroupState::structure_changes(std::size_t source, std::int64_t* changes) const {
    const std::size_t n = sizes_.size();
    const std::int64_t k = n_groups(), before = space_->structure(k, largest());
    const bool empties = sizes_[source] == 1;
    std::int64_t others = sizes_[source] - 1;
    for (std::size_t g = 0; g < n; ++g)
        if (g != source) others = std::max(others, sizes_[g]);
    for (std::size_t t = 0; t <= n; ++t) {
        changes[t] = kNever;
        const std::int64_t after = k + (t == n) - empties;
        if (t == source || (t < n && sizes_[t] == 0)) continue;
        if (t == n && (empties || after > space_->max_groups())) continue;
        const std::int64_t size = t < n ? sizes_[t] + 1 : 1;
        changes[t] = space_->structure(after, std::max(others, size)) - before;
    }
}

void GroupState::append_empty() {
    counts_.resize(counts_.size() + space_->n_classes(), 0);
    sizes_.push_back(0);
    costs_.push_back(0);
}

void GroupState::move(std::size_t v, std::size_t target) {
    const std::size_t n_classes = space_->n_classes(), source = labels_[v];
    for (std::size_t c = 0; c < n_classes; ++c) {
        counts_[source * n_classes + c] -= space_->value(v)[c];
        counts_[target * n_classes + c] += space_->value(v)[c];
    }
    --sizes_[source];
    ++sizes_[target];
    labels_[v] = static_cast<std::int32_t>(target);
    costs_[source] = space_->bin_cost(row(source));
    costs_[target] = space_->bin_cost(row(target));
}

void GroupState::drop_empty() {
    const std::size_t n_classes = space_->n_classes();
    Labels number(sizes_.size(), -1);
    std::size_t n = 0;
    for (std::size_t g = 0; g < sizes_.size(); ++g) {
        if (sizes_[g] == 0) continue;
        number[g] = static_cast<std::int32_t>(n);
        std::copy_n(row(g), n_classes, counts_.begin() + n * n_classes);
        sizes_[n] = sizes_[g];
        costs_[n++] = costs_[g];
    }
    counts_.resize(n * n_classes);
    sizes_.resize(n);
    costs_.resize(n);
    for (std::int32_t& label : labels_) label = number[label];
}

}  // namespace bayesieve::modl
