// SPDX-License-Identifier: BSD-3-Clause
// Posterior mean tables of one pair of columns, by Newton steps; the formulas are in
// src/bayesieve/additive/pair_tables.py.
#pragma once
#include <cstddef>

#include "bayesieve/additive/cell_sums.hpp"
#include "bayesieve/additive/pair_algebra.hpp"

namespace bayesieve {

// What an integer derivative and an integer loss of 1 are worth, and the number of steps.
struct NewtonSteps {
    double gradient_unit, loss_unit;
    std::size_t n;
};

// tables (n_tables, n_a, n_b, n_scores), each added to the scores of its training rows: IN where they begin,
// OUT where they end.
void cross_fit(const AdditiveLoss& loss, const PairDesign& design, const FoldRows& rows,
               const DerivativeSteps& steps, const NewtonSteps& newton, double* tables, std::size_t n_tables,
               const Threads& threads);

}  // namespace bayesieve
