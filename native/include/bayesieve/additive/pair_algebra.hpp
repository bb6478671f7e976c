// SPDX-License-Identifier: BSD-3-Clause
// Log Bayes factors and posterior mean tables of pairs, from sums per cell; the formulas are in
// src/bayesieve/additive/cell_prior.py.
#pragma once
#include <cstddef>
#include <vector>

#include "bayesieve/columns/column_batch.hpp"

namespace bayesieve {

struct PairResolution {
    // a (n_a, k_a), b (n_b, k_b): roots of the kernels
    PairResolution(std::vector<double> a, std::vector<double> b, std::size_t k_a, std::size_t k_b);

    std::size_t n() const { return k_a * k_b; }

    std::vector<double> a, b;
    std::size_t k_a, k_b;
    std::size_t n_products, width;   // of a: k_a (k_a + 1) / 2; of b: k_b^2, padded
    std::vector<double> of_a, of_b;  // products of entries: (n_a, n_products), (n_b, width)
};

struct PairDesign {
    PairDesign(std::size_t n_a, std::size_t n_b, std::size_t n_margins, std::vector<double> margins,
               std::vector<PairResolution> resolutions, std::vector<double> squared_scales,
               bool fills = false);

    std::size_t n_a, n_b, n_margins;
    std::size_t width;            // of margins and a slope, padded
    std::vector<double> margins;  // (n_margins, n_a * n_b)
    std::vector<double> by_cell;  // (n_a * n_b, width)
    std::vector<PairResolution> resolutions;
    std::vector<double> squared_scales;
    bool fills;  // whether cells without rows have their posterior mean instead of 0
};

struct PairTables {
    const double *gradient, *curvature;  // IN (n_tables, n_a, n_b)
    std::size_t n_tables;
    double* factors;  // OUT (n_tables)
    double* means;    // OUT (n_tables, n_a, n_b); nullptr if not wanted
};

void fit_pair_tables(const PairDesign& design, const PairTables& tables, const Threads& threads);

// The posterior means of margins alone; `means` has zeros.
void fit_pair_margins(const PairDesign& design, const PairTables& tables);

}  // namespace bayesieve
