// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/gradients/weight_gradients.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "segment_arrays.hpp"

namespace bayesieve_python {
namespace {

using bayesieve::WeightGradients;

std::unique_ptr<WeightGradients> make_weight_gradients(const nb::tuple& segments, double unit, int n_threads,
                                                       double total) {
    require(unit > 0.0, "unit must be positive");
    auto laid_out = segments_of(segments, [](int n_classes) { return static_cast<std::size_t>(n_classes); });
    nb::gil_scoped_release release;
    return std::make_unique<WeightGradients>(std::move(laid_out), unit, std::max(1, n_threads), total);
}

void reset_weights(WeightGradients& model, const Array& start, const Array& weights) {
    const auto* begin =
        vector_of<std::int64_t>(start, model.n_classes(), "start must have one entry per class");
    const auto* each =
        vector_of<double>(weights, model.n_columns(), "weights must have one entry per column");
    nb::gil_scoped_release release;
    Interruption interruption;
    model.reset(begin, each, [&] { interruption.poll(); });
}

const std::int32_t* columns_of(const WeightGradients& model, const Array& columns) {
    const auto* j =
        vector_of<std::int32_t>(columns, columns.size(), "columns must be a contiguous int32 vector");
    for (std::size_t k = 0; k < columns.size(); ++k)
        require(j[k] >= 0 && static_cast<std::size_t>(j[k]) < model.n_columns(), "no such column");
    return j;
}

nb::object slopes(WeightGradients& model, const Array& columns) {
    const auto* j = columns_of(model, columns);
    double *slopes, *curvatures;
    nb::object shown_slopes = zeros(nb::make_tuple(columns.size()), "float64", slopes);
    nb::object shown_curvatures = zeros(nb::make_tuple(columns.size()), "float64", curvatures);
    {
        nb::gil_scoped_release release;
        Interruption interruption;
        std::vector<WeightGradients::Slope> each(columns.size());
        model.slopes(j, columns.size(), each.data(), [&] { interruption.poll(); });
        for (std::size_t k = 0; k < each.size(); ++k) {
            slopes[k] = each[k].slope;
            curvatures[k] = each[k].centered;
        }
    }
    return nb::make_tuple(shown_slopes, shown_curvatures);
}

int descend(WeightGradients& model, const Array& columns, const Array& penalties, double tolerance,
            int most_rounds) {
    const auto* j = columns_of(model, columns);
    const auto* each =
        vector_of<double>(penalties, columns.size(), "penalties must have one entry per column");
    nb::gil_scoped_release release;
    Interruption interruption;
    return model.descend(j, each, columns.size(), tolerance, most_rounds, [&] { interruption.poll(); });
}

nb::object sums_of(WeightGradients& model, const Array& columns) {
    const auto* j = columns_of(model, columns);
    std::int64_t* sums;
    nb::object result = zeros(
        nb::make_tuple(model.sums_size(j, columns.size()) / (2 * model.n_channels()), model.n_channels(), 2),
        "int64", sums);
    nb::gil_scoped_release release;
    Interruption interruption;
    model.sums(j, columns.size(), sums, [&] { interruption.poll(); });
    return result;
}

nb::object totals_of(WeightGradients& model) {
    std::int64_t* totals;
    nb::object result = zeros(nb::make_tuple(model.n_channels(), 2), "int64", totals);
    nb::gil_scoped_release release;
    model.totals(totals);
    return result;
}

void shift(WeightGradients& model, std::int32_t column, double before, double after) {
    require(column >= 0 && static_cast<std::size_t>(column) < model.n_columns(), "no such column");
    nb::gil_scoped_release release;
    Interruption interruption;
    const std::vector<std::int64_t> none(model.n_classes(), 0);
    model.shift(none.data(), {{column, before, after}}, [&] { interruption.poll(); });
}

void shift_start(WeightGradients& model, const Array& change) {
    const auto* each =
        vector_of<std::int64_t>(change, model.n_classes(), "change must have one entry per class");
    nb::gil_scoped_release release;
    Interruption interruption;
    model.shift(each, {}, [&] { interruption.poll(); });
}

nb::object products_of(const WeightGradients& model, const Array& columns, const Array& factors) {
    const auto* j = columns_of(model, columns);
    const auto* each = vector_of<double>(factors, columns.size(), "factors must have one entry per column");
    std::int64_t* products;
    const std::size_t size = model.n_channels() + columns.size();
    nb::object result = zeros(nb::make_tuple(size, size), "int64", products);
    nb::gil_scoped_release release;
    Interruption interruption;
    model.products(j, each, columns.size(), products, [&] { interruption.poll(); });
    return result;
}

template <typename Scalar>
nb::object copied(const std::vector<Scalar>& values, const char* dtype) {
    Scalar* data;
    nb::object result = zeros(nb::make_tuple(values.size()), dtype, data);
    std::copy(values.begin(), values.end(), data);
    return result;
}

nb::object losses_of(const WeightGradients& model) {
    std::uint64_t* words;
    nb::object result = zeros(nb::make_tuple(model.n_segments(), model.n_classes(), 2), "uint64", words);
    nb::gil_scoped_release release;
    model.losses(reinterpret_cast<bayesieve::Wide*>(words));
    return result;
}

}  // namespace

void bind_weight_gradients(nb::module_& module) {
    nb::class_<WeightGradients>(module, "WeightGradients",
                                "Weights of columns, and how the log-likelihood changes with each.")
        .def(
            "__init__",
            [](WeightGradients* self, const nb::tuple& segments, double unit, int n_threads, double total) {
                new (self)
                    WeightGradients(std::move(*make_weight_gradients(segments, unit, n_threads, total)));
            },
            nb::arg("segments"), nb::arg("unit"), nb::arg("n_threads"), nb::arg("total") = -1.0,
            nb::keep_alive<1, 2>())
        .def("reset", &reset_weights, nb::arg("start"), nb::arg("weights"))
        .def("slopes", &slopes, nb::arg("columns"))
        .def("descend", &descend, nb::arg("columns"), nb::arg("penalties"), nb::arg("tolerance"),
             nb::arg("most_rounds"))
        .def("sums", &sums_of, nb::arg("columns"))
        .def("totals", &totals_of)
        .def("products", &products_of, nb::arg("columns"), nb::arg("factors"))
        .def("shift", &shift, nb::arg("column"), nb::arg("before"), nb::arg("after"))
        .def("shift_start", &shift_start, nb::arg("change"))
        .def("start", [](const WeightGradients& self) { return copied(self.start(), "int64"); })
        .def("weights", [](const WeightGradients& self) { return copied(self.weights(), "float64"); })
        .def("losses", &losses_of);
}

}  // namespace bayesieve_python
