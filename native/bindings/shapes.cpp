// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "bayesieve/shapes/class_shape_fit.hpp"
#include "bayesieve/shapes/merge.hpp"
#include "bayesieve/shapes/shape_fit.hpp"
#include "shape_arrays.hpp"

namespace bayesieve_python {
namespace {

std::vector<double> numbers(const Array& array, const char* sentence) {
    const auto* values = vector_of<double>(array, array.size(), sentence);
    return {values, values + array.size()};
}

nb::object copied(const std::vector<double>& values) {
    double* out = nullptr;
    nb::object array = zeros(nb::make_tuple(values.size()), "float64", out);
    std::copy(values.begin(), values.end(), out);
    return array;
}

// Rows and priors of a fit that is made last, of two classes or of more.
template <typename Fit>
class AnyShapeFit {
  public:
    AnyShapeFit(const nb::tuple& arrays, double unit, const nb::tuple& priors)
        : kept_(shape_arrays(arrays)), rows_(raw_rows(kept_, unit)) {
        require(priors.size() == 4, "priors must be walks, lines, categories and curve");
        priors_.walks = numbers(nb::cast<Array>(priors[0]), "walks must be a float64 vector");
        priors_.lines = numbers(nb::cast<Array>(priors[1]), "lines must be a float64 vector");
        priors_.categories = numbers(nb::cast<Array>(priors[2]), "categories must be a float64 vector");
        priors_.curve = nb::cast<double>(priors[3]);
    }

    nb::object evidence(const Array& columns, const Array& numeric, const Array& nominal) {
        const auto* wanted = positions(columns);
        const auto [first, second] = weights(numeric, nominal);
        double* out = nullptr;
        nb::object result = zeros(nb::make_tuple(columns.size()), "float64", out);
        {
            nb::gil_scoped_release release;
            fit_->evidence(wanted, columns.size(), first, second, out);
        }
        return result;
    }

    nb::tuple cycle(const Array& columns, const Array& numeric, const Array& nominal) {
        const auto* wanted = positions(columns);
        const auto [first, second] = weights(numeric, nominal);
        double *numeric_sums = nullptr, *nominal_sums = nullptr, moved = 0.0;
        nb::object a = zeros(nb::make_tuple(numeric.size()), "float64", numeric_sums);
        nb::object b = zeros(nb::make_tuple(nominal.size()), "float64", nominal_sums);
        {
            nb::gil_scoped_release release;
            moved = fit_->cycle(wanted, columns.size(), first, second, numeric_sums, nominal_sums);
        }
        return nb::make_tuple(moved, a, b);
    }

    nb::object tables() const { return copied(fit_->tables()); }

    nb::object sums() {
        std::int64_t* out = nullptr;
        nb::object result = zeros(nb::make_tuple(fit_->tables().size() + n_scores_, 2), "int64", out);
        {
            nb::gil_scoped_release release;
            fit_->sums(out);
        }
        return result;
    }

    void correct(const Array& slopes, const Array& least) {
        const std::size_t n = fit_->tables().size() + n_scores_;
        const auto* added =
            vector_of<std::int64_t>(slopes, n, "slopes: an int64 entry per bin, then per score");
        const auto* lowest =
            vector_of<std::int64_t>(least, n, "least: an int64 entry per bin, then per score");
        fit_->correct({{added, added + n}, {lowest, lowest + n}});
    }

  protected:
    void check(std::size_t begin, std::size_t end) const {
        require(begin <= end && end <= rows_.n_rows && end - begin < rows_.n_rows,
                "held-out rows must leave training rows");
    }

    void check_range(std::size_t begin, std::size_t end) const {
        require(begin <= end && end <= rows_.n_rows, "rows must be a range of those that there are");
    }

    std::vector<Array> kept_;
    bayesieve::ShapeRows rows_;
    bayesieve::ShapePriors priors_;
    std::unique_ptr<Fit> fit_;
    std::size_t n_scores_ = 1;  // of a row

