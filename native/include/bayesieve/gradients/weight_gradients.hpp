// Weights of columns by descent: how the log-likelihood changes with each weight, and the best penalised
// weights, with the bits of src/bayesieve/engine/weighing_reference.py and weighing_descent.py.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "bayesieve/engine/segment.hpp"
#include "bayesieve/wide.hpp"

namespace bayesieve {

class Weighing {
  public:
    using Poll = std::function<void()>;

    // unit: of the row weights; total: the weight of all rows, in rows, where these are a part of them, and
    // otherwise negative
    Weighing(std::vector<Segment> segments, double unit, int n_threads, double total = -1.0);

    std::size_t n_columns() const { return segments_[0].columns.size(); }
    std::size_t n_classes() const { return static_cast<std::size_t>(segments_[0].n_classes); }
    std::size_t n_channels() const { return n_classes() == 2 ? 1 : n_classes(); }
    std::size_t n_segments() const { return segments_.size(); }
    const std::vector<std::int64_t>& start() const { return start_; }
    const std::vector<double>& weights() const { return weights_; }

    // Believes in this start (n_classes) and these weights (n_columns).
    void reset(const std::int64_t* start, const double* weights, const Poll& poll);

    // First and second derivative of the log-likelihood in each column's weight; the second is negated,
    // bounded from above, and what a change of the start would take from it is taken off.
    void slopes(const std::int32_t* columns, std::size_t n, double* slopes, double* curvatures,
                const Poll& poll);

    // Newton steps, start and columns in turn, until none moves a weight by more than `tolerance` standard
    // errors; the log-likelihood less penalty x weight rises. Returns the number of rounds.
    int descend(const std::int32_t* columns, const double* penalties, std::size_t n, double tolerance,
                int most_rounds, const Poll& poll);

    // What a descent asks of rows that are a part of all. Sums of pulls by code, one column after the other,
    // in each segment: OUT (n_codes, n_channels, 2) each, zeros.
    void sums(const std::int32_t* columns, std::size_t n, std::int64_t* out, const Poll& poll);
    std::size_t sums_size(const std::int32_t* columns, std::size_t n) const;
    // Sums of pulls over all rows: OUT (n_channels, 2)
    void totals(std::int64_t* out);
    void shift(const Change& change, const Poll& poll);
    void shift_start(const std::int64_t* change, const Poll& poll);

    // -log P(true class) of each segment and class, in multiples of 2^-40: OUT (n_segments, n_classes)
    void losses(Wide* out) const;

  private:
    struct Slope {
        double slope, curvature, centred;
    };

    Slope slope_of(std::int32_t column, std::vector<std::int64_t>& sums, int n_threads,
                   const Poll& poll) const;
    void sum_pulls(std::size_t s, const CodeColumn& column, std::int64_t* sums, int n_threads,
                   const Poll& poll) const;
    void pull(std::size_t s, std::size_t begin, std::size_t end);
    void pull_all(const Poll& poll);
    void sum_totals();
    double descend_start(const Poll& poll);
    double descend_column(std::int32_t column, double penalty, std::vector<std::int64_t>& sums,
                          const Poll& poll);

    static constexpr double kFlattest = 1e-9;  // added to second derivatives

    std::vector<Segment> segments_;
    double scale_;  // a power of two: pulls are integers, multiples of 1 / scale_
    int n_threads_, row_threads_;
    std::vector<std::int64_t> start_;
    std::vector<double> weights_;
    std::vector<std::vector<std::int64_t>> evidence_;  // of each segment: (n_classes, n_rows)
    std::vector<std::vector<std::int64_t>> pulls_;     // (n_rows, n_channels, 2): residual, curvature
    std::vector<std::vector<std::int64_t>> totals_;    // sums of pulls: (n_channels, 2)
    bool totals_known_ = false, has_sparse_ = false;
    std::vector<std::vector<double>> row_scale_;
};

}  // namespace bayesieve
