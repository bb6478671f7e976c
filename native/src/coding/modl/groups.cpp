// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/coding/modl/groups.hpp"

#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "group_search.hpp"

namespace bayesieve::modl {
namespace {

// Values in order of frequency, which a granularity pools from some place on.
class OrderedTable {
  public:
    OrderedTable(const GroupTable& table, const Factorials& factorials, PriorKind kind,
                 std::int64_t n_attributes, const GroupLimits& limits)
        : table_(table),
          n_classes_(static_cast<std::size_t>(factorials.n_classes())),
          factorials_(factorials),
          limits_(limits),
          mass_(table.n_values, 0),
          totals_(n_classes_, 0) {
        for (std::size_t v = 0; v < table.n_values; ++v) {
            for (std::size_t c = 0; c < n_classes_; ++c) {
                mass_[v] += row(v)[c];
                totals_[c] += row(v)[c];
            }
            total_ += mass_[v];
            if (mass_[v] > 0) order_.push_back(v);
        }
        n_fixed_ = table.fixed_first && table.n_values > 0 && mass_[0] > 0 ? 1 : 0;
        order_.erase(order_.begin(), order_.begin() + n_fixed_);
        std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
            if (mass_[a] != mass_[b]) return mass_[a] > mass_[b];
            return std::lexicographical_compare(row(b), row(b) + n_classes_, row(a), row(a) + n_classes_);
        });
        prior_ = std::make_unique<Prior>(kind, n_attributes, weight());
    }

    // Writes groups, and returns their cost.
    Grouping group(std::int32_t* groups) const {
        for (std::size_t v = 0; v < table_.n_values; ++v) groups[v] = mass_[v] > 0 ? 0 : -1;
        const std::int64_t null_cost = cost_of_one();
        Grouping best{total_ > 0, -1, 0, 0, null_cost, null_cost};
        if (order_.empty() || n_values() < 2 || limits_.max_bins < 2 || n_classes_ < 2) return best;
        const std::int64_t fixed_cost = n_fixed_ > 0 ? factorials_.bin_cost(row(0)) : 0;
        for (const int granularity : granularities()) {
            GroupSpace space = space_at(granularity);
            std::optional<GroupState> state = search_groups(space);
            if (!state || state->n_groups() + n_fixed_ < 2) continue;
            const Stated stated = restate(*state, space);
            if (stated.cost + fixed_cost >= best.cost - kTolerance) continue;
            best = {state->n_groups() + n_fixed_, stated.other, stated.n_garbage, stated.granularity,
                    stated.cost + fixed_cost,     null_cost};
            number(labels(*state), best, groups);
        }
        return best;
    }

  private:
    // A grouping at one granularity; `other` is the label of the group for new values, -1 if there is none.
    struct Stated {
        std::int64_t cost, other, n_garbage, granularity;
    };

    const std::int64_t* row(std::size_t v) const { return table_.counts + v * n_classes_; }
    double weight() const { return static_cast<double>(total_) * table_.unit; }
    std::int64_t n_values() const { return static_cast<std::int64_t>(order_.size()) + n_fixed_; }

    std::int64_t cost_of_one() const {
        if (n_values() == 0) return 0;
        return prior_->construction(1) + prior_->groups({n_values(), 1, 0, 0}) +
               factorials_.bin_cost(totals_.data());
    }

    // The number of values that stay apart, those of at least N / 2^g, and 1 for a pool.
    std::size_t n_places(int granularity) const {
        if (granularity == 0) return order_.size();
        std::size_t n = 0;
        while (n < order_.size() &&
               std::ldexp(static_cast<double>(mass_[order_[n]]), granularity) >= static_cast<double>(total_))
            ++n;
        return std::min(n + 1, order_.size());
    }

    GroupSpace space_at(int granularity) const {
        const std::size_t n = n_places(granularity);
        Counts values(n * n_classes_, 0);
        for (std::size_t i = 0; i < order_.size(); ++i)
            for (std::size_t c = 0; c < n_classes_; ++c)
                values[std::min(i, n - 1) * n_classes_ + c] += row(order_[i])[c];
        return GroupSpace(std::move(values), granularity, n_fixed_, factorials_, *prior_, limits_);
    }

