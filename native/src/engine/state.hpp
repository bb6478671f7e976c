// SPDX-License-Identifier: BSD-3-Clause
// What an engine keeps in addition to the segments, and what a thread works in.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "bayesieve/engine/engine.hpp"
#include "bayesieve/ranks/ranking.hpp"
#include "evidence.hpp"
#include "leads.hpp"

namespace bayesieve {

// Rows of one class, as the scan takes them.
struct Engine::ClassRows {
    std::vector<float> beliefs, weights;
    std::vector<double> fine_beliefs, fine_weights;  // for a second scan, made when there is one
    std::size_t stride = 0;
    double mass = 0.0;  // weight of its rows
    double base = 0.0;  // the share of the loss that no candidate changes
};

struct Engine::State {
    std::unique_ptr<RowModel> rows;
    std::vector<ClassRows> class_rows;   // losses: one per class
    PackedCodes packed;                  // losses: columns of few codes
    ErrorLeads leads;                    // errors of columns of two codes, instead of beliefs
    std::vector<std::int64_t> log_odds;  // pairs of two classes
    std::vector<std::int32_t> coarse;    // the same in 32 bits
    int coarse_bits = 0;
    std::int64_t lowest = 0, highest = 0;
    Patterns patterns;
    bool few_patterns = false;
};

struct Engine::Scratch {
    std::vector<std::int64_t> chunk, losses, keys, weights;
    std::vector<double> doubles;
    std::vector<std::vector<std::int64_t>> tables;
    std::vector<std::int64_t> shift;
    std::vector<float> ratios;
    std::vector<std::uint16_t> codes;  // of sparse columns, spread out
    std::vector<double> fine_ratios;
    RankScratch rank;

    explicit Scratch(int n_classes)
        : chunk(n_classes * kChunk), losses(kChunk), doubles((n_classes + 2) * kChunk) {}
};

}  // namespace bayesieve
