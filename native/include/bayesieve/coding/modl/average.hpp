// SPDX-License-Identifier: BSD-3-Clause
// The average over all partitions of a column into intervals, each with its posterior probability, with the
// bits of src/bayesieve/bins/modl/average.py.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>

namespace bayesieve::modl {

// Stacked contingency tables. Table t has the rows offsets[t] .. offsets[t + 1] - 1, its elementary bins.
struct AverageTables {
    const std::int64_t* counts;   // (n_rows, n_classes), in units
    const std::int64_t* offsets;  // (n_tables + 1)
    std::size_t n_tables;
    int n_classes;
    double unit;
    const double* priors;  // (n_rows): of table t, the prior probability of one partition into 1, 2, ... bins
    double pseudo;         // weight of the class shares in a bin
};

struct Averages {
    double* evidence;  // OUT (n_tables): log Bayes factor of several bins against one
    double* curves;   // OUT (n_rows, n_classes): log (P(class | bin) / P(class)), up to a constant of the row
    double* lowered;  // OUT (n_rows, n_classes): the same after one row of that class has left its bin
};

void average_partitions(const AverageTables& tables, const Averages& averages, int n_threads,
                        const std::function<void()>& poll);

}  // namespace bayesieve::modl
