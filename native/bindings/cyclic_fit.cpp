// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/additive/cyclic_fit.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "additive_arrays.hpp"
#include "arrays.hpp"

namespace bayesieve_python {
namespace {

nb::object copied(const std::vector<double>& values) {
    double* out = nullptr;
    nb::object array = zeros(nb::make_tuple(values.size()), "float64", out);
    std::copy(values.begin(), values.end(), out);
    return array;
}

class CyclicFit {
  public:
    CyclicFit(const nb::tuple& arrays, double unit, const char* loss, std::size_t n_scores,
              const nb::tuple& variances, const Array& lead, std::size_t begin, std::size_t end,
              bool moderated, const Array& intercepts, const Array& tables)
        : kept_(row_arrays(arrays)), lead_(lead), rows_(raw_rows(kept_, unit)), n_scores_(n_scores) {
        loss_ = loss_of(loss, n_scores);
        const bayesieve::AdditiveLoss& own = *loss_;
        require(own.has_one_score() || !moderated, "only rows of one score may be moderated");
        require_classes(rows_.target, rows_.n_rows, n_scores);
        require(begin <= end && end <= rows_.n_rows && end - begin < rows_.n_rows,
                "held-out rows must leave training rows");
        priors_ = shape_priors(variances);
        fit_ = std::make_unique<bayesieve::CyclicFit>(
            bayesieve::CyclicProblem{rows_, &own, n_scores, leads(), priors_, begin, end, moderated},
            intercepts_of(intercepts), tables_of(tables));
    }

    nb::object evidence(const Array& columns, const Array& numeric, const Array& nominal) {
        const auto* wanted = positions(columns);
        const auto [first, second] = weights(numeric, nominal);
        double* out = nullptr;
        nb::object result = zeros(nb::make_tuple(columns.size()), "float64", out);
        nb::gil_scoped_release release;
        fit_->evidence(wanted, columns.size(), first, second, out);
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

    void shift(const Array& change) {
        fit_->shift(vector_of<double>(change, rows_.n_rows * n_scores_,
                                      "change must be a float64 vector, one per row and score"));
    }

    void go_to(const Array& intercepts, const Array& tables, const Array& variances) {
        const auto* own = intercepts_of(intercepts);
        const auto* entries = tables_of(tables);
        const auto* spread = vector_of<double>(variances, fit_->variances().size(),
                                               "variances: a float64 entry per moderated bin");
        nb::gil_scoped_release release;
        fit_->go_to(own, entries, spread);
    }

    nb::object sums() {
        std::int64_t* out = nullptr;
        nb::object result = zeros(nb::make_tuple(fit_->tables().size() + n_scores_, 2), "int64", out);
        nb::gil_scoped_release release;
        fit_->sums(out);
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

    nb::object scores(std::size_t begin, std::size_t end) const {
        require(begin <= end && end <= rows_.n_rows, "rows must be a range of those that there are");
        double* out = nullptr;
        nb::object result = zeros(nb::make_tuple(end - begin, n_scores_), "float64", out);
        fit_->scores(begin, end, out);
        return result;
    }

    nb::object intercepts() const { return copied(fit_->intercepts()); }
    nb::object tables() const { return copied(fit_->tables()); }
    nb::object variances() const { return copied(fit_->variances()); }

  private:
    const std::int64_t* leads() const {
        const std::size_t n = rows_.n_columns;
        const auto* own = vector_of<std::int64_t>(lead_, n, "lead must be a score per column");
        const auto is_score = [&](std::int64_t q) {
            return 0 <= q && q < static_cast<std::int64_t>(n_scores_);
        };
        require(n_scores_ == 1 || std::all_of(own, own + n, is_score), "lead must be numbers of scores");
        return own;
    }

    const double* intercepts_of(const Array& intercepts) const {
        return vector_of<double>(intercepts, n_scores_, "intercepts must be a float64 vector, one per score");
    }

    const double* tables_of(const Array& tables) const {
        return vector_of<double>(tables, rows_.n_bins() * n_scores_,
                                 "tables must be a float64 vector, an entry per bin and score");
    }

    const std::int64_t* positions(const Array& columns) const {
        const std::size_t n = columns.size();
        const auto* wanted = vector_of<std::int64_t>(columns, n, "columns must be a contiguous int64 vector");
        const auto is_column = [&](std::int64_t j) {
            return 0 <= j && j < static_cast<std::int64_t>(rows_.n_columns);
        };
        require(std::all_of(wanted, wanted + n, is_column), "columns must be positions of columns");
        return wanted;
    }

    std::pair<const double*, const double*> weights(const Array& numeric, const Array& nominal) const {
        return {vector_of<double>(numeric, priors_.n_components(false), "numeric: a weight per component"),
                vector_of<double>(nominal, priors_.n_components(true), "nominal: a weight per component")};
    }

    std::vector<Array> kept_;
    Array lead_;
    bayesieve::AdditiveRows rows_;
    bayesieve::ShapePriors priors_;
    std::size_t n_scores_;  // of a row
    std::shared_ptr<const bayesieve::AdditiveLoss> loss_;
    std::unique_ptr<bayesieve::CyclicFit> fit_;
};

}  // namespace

void bind_cyclic_fit(nb::module_& module) {
    nb::class_<CyclicFit>(module, "CyclicFit")
        .def(nb::init<const nb::tuple&, double, const char*, std::size_t, const nb::tuple&, const Array&,
                      std::size_t, std::size_t, bool, const Array&, const Array&>(),
             nb::arg("arrays"), nb::arg("unit"), nb::arg("loss"), nb::arg("n_scores"), nb::arg("variances"),
             nb::arg("lead"), nb::arg("begin"), nb::arg("end"), nb::arg("moderated"), nb::arg("intercepts"),
             nb::arg("tables"))
        .def("log_bayes_factors", &CyclicFit::evidence, nb::arg("columns"), nb::arg("numeric"),
             nb::arg("nominal"))
        .def("cycle", &CyclicFit::cycle, nb::arg("columns"), nb::arg("numeric"), nb::arg("nominal"))
        .def("shift", &CyclicFit::shift, nb::arg("change"))
        .def("go_to", &CyclicFit::go_to, nb::arg("intercepts"), nb::arg("tables"), nb::arg("variances"))
        .def("sums", &CyclicFit::sums)
        .def("correct", &CyclicFit::correct, nb::arg("slopes"), nb::arg("least"))
        .def("scores", &CyclicFit::scores, nb::arg("begin"), nb::arg("end"))
        .def("intercepts", &CyclicFit::intercepts)
        .def("tables", &CyclicFit::tables)
        .def("variances", &CyclicFit::variances);
}

}  // namespace bayesieve_python