    // Granularities with half as many places again, and the finest that differs; 2^g < N, so that values of a
    // single row are always in the pool.
    std::vector<int> granularities() const {
        if (!prior_->granular()) return {0};
        std::vector<int> worth;
        int finest = 0;
        while (finest < 62 && std::ldexp(1.0, finest + 1) < weight()) ++finest;
        if (finest == 0) return worth;
        const auto n_finest = static_cast<std::int64_t>(n_places(finest)) + n_fixed_;
        std::int64_t before = 0;
        for (int g = 1;; ++g) {
            const auto n = static_cast<std::int64_t>(n_places(g)) + n_fixed_;
            if (n == n_finest || (2 * n >= 3 * before && 3 * n <= 2 * n_values())) {
                worth.push_back(g);
                before = n;
            }
            if (n == n_finest) return worth;
        }
    }

    // The group of each value in order, those in the pool included.
    Labels labels(const GroupState& state) const {
        Labels all(order_.size());
        for (std::size_t i = 0; i < all.size(); ++i)
            all[i] = state.labels()[std::min(i, state.labels().size() - 1)];
        return all;
    }

    Stated state_at(const GroupState& state, GroupSpace& space) const {
        const std::int64_t largest = state.largest(), k = state.n_groups();
        const bool garbage = space.stated(k, largest) < space.stated(k, 0);
        const auto biggest = std::max_element(state.sizes().begin(), state.sizes().end());
        const std::int64_t pool = state.labels().size() < order_.size() ? state.labels().back() : -1;
        return {state.cost(), garbage ? biggest - state.sizes().begin() : pool, garbage ? largest : 0,
                space.granularity()};
    }

    // The same grouping at the granularity where it is cheapest to state: coarser, while the pool allows it.
    Stated restate(const GroupState& state, GroupSpace& space) const {
        const Labels all = labels(state);
        Stated best = state_at(state, space);
        for (int g = space.granularity() - 1; g > 0; --g) {
            const std::size_t n = n_places(g);
            if (std::any_of(all.begin() + n, all.end(), [&](std::int32_t l) { return l != all[n - 1]; }))
                break;
            GroupSpace coarser = space_at(g);
            const Stated there = state_at(GroupState(coarser, Labels(all.begin(), all.begin() + n)), coarser);
            if (there.cost <= best.cost) best = there;
        }
        return best;
    }

    // Numbers the groups by their first values, the group for new values last.
    void number(const Labels& all, Grouping& grouping, std::int32_t* groups) const {
        const std::int64_t other = grouping.other;
        for (std::size_t i = 0; i < order_.size(); ++i) groups[order_[i]] = all[i];
        Labels number(grouping.n_groups, -1);
        std::int32_t next = static_cast<std::int32_t>(n_fixed_);
        if (other >= 0) {
            number[other] = static_cast<std::int32_t>(grouping.n_groups - 1);
            grouping.other = grouping.n_groups - 1;
        }
        for (std::size_t v = n_fixed_; v < table_.n_values; ++v) {
            if (mass_[v] == 0) continue;
            std::int32_t& group = number[groups[v]];
            if (group < 0) group = next++;
            groups[v] = group;
        }
    }

    const GroupTable& table_;
    std::size_t n_classes_;
    const Factorials& factorials_;
    GroupLimits limits_;
    std::vector<std::int64_t> mass_, totals_;
    std::int64_t total_ = 0, n_fixed_ = 0;
    std::vector<std::size_t> order_;
    std::unique_ptr<Prior> prior_;
};

}  // namespace

Grouping group_values(const GroupTable& table, const Factorials& factorials, PriorKind kind,
                      std::int64_t n_attributes, const GroupLimits& limits, std::int32_t* groups) {
    return OrderedTable(table, factorials, kind, n_attributes, limits).group(groups);
}

}  // namespace bayesieve::modl
