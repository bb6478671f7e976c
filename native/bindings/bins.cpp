// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <vector>

#include "arrays.hpp"
#include "bayesieve/coding/merge.hpp"
#include "bayesieve/columns/bounds.hpp"
#include "bayesieve/columns/column_batch.hpp"
#include "bayesieve/columns/encoded.hpp"
#include "bayesieve/columns/label_weights.hpp"
#include "bayesieve/columns/slots.hpp"

namespace bayesieve_python {
namespace {

nb::object weigh_labels(const Array& counts, const Array& offsets) {
    const auto* cells = matrix_of<std::int64_t>(counts, "counts must be a C-contiguous int64 matrix");
    require(offsets.ndim() == 1 && offsets.size() > 0, "offsets must be a vector that is not empty");
    const std::size_t n_columns = offsets.size() - 1;
    const auto* begins =
        vector_of<std::int64_t>(offsets, n_columns + 1, "offsets must be a contiguous int64 vector");
    require(begins[0] == 0 && static_cast<std::size_t>(begins[n_columns]) == counts.shape(0),
            "offsets must begin with 0 and end with the number of labels");
    for (std::size_t j = 0; j < n_columns; ++j)
        require(begins[j] <= begins[j + 1], "offsets must not decrease");
    bayesieve::LabelWeights weights{};
    nb::object of_label = allocate("empty", nb::make_tuple(counts.shape(0)), "int64", weights.of_label);
    nb::object total = allocate("empty", nb::make_tuple(n_columns), "int64", weights.total);
    nb::object largest = allocate("empty", nb::make_tuple(n_columns), "int64", weights.largest);
    nb::object n_values = allocate("empty", nb::make_tuple(n_columns), "int64", weights.n_values);
    {
        nb::gil_scoped_release release;
        bayesieve::weigh_labels({cells, begins, n_columns, counts.shape(1)}, weights);
    }
    return nb::make_tuple(of_label, total, largest, n_values);
}

nb::object add_by_bin(const Array& bins, const Array& counts, std::int64_t n_bins) {
    require(n_bins >= 0, "n_bins must not be negative");
    const auto* cells = matrix_of<std::int64_t>(counts, "counts must be a C-contiguous int64 matrix");
    const auto* places = vector_of<std::int64_t>(bins, counts.shape(0),
                                                 "bins must be a contiguous int64 vector, one entry per row");
    std::int64_t* sums;
    nb::object result = zeros(nb::make_tuple(n_bins, counts.shape(1)), "int64", sums);
    const char* fault;
    {
        nb::gil_scoped_release release;
        fault = bayesieve::add_by_bin(places, cells, counts.shape(0), counts.shape(1), n_bins, sums);
    }
    require(fault == nullptr, fault);
    return result;
}

nb::object interval_bins(const Array& labels, const Array& bounds, std::int64_t missing) {
    const std::size_t n = labels.size();
    const auto* sorted = vector_of<double>(labels, n, "labels must be a contiguous float64 vector");
    const auto* inner =
        vector_of<double>(bounds, bounds.size(), "bounds must be a contiguous float64 vector");
    std::int64_t* bins;
    nb::object result = allocate("empty", nb::make_tuple(n + 1), "int64", bins);
    bayesieve::interval_bins(sorted, n, inner, bounds.size(), missing, bins);
    return result;
}

nb::object readable_between(const Array& left, const Array& right) {
    const std::size_t n = left.size();
    const auto* low = vector_of<double>(left, n, "left must be a contiguous float64 vector");
    const auto* high =
        vector_of<double>(right, n, "right must be a contiguous float64 vector as long as left");
    double* data;
    nb::object result = zeros(nb::make_tuple(n), "float64", data);
    bayesieve::readable_between(low, high, n, data);
    return result;
}

nb::object slot_cuts(const Array& mass, std::int64_t n_slots) {
    const auto* each = vector_of<std::int64_t>(mass, mass.size(), "mass must be a contiguous int64 vector");
    const std::size_t n = mass.size();
    require(bayesieve::positive_below(each, n, std::int64_t{1} << 62),
            "mass must be positive and add up to less than 2**62");
    const std::vector<std::int64_t> cuts = bayesieve::slot_cuts(each, n, n_slots);
    std::int64_t* data;
    nb::object result = zeros(nb::make_tuple(cuts.size()), "int64", data);
    std::copy(cuts.begin(), cuts.end(), data);
    return result;
}

template <typename Position>
nb::object occurring_typed(const Array& positions, std::size_t n_entries) {
    const auto* own = vector_of<Position>(positions, positions.size(), "positions must be contiguous");
    std::uint8_t* occurs;
    nb::object result = zeros(nb::make_tuple(n_entries), "uint8", occurs);
    require(bayesieve::mark_positions(own, positions.size(), n_entries, occurs),
            "positions must be -1, or those of entries");
    return result;
}

template <typename Position>
nb::object ids_typed(const Array& positions, const Array& ids) {
    const auto* own = vector_of<Position>(positions, positions.size(), "positions must be contiguous");
    const auto* table = vector_of<std::int32_t>(ids, ids.size(), "ids must be a contiguous int32 vector");
    std::int32_t* looked_up;
    nb::object result = allocate("empty", nb::make_tuple(positions.size()), "int32", looked_up);
    require(ids.size() > 0 &&
                bayesieve::look_up_positions(own, positions.size(), table, ids.size() - 1, looked_up),
            "positions must be -1, or those of ids but the last");
    return result;
}

template <typename Call>
nb::object by_position_type(const Array& positions, const Call& call) {
    if (positions.dtype() == nb::dtype<std::int8_t>()) return call(std::int8_t{});
    if (positions.dtype() == nb::dtype<std::int16_t>()) return call(std::int16_t{});
    if (positions.dtype() == nb::dtype<std::int32_t>()) return call(std::int32_t{});
    return call(std::int64_t{});
}

nb::object occurring_positions(const Array& positions, std::size_t n_entries) {
    return by_position_type(positions,
                            [&](auto type) { return occurring_typed<decltype(type)>(positions, n_entries); });
}

nb::object look_up_positions(const Array& positions, const Array& ids) {
    return by_position_type(positions, [&](auto type) { return ids_typed<decltype(type)>(positions, ids); });
}

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

void bind_bins(nb::module_& module) {
    module.def("readable_between", &readable_between, nb::arg("left"), nb::arg("right"),
               "The number of fewest digits near the middle of each pair.");
    module.def("slot_cuts", &slot_cuts, nb::arg("mass"), nb::arg("n_slots"),
               "Where the elementary bins of a column are cut.");
    module.def(
        "weigh_labels", &weigh_labels, nb::arg("counts"), nb::arg("offsets"),
        "Weight of each label in all classes; per column the sum, the largest, and how many have any.");
    module.def("add_by_bin", &add_by_bin, nb::arg("bins"), nb::arg("counts"), nb::arg("n_bins"),
               "Sum of the counts of each bin.");
    module.def("interval_bins", &interval_bins, nb::arg("labels"), nb::arg("bounds"), nb::arg("missing"),
               "The interval of each sorted label, and last a bin of missing values.");
    module.def("occurring_positions", &occurring_positions, nb::arg("positions"), nb::arg("n_entries"),
               "Which entries some row has.");
    module.def("look_up_positions", &look_up_positions, nb::arg("positions"), nb::arg("ids"),
               "The id of each position; that of -1 is the last.");
    module.def("merge_scores", &merge_scores, nb::arg("scores"), nb::arg("weights"), nb::arg("price"));
}

}  // namespace bayesieve_python
