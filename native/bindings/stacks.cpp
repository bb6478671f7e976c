// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "arrays.hpp"
#include "bayesieve/shapes/class_stack.hpp"
#include "bayesieve/shapes/log_odds_stack.hpp"
#include "bayesieve/shapes/row_losses.hpp"
#include "bayesieve/shapes/stack_descent.hpp"

namespace bayesieve_python {
namespace {

bayesieve::StackRows stack_rows(const Array& scores, const Array& target, const Array& weights, double unit) {
    require(scores.ndim() == 3 && scores.dtype() == nb::dtype<double>() && c_contiguous(scores),
            "scores must be a contiguous float64 array of members, rows and classes");
    const std::size_t n_rows = scores.shape(1), n_classes = scores.shape(2);
    const auto* y =
        vector_of<std::int64_t>(target, n_rows, "target must be an int64 vector, an entry per row");
    require(std::all_of(y, y + n_rows,
                        [&](std::int64_t c) { return 0 <= c && c < static_cast<std::int64_t>(n_classes); }),
            "target must be numbers of classes");
    return {scores.shape(0),
            n_rows,
            n_classes,
            static_cast<const double*>(scores.data()),
            y,
            vector_of<double>(weights, n_rows, "weights must be a float64 vector, an entry per row"),
            unit};
}

nb::object stack_sums(const nb::tuple& problem, const Array& a, const Array& b) {
    require(problem.size() == 4, "a problem must be scores, target, weights and unit");
    const auto scores = nb::cast<Array>(problem[0]), target = nb::cast<Array>(problem[1]);
    const auto weights = nb::cast<Array>(problem[2]);
    const auto rows = stack_rows(scores, target, weights, nb::cast<double>(problem[3]));
    const auto* own = vector_of<double>(a, rows.n_members, "a must be a float64 vector, one per member");
    const auto* start = vector_of<double>(b, rows.n_classes, "b must be a float64 vector, one per class");
    const std::size_t j = rows.n_members, q = rows.n_classes;
    std::int64_t* out = nullptr;
    nb::object result = zeros(nb::make_tuple(1 + j + q + q + j * j + j * q), "int64", out);
    {
        nb::gil_scoped_release release;
        bayesieve::stack_sums(rows, own, start, out);
    }
    return result;
}

nb::object log_odds_sums(const nb::tuple& problem, const Array& a, double b) {
    require(problem.size() == 4, "a problem must be scores, target, weights and unit");
    const auto scores = nb::cast<Array>(problem[0]), target = nb::cast<Array>(problem[1]);
    const auto weights = nb::cast<Array>(problem[2]);
    const auto* own = matrix_of<double>(scores, "scores must be a contiguous float64 matrix");
    const std::size_t n = scores.shape(0), n_rows = scores.shape(1);
    const bayesieve::LogOddsRows rows = {
        n,
        n_rows,
        own,
        vector_of<double>(target, n_rows, "target must be a float64 vector, an entry per row"),
        vector_of<double>(weights, n_rows, "weights must be a float64 vector, an entry per row"),
        nb::cast<double>(problem[3])};
    const auto* factors = vector_of<double>(a, n, "a must be a float64 vector, one per member");
    std::int64_t* out = nullptr;
    nb::object result = zeros(nb::make_tuple(4 + 2 * n + n * n), "int64", out);
    {
        nb::gil_scoped_release release;
        bayesieve::log_odds_sums(rows, factors, b, out);
    }
    return result;
}

nb::object row_losses(const Array& log_odds, const Array& target) {
    const std::size_t n = log_odds.size();
    const auto* scores = vector_of<double>(log_odds, n, "log_odds must be a contiguous float64 vector");
    const auto* classes = vector_of<double>(target, n, "target must be a float64 vector, one entry per row");
    double* losses = nullptr;
    nb::object result = allocate("empty", nb::make_tuple(n), "float64", losses);
    nb::gil_scoped_release release;
    bayesieve::row_losses(scores, classes, n, losses);
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

}  // namespace

void bind_stacks(nb::module_& module) {
    module.def("row_losses", &row_losses, nb::arg("log_odds"), nb::arg("target"));
    module.def("softmax", &softmax, nb::arg("scores"));
    module.def("stack_sums", &stack_sums, nb::arg("problem"), nb::arg("a"), nb::arg("b"));
    module.def("log_odds_sums", &log_odds_sums, nb::arg("problem"), nb::arg("a"), nb::arg("b"));
    module.def("descend_stack", &descend_stack, nb::arg("problem"), nb::arg("slope"), nb::arg("curvature"),
               nb::arg("tolerance"), nb::arg("sweeps"));
}

}  // namespace bayesieve_python
