// SPDX-License-Identifier: BSD-3-Clause
// Between tables of evidence and what the kernels take.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bayesieve/engine/row_model.hpp"
#include "bayesieve/engine/segment.hpp"
#include "bayesieve/kernels/kernels.hpp"
#include "bayesieve/wide.hpp"
#include "sparse_column.hpp"

namespace bayesieve {

constexpr std::size_t kFewPatterns = 1024, kFewCells = 8192;

// Adds a column's table to the evidence (n_classes, stride) of rows begin .. begin + n - 1.
inline void add_column(const CodeColumn& column, const std::int64_t* table, int n_classes, std::size_t begin,
                       std::size_t n, std::int64_t* evidence, std::size_t stride) {
    if (column.is_sparse()) {
        add_entries(column.entries, table, n_classes, begin, n, evidence, stride);
        return;
    }
    if (column.narrow != nullptr) {
        kernels().shift(column.narrow + begin, table, column.n_used, n_classes, n, evidence, stride);
        return;
    }
    const std::uint16_t* codes = column.wide + begin;
    for (int c = 0; c < n_classes; ++c) {
        std::int64_t* e = evidence + c * stride;
        for (std::size_t i = 0; i < n; ++i) e[i] += table[codes[i] * static_cast<std::size_t>(n_classes) + c];
    }
}

// Weight of each code of a column that occurs, among the rows of class y.
void code_weights(const Segment& segment, const CodeColumn& column, int y,
                  std::vector<std::int64_t>& weights);

// Adds losses of n <= kChunk rows, times their weights (1 if nullptr).
void add_losses(const std::int64_t* losses, const std::int64_t* weights, std::size_t n, Wide& sum);

// Ranking keys of class c from evidence (n_classes, kChunk).
void rank_keys(const std::int64_t* evidence, int n_classes, int c, std::size_t n, std::int64_t* keys);

// Sum of weight times log-belief in the true class (relative to the strongest class), over the rows of class
// y.
double true_class_evidence(const Segment& segment, const std::int64_t* evidence, int y);

// exp(table[v][m] - table[v][y]) for each code, true class y and wrong class m, of columns of few codes and
// classes that are added, and the inverses for those that are dropped.
class RatioCache {
  public:
    void build(const Segment& segment);
    // nullptr if the change is not cached.
    const float* find(const Change& change, int y) const;
    bool extreme(std::int32_t column) const { return extreme_[column] != 0; }
    static std::size_t table_stride(int n_used) { return n_used <= 8 ? 8 : kSmallTable; }

  private:
    std::vector<std::int64_t> place_;  // of each column's tables; -1 if not cached
    std::vector<char> extreme_;
    std::vector<float> added_, dropped_;
    std::vector<std::size_t> size_;  // floats of one true class's tables
};

// Columns of at most 16 codes at 1 or 4 bits per row, as ScanColumn wants them.
class PackedCodes {
  public:
    void build(const Segment& segment);
    // Adds what there is of a column's rows of class y.
    void find(std::int32_t column, int y, ScanColumn& out) const;

  private:
    void pack(const Segment& segment, std::size_t j, int y);

    std::vector<std::int64_t> place_;  // of each column's lanes; -1 if not packed
    std::vector<int> bits_;
    std::vector<std::size_t> first_word_[5];  // of each class, by bits
    std::vector<std::uint32_t> lanes_;
};

// Number of floats that a scan may need for some columns.
std::size_t ratio_room(const Segment& segment, const std::int32_t* columns, std::size_t n);

// Codes of a column's rows of class y, and where its ratios are; a small table has room for whole registers.
template <typename Real>
ColumnOf<Real> plain_column(const Segment& segment, std::int32_t j, int y, const Real* ratios);

// The candidate as the scan of class y wants it; tables that are not cached go to `room`, which moves on.
// Ratios beyond 2^60, or 2^40 of several wrong classes, cannot be scanned safely: they set `extreme`.
ScanColumn ratio_column(const Segment& segment, const RatioCache& cache, const Change& change, int y,
                        float*& room, std::vector<std::int64_t>& scratch, bool& extreme);

// The same in float64, its ratios in `ratios`.
FineColumn fine_ratio_column(const Segment& segment, const Change& change, int y, std::vector<double>& ratios,
                             std::vector<std::int64_t>& scratch, bool& extreme);

// Bounds of the true sum of losses, given the sums of a scan, in units of loss.
Interval loss_interval(Loss loss, const ScanSum& sum, const ScanBound& bound, double mass, double base);

}  // namespace bayesieve
