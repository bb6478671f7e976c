// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/pairs/cell_sums.hpp"

#include <algorithm>
#include <vector>

#include "bayesieve/elementary.hpp"
#include "bayesieve/pool.hpp"

namespace bayesieve {
namespace {

constexpr std::size_t kCells = kPairBins * kPairBins;
constexpr std::size_t kPairsPerTask = 8;
constexpr std::size_t kRowsInCache = 4096;  // their derivatives serve all pairs of a task
constexpr std::size_t kRowsPerTask = 16384;
constexpr std::size_t kBatch = 256;
constexpr double kLargestLogOdds = 500.0;

void add_cells(const std::uint8_t* a, const std::uint8_t* b, const RowSlopes& slopes, std::size_t begin,
               std::size_t end, std::int64_t* sums) {
    for (std::size_t i = begin; i < end; ++i) {
        std::int64_t* cell = sums + (a[i] * kPairBins + b[i]) * 2;
        cell[0] += slopes.gradient[i];
        cell[1] += slopes.curvature[i];
    }
}

// Derivatives and losses of a batch of rows, in the order of src/bayesieve/engine/pairs/pair_rows.py; loops
// without branches, so that compilers vectorize them.
struct Derivatives {
    double log_odds[kBatch], sign[kBatch];  // sign: 1 in rows of class 1, else -1
    std::int64_t gradient[kBatch], curvature[kBatch], loss[kBatch];

    void compute(std::size_t n, double gradient_steps, double loss_steps) {
        for (std::size_t i = 0; i < n; ++i) {
            const double x = log_odds[i], distance = x < 0.0 ? -x : x;
            const double size = distance < kLargestLogOdds ? distance : kLargestLogOdds;
            const double e = exp_nonpositive(-size);
            const double likely = 1.0 / (1.0 + e), unlikely = e * likely;
            const bool is_wrong = (x < 0.0) == (sign[i] > 0.0);
            const double error = is_wrong ? likely : unlikely;
            gradient[i] = nearest_integer((sign[i] * error) * gradient_steps);
            curvature[i] = nearest_integer((unlikely * likely) * gradient_steps);
            loss[i] = nearest_integer(((is_wrong ? size : 0.0) - log_positive(likely)) * loss_steps);
        }
    }
};

class FoldScratch {
  public:
    explicit FoldScratch(const FoldTables& tables)
        : tables_(tables),
          n_cells_(tables.n_a * tables.n_b),
          sums(tables.n_tables * n_cells_ * 2, 0),
          losses(tables.n_tables, 0) {}

    void add(const FoldRows& rows, std::size_t begin, std::size_t end) {
        const std::size_t n = end - begin;
        for (std::size_t i = 0; i < n; ++i) {
            cells_[i] = rows.a[begin + i] * tables_.n_b + rows.b[begin + i];
            batch_.sign[i] = rows.is_positive[begin + i] != 0 ? 1.0 : -1.0;
        }
        for (std::size_t k = 0; k < tables_.n_tables; ++k) {
            const double* table = tables_.tables + k * n_cells_;
            for (std::size_t i = 0; i < n; ++i)
                batch_.log_odds[i] = rows.log_odds[begin + i] + table[cells_[i]];
            batch_.compute(n, tables_.gradient_steps, tables_.loss_steps);
            std::int64_t* out = sums.data() + k * n_cells_ * 2;
            for (std::size_t i = 0; i < n; ++i) {
                if (rows.fold[begin + i] == k) continue;
                const std::int64_t weight = rows.weights[begin + i];
                out[cells_[i] * 2] += batch_.gradient[i] * weight;
                out[cells_[i] * 2 + 1] += batch_.curvature[i] * weight;
                losses[k] += batch_.loss[i] * weight;
            }
        }
    }

  private:
    FoldTables tables_;
    std::size_t n_cells_;
    std::size_t cells_[kBatch] = {};
    Derivatives batch_{};

  public:
    std::vector<std::int64_t> sums, losses;
};

}  // namespace

void pair_sums(const PairCodes& codes, const std::int64_t* pairs, std::size_t n_pairs,
               const RowSlopes& slopes, std::int64_t* sums, const Threads& threads) {
    const auto add = [&](std::size_t first, std::size_t last, int) {
        for (std::size_t begin = 0; begin < codes.n_rows; begin += kRowsInCache) {
            const std::size_t end = std::min(codes.n_rows, begin + kRowsInCache);
            for (std::size_t k = first; k < last; ++k) {
                const std::uint8_t* a = codes.codes + static_cast<std::size_t>(pairs[2 * k]) * codes.n_rows;
                const std::uint8_t* b =
                    codes.codes + static_cast<std::size_t>(pairs[2 * k + 1]) * codes.n_rows;
                add_cells(a, b, slopes, begin, end, sums + k * kCells * 2);
            }
        }
    };
    run_blocks(n_pairs, kPairsPerTask, threads.n_threads, add, threads.poll);
}

void fold_sums(const FoldRows& rows, const FoldTables& tables, std::int64_t* sums, std::int64_t* losses,
               const Threads& threads) {
    const auto n_threads = static_cast<std::size_t>(std::max(1, threads.n_threads));
    std::vector<FoldScratch> scratch;
    for (std::size_t t = 0; t < n_threads; ++t) scratch.emplace_back(tables);
    const auto add = [&](std::size_t begin, std::size_t end, int thread) {
        for (std::size_t i = begin; i < end; i += kBatch)
            scratch[static_cast<std::size_t>(thread)].add(rows, i, std::min(end, i + kBatch));
    };
    run_blocks(rows.n_rows, kRowsPerTask, threads.n_threads, add, threads.poll);
    for (const FoldScratch& part : scratch) {
        for (std::size_t i = 0; i < part.sums.size(); ++i) sums[i] += part.sums[i];
        for (std::size_t k = 0; k < part.losses.size(); ++k) losses[k] += part.losses[k];
    }
}

}  // namespace bayesieve
