// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <vector>

#include "additive_arrays.hpp"
#include "arrays.hpp"
#include "bayesieve/additive/losses.hpp"
#include "bayesieve/additive/stack.hpp"
#include "bayesieve/additive/stacked_sums.hpp"

namespace bayesieve_python {
namespace {

// problem: scores (n_members, n_rows, n_scores), target, weights and unit.
nb::object stack_sums(const char* loss, const nb::tuple& problem, const Array& a, const Array& b) {
    require(problem.size() == 4, "a problem must be scores, target, weights and unit");
    const auto scores = nb::cast<Array>(problem[0]), target = nb::cast<Array>(problem[1]);
    const auto weights = nb::cast<Array>(problem[2]);
    require(scores.ndim() == 3 && scores.dtype() == nb::dtype<double>() && c_contiguous(scores),
            "scores must be a contiguous float64 array of members, rows and scores");
    const std::size_t j = scores.shape(0), n_rows = scores.shape(1), q = scores.shape(2);
    const bayesieve::StackRows rows = {
        j,
        n_rows,
        q,
        static_cast<const double*>(scores.data()),
        vector_of<double>(target, n_rows, "target must be a float64 vector, an entry per row"),
        vector_of<double>(weights, n_rows, "weights must be a float64 vector, an entry per row"),
        nb::cast<double>(problem[3])};
    const auto kept = loss_of(loss, q);
    const bayesieve::AdditiveLoss& own = *kept;
    require_classes(rows.target, n_rows, q);
    const auto* of_members = vector_of<double>(a, j, "a must be a float64 vector, one per member");
    const auto* start = vector_of<double>(b, q, "b must be a float64 vector, one per score");
    std::int64_t* out = nullptr;
    nb::object result = zeros(nb::make_tuple(2 + j + 2 * q + j * j + j * q), "int64", out);
    nb::gil_scoped_release release;
    bayesieve::stack_sums(own, rows, of_members, start, out);
    return result;
}

nb::object row_losses(const char* loss, const Array& scores, const Array& target) {
    const auto* z = matrix_of<double>(scores, "scores must be a contiguous float64 matrix");
    const std::size_t n = scores.shape(0), n_scores = scores.shape(1);
    const auto kept = loss_of(loss, n_scores);
    const bayesieve::AdditiveLoss& own = *kept;
    const auto* truth = vector_of<double>(target, n, "target must be a float64 vector, one entry per row");
    require_classes(truth, n, n_scores);
    double* losses = nullptr;
    nb::object result = allocate("empty", nb::make_tuple(n), "float64", losses);
    nb::gil_scoped_release release;
    own.row_losses(z, truth, n, n_scores, losses);
    return result;
}

// Probabilities of rows, their largest scores, and the logarithms of the sums of exponentials less these.
nb::tuple softmax(const Array& scores) {
    const auto* z = matrix_of<double>(scores, "scores must be a contiguous float64 matrix");
    const std::size_t n = scores.shape(0), n_classes = scores.shape(1);
    require(n_classes > 0, "scores must be those of a class at least");
    double *p = nullptr, *top = nullptr, *log_total = nullptr;
    nb::object probabilities = zeros(nb::make_tuple(n, n_classes), "float64", p);
    nb::object tops = zeros(nb::make_tuple(n), "float64", top);
    nb::object log_totals = zeros(nb::make_tuple(n), "float64", log_total);
    std::copy_n(z, n * n_classes, p);
    constexpr std::size_t n_rows = 64;  // at a time
    for (std::size_t i = 0; i < n; i += n_rows)
        bayesieve::softmax(p + i * n_classes, std::min(n_rows, n - i), n_classes, top + i, log_total + i);
    return nb::make_tuple(probabilities, tops, log_totals);
}

// problem: gradient, hessian, curvatures with the intercept, weights.
nb::tuple descend_stack(const nb::tuple& problem, double slope, double curvature, double tolerance,
                        int sweeps) {
    require(problem.size() == 4, "a problem must be four arrays");
    const auto gradient = nb::cast<Array>(problem[0]), hessian = nb::cast<Array>(problem[1]);
    const auto with_start = nb::cast<Array>(problem[2]), weights = nb::cast<Array>(problem[3]);
    const auto* h = matrix_of<double>(hessian, "hessian must be a contiguous float64 matrix");
    const std::size_t n = hessian.shape(0);
    require(hessian.shape(1) == n, "hessian must be square");
    const char* message = "a vector of the problem must have one float64 per weight";
    const bayesieve::StackQuadratic checked = {n,
                                               vector_of<double>(gradient, n, message),
                                               h,
                                               vector_of<double>(with_start, n, message),
                                               slope,
                                               curvature,
                                               vector_of<double>(weights, n, message)};
    double* change = nullptr;
    nb::object result = zeros(nb::make_tuple(n), "float64", change);
    const double shift = bayesieve::descend_stack(checked, tolerance, sweeps, change);
    return nb::make_tuple(result, shift);
}

// Fits and tables of pairs, whose arrays live as long as this.
class CheckedModel {
  public:
    CheckedModel(const bayesieve::AdditiveRows& rows, double intercept)
        : rows_(rows), model{{}, {}, intercept} {}

