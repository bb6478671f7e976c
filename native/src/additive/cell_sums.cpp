// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/additive/cell_sums.hpp"

#include <algorithm>
#include <vector>

#include "bayesieve/kernels/kernels.hpp"
#include "bayesieve/pool.hpp"

namespace bayesieve {
namespace {

constexpr std::size_t kCells = kPairBins * kPairBins;
constexpr std::size_t kPairsPerTask = 8;
constexpr std::size_t kRowsInCache = 4096;  // their derivatives serve all pairs of a task
constexpr std::size_t kRowsPerTask = 16384;
constexpr std::size_t kBatch = kChunk;

void add_cells(const std::uint8_t* a, const std::uint8_t* b, const RowSlopes& slopes, std::size_t begin,
               std::size_t end, std::int64_t* sums) {
    for (std::size_t i = begin; i < end; ++i) {
        std::int64_t* cell = sums + (a[i] * kPairBins + b[i]) * 2;
        cell[0] += slopes.gradient[i];
        cell[1] += slopes.curvature[i];
    }
}

// Derivatives and losses of a batch of rows.
class DerivativeBatch {
  public:
    DerivativeBatch(const AdditiveLoss& loss, std::size_t n_scores)
        : loss_(loss),
          n_scores_(n_scores),
          scores(kBatch * n_scores),
          gradient(kBatch * n_scores),
          curvature(kBatch * n_scores) {}

    void compute(const double* target, std::size_t n, const DerivativeSteps& steps) {
        loss_.derivatives(target, n, n_scores_, steps,
                          {scores.data(), gradient.data(), curvature.data(), losses});
    }

  private:
    const AdditiveLoss& loss_;
    std::size_t n_scores_;

  public:
    std::vector<double> scores;  // (n, n_scores), overwritten
    std::vector<std::int64_t> gradient, curvature;
    std::int64_t losses[kBatch] = {};
};

class FoldScratch {
  public:
    FoldScratch(const AdditiveLoss& loss, const FoldTables& tables, std::size_t n_scores)
        : tables_(tables),
          n_cells_(tables.n_a * tables.n_b),
          n_scores_(n_scores),
          batch_(loss, n_scores),
          sums(tables.n_tables * n_cells_ * n_scores * 2, 0),
          losses(tables.n_tables, 0) {}

    void add(const FoldRows& rows, std::size_t begin, std::size_t end) {
        const std::size_t n = end - begin;
        for (std::size_t i = 0; i < n; ++i) cells_[i] = rows.a[begin + i] * tables_.n_b + rows.b[begin + i];
        for (std::size_t k = 0; k < tables_.n_tables; ++k) {
            const double *table = tables_.tables + k * n_cells_ * n_scores_,
                         *scores = rows.scored.scores + begin * n_scores_;
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t q = 0; q < n_scores_; ++q)
                    batch_.scores[i * n_scores_ + q] =
                        scores[i * n_scores_ + q] + table[cells_[i] * n_scores_ + q];
            batch_.compute(rows.scored.target + begin, n, tables_.steps);
            std::int64_t* out = sums.data() + k * n_cells_ * n_scores_ * 2;
            for (std::size_t i = 0; i < n; ++i) {
                if (rows.fold[begin + i] == k) continue;
                const std::int64_t weight = rows.scored.weights[begin + i];
                std::int64_t* cell = out + cells_[i] * n_scores_ * 2;
                for (std::size_t q = 0; q < n_scores_; ++q) {
                    cell[2 * q] += batch_.gradient[i * n_scores_ + q] * weight;
                    cell[2 * q + 1] += batch_.curvature[i * n_scores_ + q] * weight;
                }
                losses[k] += batch_.losses[i] * weight;
            }
        }
    }

  private:
    FoldTables tables_;
    std::size_t n_cells_, n_scores_;
    std::size_t cells_[kBatch] = {};
    DerivativeBatch batch_;

  public:
    std::vector<std::int64_t> sums, losses;
};

}  // namespace

bool all_below(const std::uint8_t* codes, std::size_t n, std::size_t limit) {
    std::uint8_t top = 0;
    for (std::size_t i = 0; i < n; ++i) top = codes[i] > top ? codes[i] : top;
    return n == 0 || top < limit;
}

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

void row_derivatives(const AdditiveLoss& loss, const ScoredRows& rows, const DerivativeSteps& steps,
                     std::int64_t* gradient, std::int64_t* curvature, std::int64_t* losses) {
    DerivativeBatch batch(loss, rows.n_scores);
    for (std::size_t begin = 0; begin < rows.n_rows; begin += kBatch) {
        const std::size_t n = std::min(kBatch, rows.n_rows - begin);
        std::copy_n(rows.scores + begin * rows.n_scores, n * rows.n_scores, batch.scores.data());
        batch.compute(rows.target + begin, n, steps);
        for (std::size_t i = 0; i < n; ++i) {
            const std::int64_t weight = rows.weights[begin + i];
            losses[begin + i] = batch.losses[i] * weight;
            for (std::size_t q = 0; q < rows.n_scores; ++q) {
                gradient[q * rows.n_rows + begin + i] = batch.gradient[i * rows.n_scores + q] * weight;
                curvature[q * rows.n_rows + begin + i] = batch.curvature[i * rows.n_scores + q] * weight;
            }
        }
    }
}

void fold_sums(const AdditiveLoss& loss, const FoldRows& rows, const FoldTables& tables, std::int64_t* sums,
               std::int64_t* losses, const Threads& threads) {
    const auto n_threads = static_cast<std::size_t>(std::max(1, threads.n_threads));
    std::vector<FoldScratch> scratch;
    for (std::size_t t = 0; t < n_threads; ++t) scratch.emplace_back(loss, tables, rows.scored.n_scores);
    const auto add = [&](std::size_t begin, std::size_t end, int thread) {
        for (std::size_t i = begin; i < end; i += kBatch)
            scratch[static_cast<std::size_t>(thread)].add(rows, i, std::min(end, i + kBatch));
    };
    run_blocks(rows.scored.n_rows, kRowsPerTask, threads.n_threads, add, threads.poll);
    for (const FoldScratch& part : scratch) {
        for (std::size_t i = 0; i < part.sums.size(); ++i) sums[i] += part.sums[i];
        for (std::size_t k = 0; k < part.losses.size(); ++k) losses[k] += part.losses[k];
    }
}

}  // namespace bayesieve