  private:
    const std::int64_t* positions(const Array& columns) const {
        const std::size_t n = columns.size();
        const auto* wanted = vector_of<std::int64_t>(columns, n, "columns must be a contiguous int64 vector");
        const auto known = [&](std::int64_t j) {
            return 0 <= j && j < static_cast<std::int64_t>(rows_.n_columns);
        };
        require(std::all_of(wanted, wanted + n, known), "columns must be positions of columns");
        return wanted;
    }

    std::pair<const double*, const double*> weights(const Array& numeric, const Array& nominal) const {
        return {vector_of<double>(numeric, priors_.n_components(false), "numeric: a weight per component"),
                vector_of<double>(nominal, priors_.n_components(true), "nominal: a weight per component")};
    }
};

class ShapeFit : public AnyShapeFit<bayesieve::ShapeFit> {
  public:
    ShapeFit(const nb::tuple& arrays, double unit, const nb::tuple& priors, bool moderated, std::size_t begin,
             std::size_t end, double intercept)
        : AnyShapeFit(arrays, unit, priors) {
        check(begin, end);
        fit_ = std::make_unique<bayesieve::ShapeFit>(rows_, priors_, moderated, begin, end, intercept);
    }

    void shift(const Array& change) {
        fit_->shift(vector_of<double>(change, rows_.n_rows, "change must be a float64 vector, one per row"));
    }

    void go_to(double intercept, const Array& tables, const Array& variances) {
        const std::size_t n = fit_->tables().size(), n_moderated = fit_->variances().size();
        const auto* own = vector_of<double>(tables, n, "tables must be a float64 vector, an entry per bin");
        const auto* spread =
            vector_of<double>(variances, n_moderated, "variances: a float64 entry per moderated bin");
        nb::gil_scoped_release release;
        fit_->go_to(intercept, own, spread);
    }

    nb::object variances() const { return copied(fit_->variances()); }

    double intercept() const { return fit_->intercept(); }

    nb::object scores(std::size_t begin, std::size_t end) const {
        check_range(begin, end);
        const auto first = fit_->scores().begin();
        return copied({first + static_cast<std::ptrdiff_t>(begin), first + static_cast<std::ptrdiff_t>(end)});
    }
};

class ClassShapeFit : public AnyShapeFit<bayesieve::ClassShapeFit> {
  public:
    ClassShapeFit(const nb::tuple& arrays, double unit, const nb::tuple& priors, const Array& lead,
                  std::size_t begin, std::size_t end, const Array& intercepts, const Array& tables)
        : AnyShapeFit(arrays, unit, priors), lead_(lead), n_classes_(intercepts.size()) {
        check(begin, end);
        priors_.with_variances = false;
        n_scores_ = n_classes_;
        require(n_classes_ >= 2, "intercepts must be those of two classes at least");
        const auto below = [&](double each) { return 0.0 <= each && each < static_cast<double>(n_classes_); };
        require(std::all_of(rows_.target, rows_.target + rows_.n_rows, below),
                "target must be numbers of classes");
        const auto* first =
            vector_of<std::int64_t>(lead_, rows_.n_columns, "lead must be a class per column");
        require(
            std::all_of(first, first + rows_.n_columns,
                        [&](std::int64_t c) { return 0 <= c && c < static_cast<std::int64_t>(n_classes_); }),
            "lead must be numbers of classes");
        const auto n_entries = static_cast<std::size_t>(rows_.offsets[rows_.n_columns]) * n_classes_;
        fit_ = std::make_unique<bayesieve::ClassShapeFit>(
            rows_, first, n_classes_, priors_, begin, end,
            vector_of<double>(intercepts, n_classes_, "intercepts must be a float64 vector"),
            vector_of<double>(tables, n_entries, "tables must be a float64 vector, one per bin and class"));
    }

