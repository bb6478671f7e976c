// SPDX-License-Identifier: BSD-3-Clause
// Improving a grouping: single values change their group, groups merge, many values go to the garbage group
// at once.
#pragma once
#include <cstdint>
#include <vector>

#include "group_space.hpp"

namespace bayesieve::modl {

// A grouping with the sums that moves need; groups without values may stand among the others during a round.
class GroupState {
  public:
    GroupState(GroupSpace& space, Labels labels);

    const Labels& labels() const { return labels_; }
    const std::vector<std::int64_t>& sizes() const { return sizes_; }
    std::int64_t n_groups() const;
    std::int64_t largest() const { return *std::max_element(sizes_.begin(), sizes_.end()); }
    // The cost without fixed values.
    std::int64_t cost() const;

    // Moves single values and merges groups while that lowers the cost; a merge may leave it as it is.
    void improve();

    struct Merge {
        std::int64_t change;
        std::size_t a, b;
    };
    // The merge of two groups that changes the cost least; of equal ones the first.
    Merge best_merge() const;
    // Merges group b into group a.
    void merge(std::size_t a, std::size_t b);

    // Moves the values to one group whose change, each by itself, promises the largest gain together: a
    // garbage group pays only if it is large, so that no way of single moves leads to it. Returns whether
    // there was a promise and the groups are allowed; the cost is not checked, since the changes do not add
    // up.
    bool fill_garbage();

  private:
    struct Move {
        std::int64_t change;
        std::size_t target;
    };

    const std::int64_t* row(std::size_t g) const { return counts_.data() + g * space_->n_classes(); }
    void move_values();
    Move best_move(std::size_t v, const std::int64_t* structure) const;
    void structure_changes(std::size_t source, std::int64_t* changes) const;
    void append_empty();
    void move(std::size_t v, std::size_t target);
    void drop_empty();

    GroupSpace* space_;
    Labels labels_;
    Counts counts_;
    std::vector<std::int64_t> sizes_, costs_;
};

}  // namespace bayesieve::modl
