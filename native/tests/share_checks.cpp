// SPDX-License-Identifier: BSD-3-Clause
#include "share_checks.hpp"

#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

#include "random_segments.hpp"

namespace bayesieve_test {
namespace {

using bayesieve::Loss;
using bayesieve::Measure;
using bayesieve::Wide;

struct Kind {
    Measure measure;
    Loss loss;
};
constexpr Kind kKinds[] = {{Measure::losses, Loss::log_loss},
                           {Measure::losses, Loss::error},
                           {Measure::pairs, Loss::none},
                           {Measure::refinement, Loss::none}};

bool same(const std::vector<Wide>& a, const std::vector<Wide>& b) {
    for (std::size_t i = 0; i < a.size(); ++i)
        if (a[i].low != b[i].low || a[i].high != b[i].high) return false;
    return a.size() == b.size();
}

// Two columns are there; single ones of each kind are added, and two together.
const std::vector<std::int32_t> kAdded = {2, kWide, kSparse, 2, kWide};
const std::vector<std::int64_t> kStarts = {0, 1, 2, 3, 5};
const std::vector<double> kBefore(5, 0.0), kAfter(5, 1.0);
const bayesieve::Moves kMoves = {kAdded.data(), kBefore.data(), kAfter.data(), kStarts.data(), 4};
const std::vector<bayesieve::Change> kBeginning = {{0, 0.0, 1.0}, {1, 0.0, 1.0}};

const char* share_fault(const std::vector<SegmentArrays>& arrays, const Kind& kind) {
    bayesieve::Engine one(laid_out(arrays), kind.measure, kind.loss, 0.0, 1);
    const std::size_t size = one.n_segments() * one.n_measures();
    std::vector<Wide> expected;
    for (std::size_t i = 0; i < kMoves.n; ++i) {
        std::vector<Wide> own(size);
        one.reset();
        one.apply(kBeginning);
        one.apply(kMoves.changes(i));
        one.measure(own.data());
        expected.insert(expected.end(), own.begin(), own.end());
    }
    for (const int n_threads : {1, 2, 3, 7}) {
        bayesieve::Engine engine(laid_out(arrays), kind.measure, kind.loss, 0.0, n_threads);
        engine.apply(kBeginning);
        for (const bool fresh : {false, true}) {
            if (fresh) engine.refresh(0);
            for (const std::size_t n : {1, 3, 4}) {
                bayesieve::Moves moves = kMoves;
                moves.n = n;
                std::vector<Wide> found(n * size);
                engine.measure(moves, found.data(), [] {});
                if (!same(found,
                          {expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(n * size)}))
                    return fresh ? "a measure of an estimated state differs" : "a measure differs";
            }
        }
    }
    return nullptr;
}

}  // namespace

int check_shares() {
    std::mt19937_64 random(31);
    int faults = 0;
    for (int k = 0; k < 10; ++k) {
        const int n_classes = k % 3 == 2 ? 3 : 2;
        const std::int64_t largest = std::int64_t{1} << (k % 4 == 3 ? 58 : 20 + random() % 24);
        std::vector<SegmentArrays> arrays;
        for (int s = 0; s <= k % 2; ++s) {
            arrays.push_back(random_segment(random, largest, kColumns, n_classes, 30000));
            if (k % 5 < 3) arrays.back().weights.assign(arrays.back().n_rows, 1);
        }
        for (const Kind& kind : kKinds)
            if (const char* fault = share_fault(arrays, kind))
                ++faults, std::printf("shares: %s, case %d\n", fault, k);
    }
    return faults;
}

}  // namespace bayesieve_test