    void shift(const Array& change) {
        fit_->shift(vector_of<double>(change, rows_.n_rows * n_classes_,
                                      "change must be a float64 vector, one per row and class"));
    }

    nb::object intercepts() const { return copied(fit_->intercepts()); }

    nb::object scores(std::size_t begin, std::size_t end) const {
        check_range(begin, end);
        double* out = nullptr;
        nb::object result = zeros(nb::make_tuple(end - begin, n_classes_), "float64", out);
        fit_->scores(begin, end, out);
        return result;
    }

  private:
    Array lead_;
    std::size_t n_classes_;
};

nb::object merge_scores(const Array& scores, const Array& weights, double price) {
    const auto* s = matrix_of<double>(scores, "scores must be a contiguous float64 matrix");
    const auto* w = matrix_of<double>(weights, "weights must be a contiguous float64 matrix");
    const std::size_t n = scores.shape(0), n_scores = scores.shape(1);
    require(weights.shape(0) == n && weights.shape(1) == n_scores, "weights must be an entry per score");
    require(std::all_of(w, w + n * n_scores, [](double each) { return each > 0.0; }),
            "weights must be positive");
    std::int64_t* bin = nullptr;
    nb::object result = zeros(nb::make_tuple(n), "int64", bin);
    bayesieve::merge_scores(s, w, n, n_scores, price, bin);
    return result;
}

}  // namespace

void bind_shapes(nb::module_& module) {
    module.def("merge_scores", &merge_scores, nb::arg("scores"), nb::arg("weights"), nb::arg("price"));
    nb::class_<ShapeFit>(module, "ShapeFit")
        .def(nb::init<const nb::tuple&, double, const nb::tuple&, bool, std::size_t, std::size_t, double>(),
             nb::arg("rows"), nb::arg("unit"), nb::arg("priors"), nb::arg("moderated"), nb::arg("begin"),
             nb::arg("end"), nb::arg("intercept"))
        .def("evidence", &ShapeFit::evidence, nb::arg("columns"), nb::arg("numeric"), nb::arg("nominal"))
        .def("cycle", &ShapeFit::cycle, nb::arg("columns"), nb::arg("numeric"), nb::arg("nominal"))
        .def("shift", &ShapeFit::shift, nb::arg("change"))
        .def("go_to", &ShapeFit::go_to, nb::arg("intercept"), nb::arg("tables"), nb::arg("variances"))
        .def("sums", &ShapeFit::sums)
        .def("correct", &ShapeFit::correct, nb::arg("slopes"), nb::arg("least"))
        .def("variances", &ShapeFit::variances)
        .def("intercept", &ShapeFit::intercept)
        .def("scores", &ShapeFit::scores, nb::arg("begin"), nb::arg("end"))
        .def("tables", &ShapeFit::tables);
    nb::class_<ClassShapeFit>(module, "ClassShapeFit")
        .def(nb::init<const nb::tuple&, double, const nb::tuple&, const Array&, std::size_t, std::size_t,
                      const Array&, const Array&>(),
             nb::arg("rows"), nb::arg("unit"), nb::arg("priors"), nb::arg("lead"), nb::arg("begin"),
             nb::arg("end"), nb::arg("intercepts"), nb::arg("tables"))
        .def("evidence", &ClassShapeFit::evidence, nb::arg("columns"), nb::arg("numeric"), nb::arg("nominal"))
        .def("cycle", &ClassShapeFit::cycle, nb::arg("columns"), nb::arg("numeric"), nb::arg("nominal"))
        .def("shift", &ClassShapeFit::shift, nb::arg("change"))
        .def("sums", &ClassShapeFit::sums)
        .def("correct", &ClassShapeFit::correct, nb::arg("slopes"), nb::arg("least"))
        .def("intercepts", &ClassShapeFit::intercepts)
        .def("scores", &ClassShapeFit::scores, nb::arg("begin"), nb::arg("end"))
        .def("tables", &ClassShapeFit::tables);
}

}  // namespace bayesieve_python