    // fits: intercept, weight, tables and variances of each.
    void add_fits(const nb::tuple& fits) {
        const std::size_t n_bins = rows_.n_bins();
        for (const auto& each : fits) {
            const auto fit = nb::cast<nb::tuple>(each);
            require(fit.size() == 4, "a fit must be intercept, weight, tables and variances");
            const auto own = nb::cast<Array>(fit[2]), variances = nb::cast<Array>(fit[3]);
            const auto* values =
                vector_of<double>(own, n_bins, "tables must be a float64 vector, an entry per bin");
            const auto* spread = vector_of<double>(variances, variances.size() == 0 ? 0 : n_bins,
                                                   "variances must be a float64 vector, an entry per bin");
            model.fits.push_back({nb::cast<double>(fit[0]), nb::cast<double>(fit[1]), values,
                                  variances.size() == 0 ? nullptr : spread});
            held_.push_back(own), held_.push_back(variances);
            n_sums += n_bins + 1;
        }
    }

    // cells (n_pairs, n_rows), and the table of each pair.
    void add_pairs(const Array& cells, const nb::tuple& tables) {
        const auto* of_rows = matrix_of<std::uint16_t>(cells, "cells must be a contiguous uint16 matrix");
        require(cells.shape(0) == tables.size() && cells.shape(1) == rows_.n_rows,
                "cells must have a row per pair, and a number per row");
        for (std::size_t k = 0; k < tables.size(); ++k) {
            const auto table = nb::cast<Array>(tables[k]);
            const auto* values =
                vector_of<double>(table, table.size(), "the table of a pair must be a float64 vector");
            const auto* own = of_rows + k * rows_.n_rows;
            require(bayesieve::codes_below(own, rows_.n_rows, static_cast<std::int64_t>(table.size())),
                    "cells must be smaller than their number");
            model.pairs.push_back({own, values, table.size()});
            held_.push_back(table);
            n_sums += table.size();
        }
    }

  private:
    const bayesieve::AdditiveRows& rows_;
    std::vector<Array> held_;

  public:
    bayesieve::StackedModel model;
    std::size_t n_sums = 1;
};

nb::tuple stacked_sums(const char* loss, const nb::tuple& arrays, double unit, const nb::tuple& fits,
                       const Array& cells, const nb::tuple& tables, double intercept) {
    const std::vector<Array> kept = row_arrays(arrays);
    const bayesieve::AdditiveRows rows = raw_rows(kept, unit);
    const auto found = loss_of(loss, 1);
    const auto& with_one_score = static_cast<const bayesieve::ScoreLoss&>(*found);
    CheckedModel checked(rows, intercept);
    checked.add_fits(fits);
    checked.add_pairs(cells, tables);
    std::int64_t *sums = nullptr, total_loss = 0;
    double* scores = nullptr;
    nb::object result = zeros(nb::make_tuple(checked.n_sums, 2), "int64", sums);
    nb::object total = zeros(nb::make_tuple(rows.n_rows), "float64", scores);
    {
        nb::gil_scoped_release release;
        total_loss = bayesieve::stacked_sums(rows, with_one_score, checked.model, sums, scores);
    }
    return nb::make_tuple(result, total, total_loss);
}

}  // namespace

void bind_stacks(nb::module_& module) {
    module.def("row_losses", &row_losses, nb::arg("loss"), nb::arg("scores"), nb::arg("target"));
    module.def("softmax", &softmax, nb::arg("scores"));
    module.def("stack_sums", &stack_sums, nb::arg("loss"), nb::arg("problem"), nb::arg("a"), nb::arg("b"));
    module.def("stacked_sums", &stacked_sums, nb::arg("loss"), nb::arg("arrays"), nb::arg("unit"),
               nb::arg("fits"), nb::arg("cells"), nb::arg("tables"), nb::arg("intercept"));
    module.def("descend_stack", &descend_stack, nb::arg("problem"), nb::arg("slope"), nb::arg("curvature"),
               nb::arg("tolerance"), nb::arg("sweeps"));
}

}  // namespace bayesieve_python
