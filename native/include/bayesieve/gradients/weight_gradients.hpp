// SPDX-License-Identifier: BSD-3-Clause
// Gradients of the log-likelihood in the weights of columns, and the best penalized weights by Newton steps;
// the same bits as the NumPy twin in src/bayesieve/engine.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "bayesieve/engine/segment.hpp"
#include "bayesieve/wide.hpp"

namespace bayesieve {

class WeightGradients {
  public:
    using Poll = std::function<void()>;
    static constexpr double kFlattest = 1e-9;  // added to second derivatives

    // Slope of the log-likelihood in a weight, a bound of its curvature, and that after the start has
    // followed.
    struct Slope {
        double slope, curvature, centered;
    };

    // unit: of the row weights; total: the weight of all rows, in rows, where these are only some of
    // them, and otherwise negative
    WeightGradients(std::vector<Segment> segments, double unit, int n_threads, double total = -1.0);

    std::size_t n_columns() const { return segments_[0].columns.size(); }
    std::size_t n_classes() const { return static_cast<std::size_t>(segments_[0].n_classes); }
    std::size_t n_channels() const { return n_classes() == 2 ? 1 : n_classes(); }
    std::size_t n_segments() const { return segments_.size(); }
    // Gradients are integers, multiples of 1 / scale: a power of two.
    double scale() const { return scale_; }
    const std::vector<std::int64_t>& start() const { return start_; }
    const std::vector<double>& weights() const { return weights_; }

    // Sets the start (n_classes) and the weights (n_columns).
    void reset(const std::int64_t* start, const double* weights, const Poll& poll);

    // First and second derivative of the log-likelihood in each column's weight, the second negated: OUT (n)
    void slopes(const std::int32_t* columns, std::size_t n, Slope* out, const Poll& poll);

    // Newton steps of start and weights, until one is shorter than `tolerance` standard errors; the
    // log-likelihood less penalty x weight rises. Returns the number of rounds.
    int descend(const std::int32_t* columns, const double* penalties, std::size_t n, double tolerance,
                int most_rounds, const Poll& poll);

    // For a descent over row blocks. Gradient histograms, one column after the other, in each segment: OUT
    // (n_codes, n_channels, 2) each, zeros.
    void sums(const std::int32_t* columns, std::size_t n, std::int64_t* out, const Poll& poll);
    std::size_t sums_size(const std::int32_t* columns, std::size_t n) const;
    // Sums of gradients over all rows: OUT (n_channels, 2)
    void totals(std::int64_t* out);
    // Adds to the start (n_classes) and changes the weights of some columns.
    void shift(const std::int64_t* start_change, const std::vector<Change>& changes, const Poll& poll);

    // A power of two that brings the largest score of a column between 1/2 and 1.
    double factor_of(std::int32_t column) const;
    // Minus the second derivatives in the start's channels and in the weights of columns, whose scores are
    // multiplied by their factors: OUT (n_channels + n, n_channels + n), zeros. They are sums of products of
    // integers, below 2^53; see RowGradients in src/bayesieve/search/engine/gradients/row_gradients.py.
    void products(const std::int32_t* columns, const double* factors, std::size_t n, std::int64_t* out,
                  const Poll& poll) const;

    // -log P(true class) of each segment and class, in multiples of 2^-40: OUT (n_segments, n_classes)
    void losses(Wide* out) const;

  private:
    Slope slope_of(std::int32_t column, std::vector<std::int64_t>& sums, int n_threads,
                   const Poll& poll) const;
    void add_histogram(std::size_t s, const CodeColumn& column, std::int64_t* sums, int n_threads,
                       const Poll& poll) const;
    const std::int64_t* channel_table(std::size_t s, const Change& change, std::vector<std::int64_t>& scratch,
                                      std::vector<std::int64_t>& leads) const;
    template <typename ChangeRows>
    void renew(std::size_t s, const Poll& poll, const ChangeRows& change);
    struct ProductRows;
    std::size_t fill_two(const ProductRows& columns, std::size_t begin, std::size_t n, double* rows) const;
    std::size_t fill_many(const ProductRows& columns, std::size_t begin, std::size_t n, double* rows) const;
    void find_gradients(std::size_t s, std::size_t begin, std::size_t end);
    void sum_totals();

    static constexpr std::size_t kTileRows = 16384;  // that a thread takes at a time

    std::vector<Segment> segments_;
    double scale_;
    int n_threads_, row_threads_;
    std::vector<std::int64_t> start_;
    std::vector<double> weights_;
    // Of each segment. The evidence of two classes is that of the second less that of the first.
    std::vector<std::vector<std::int64_t>> evidence_;   // (n_channels, n_rows)
    std::vector<std::vector<std::int64_t>> gradients_;  // (n_rows, n_channels, 2): gradient, hessian
    std::vector<std::vector<std::int64_t>> totals_;     // sums of gradients: (n_channels, 2)
    bool totals_known_ = false, has_sparse_ = false;
    std::vector<std::vector<double>> row_scale_;  // (n_rows), or a chunk of equal ones
};

}  // namespace bayesieve
