// SPDX-License-Identifier: BSD-3-Clause
// How the rows of one segment get their evidence: what an engine needs of a model.
//
// Exact measures need the evidence that rows have, or would have after some changes. Scans need, for the rows
// of a class, beliefs per row and a table per column, such that a kernel's sum over rows bounds the sum of
// losses. Where evidence is a sum of table entries, the kernel multiplies beliefs by ratios (see
// kernels.hpp); any other model has two beliefs per row, and a kernel that sums a function of
//
//     first + second x table[code].
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "bayesieve/engine/segment.hpp"
#include "bayesieve/kernels/kernels.hpp"

namespace bayesieve {

struct Interval {
    double middle, radius;
};

// The tables of some changes, which a model may have ready before it visits rows.
using ChangeTables = std::vector<const std::int64_t*>;

class RowModel {
  public:
    explicit RowModel(const Segment& segment)
        : segment_(segment), evidence_(segment.n_classes * segment.n_rows) {}
    virtual ~RowModel() = default;

    // The present evidence: (n_classes, n_rows).
    const std::vector<std::int64_t>& evidence() const { return evidence_; }
    // Whether evidence is a sum of table entries.
    virtual bool adds_up() const { return false; }

    virtual void reset() = 0;  // all weights become 0
    virtual void apply(const std::vector<Change>& changes) = 0;
    // All that the state depends on.
    virtual std::vector<std::int64_t> snapshot() const = 0;
    virtual bool accepts(const std::int64_t* token, std::size_t n) const = 0;
    virtual void restore(const std::int64_t* token, std::size_t n) = 0;

    virtual ChangeTables tables(const std::vector<Change>& changes,
                                std::vector<std::vector<std::int64_t>>& scratch) const = 0;
    // Evidence of rows begin .. begin + n - 1, n <= kChunk, after some changes with these tables: OUT
    // (n_classes, kChunk).
    virtual void changed_evidence(const std::vector<Change>& changes, const ChangeTables& tables,
                                  std::size_t begin, std::size_t n, std::int64_t* out) const = 0;
    // Log-odds of two classes after some changes: IN and OUT (n_rows).
    virtual void changed_log_odds(const std::vector<std::int64_t>& log_odds,
                                  const std::vector<Change>& changes, const ChangeTables& tables,
                                  std::vector<std::int64_t>& out) const;

    // The kernel whose scan serves for a loss; Loss::none if there is none.
    virtual Loss scanned(Loss loss) const = 0;
    // Called once before the first scan.
    virtual void prepare_scans() {}
    // Beliefs of the rows of class y: OUT (n_classes, stride). Returns the share of the loss that no
    // candidate changes.
    virtual double fill(Loss loss, int y, float* out, std::size_t stride) const = 0;
    virtual double fill(Loss loss, int y, double* out, std::size_t stride) const = 0;
    // The candidate as the scan of class y takes it; a table that is not ready goes to `room`, which moves
    // on. Sets `extreme` if it cannot be scanned safely.
    virtual ScanColumn scan_column(Loss loss, const Change& change, int y, float*& room,
                                   std::vector<std::int64_t>& scratch, bool& extreme) const = 0;
    // The same in float64, its table in `room`.
    virtual FineColumn fine_column(Loss loss, const Change& change, int y, std::vector<double>& room,
                                   std::vector<std::int64_t>& scratch, bool& extreme) const = 0;
    // Bounds of the sum of losses of rows of some mass, given the sum of a scan.
    virtual Interval interval(Loss loss, const ScanSum& sum, const ScanBound& bound, double mass,
                              double base) const = 0;

  protected:
    void copy_evidence(std::size_t begin, std::size_t n, std::int64_t* out) const {
        for (int c = 0; c < segment_.n_classes; ++c)
            std::copy_n(evidence_.data() + c * segment_.n_rows + begin, n, out + c * kChunk);
    }

    const Segment& segment_;
    std::vector<std::int64_t> evidence_;
};

// Makes the model's state for a segment, which must outlive it.
using MakeRows = std::function<std::unique_ptr<RowModel>(const Segment&)>;

// Evidence is the start plus the sum of the columns' table entries, times their weights: naive Bayes.
std::unique_ptr<RowModel> make_additive_rows(const Segment& segment);

}  // namespace bayesieve
