// SPDX-License-Identifier: BSD-3-Clause
// Weights of labels, as src/bayesieve/bins/summary.py specifies them.
#pragma once
#include <cstddef>
#include <cstdint>

namespace bayesieve {

// Counts of labels by class, column after column.
struct LabelCounts {
    const std::int64_t* counts;   // (offsets[n_columns], n_classes)
    const std::int64_t* offsets;  // (n_columns + 1): where the labels of each column begin
    std::size_t n_columns, n_classes;
};

// Per label, its weight in all classes; per column, the weight of all labels, the largest, and how many
// labels have any.
struct LabelWeights {
    std::int64_t *of_label, *total, *largest, *n_values;
};

void weigh_labels(const LabelCounts& labels, const LabelWeights& out);

}  // namespace bayesieve
