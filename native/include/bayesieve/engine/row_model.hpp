// A model whose evidence is no sum of table entries: what the engine asks of it, for one segment.
//
// Exact measures need the evidence that rows have, or would have after some changes. Scans need, for the rows
// of a class, two beliefs a row and a table a column, such that a kernel's sum over rows of a function of
//
//     first + second x table[code]
//
// tells the sum of losses; the model says which kernel, and what its sum means.
#pragma once
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

class RowModel {
  public:
    virtual ~RowModel() = default;

    // Lets columns of no weight speak, or changes weights, and writes the evidence (n_classes, n_rows) after
    // it.
    virtual void reset(std::int64_t* evidence) = 0;
    virtual void apply(const std::vector<Change>& changes, std::int64_t* evidence) = 0;
    // Evidence of rows begin .. begin + n - 1, n <= kChunk, after some changes: OUT (n_classes, kChunk).
    virtual void changed_evidence(const std::vector<Change>& changes, std::size_t begin, std::size_t n,
                                  std::int64_t* out) const = 0;
    // All that the state depends on.
    virtual std::vector<std::int64_t> snapshot() const = 0;
    virtual void restore(const std::vector<std::int64_t>& token, std::int64_t* evidence) = 0;

    // The kernel whose scan serves for a loss; Loss::none if there is none.
    virtual Loss scanned(Loss loss) const = 0;
    // Beliefs of the rows of class y: OUT (2, stride). Returns the part of the loss that no candidate
    // changes.
    virtual double fill(Loss loss, int y, float* out, std::size_t stride) const = 0;
    virtual double fill(Loss loss, int y, double* out, std::size_t stride) const = 0;
    // The table of a change for rows of class y; false if it cannot be scanned.
    virtual bool table(Loss loss, const Change& change, int y, std::size_t stride, float* out) const = 0;
    virtual bool table(Loss loss, const Change& change, int y, std::size_t stride, double* out) const = 0;
    // What a scan's sum says of the sum of losses of rows of some mass.
    virtual Interval interval(Loss loss, const ScanSum& sum, const ScanBound& bound, double mass,
                              double base) const = 0;
};

// Makes the model's state for a segment, which must outlive it; empty if evidence adds up.
using MakeRows = std::function<std::unique_ptr<RowModel>(const Segment&)>;

}  // namespace bayesieve
