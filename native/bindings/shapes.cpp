// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <vector>

#include "arrays.hpp"
#include "bayesieve/columns/count.hpp"
#include "bayesieve/shapes/merge.hpp"
#include "bayesieve/shapes/shape_fit.hpp"

namespace bayesieve_python {
namespace {

std::vector<double> numbers(const Array& array, const char* sentence) {
    const auto* values = vector_of<double>(array, array.size(), sentence);
    return {values, values + array.size()};
}

// The arrays of ShapeRows in the order of src/bayesieve/engine/shapes/shape_rows.py; they must live as long
// as the result.
bayesieve::ShapeRows raw_rows(const std::vector<Array>& kept, double unit) {
    bayesieve::ShapeRows raw{};
    raw.narrow = matrix_of<std::uint8_t>(kept[0], "narrow must be a contiguous uint8 matrix");
    raw.wide = matrix_of<std::uint16_t>(kept[1], "wide must be a contiguous uint16 matrix");
    raw.n_narrow = kept[0].shape(0), raw.n_rows = kept[0].shape(1), raw.n_columns = kept[2].size();
    require(kept[1].shape(1) == raw.n_rows, "narrow and wide must have the same rows");
    const std::size_t k = raw.n_columns;
    raw.place = vector_of<std::int64_t>(kept[2], k, "place must be a contiguous int64 vector");
    raw.offsets = vector_of<std::int64_t>(kept[3], k + 1, "offsets must have an entry more than place");
    raw.nominal = vector_of<std::uint8_t>(kept[4], k, "nominal must be a uint8 vector, an entry per column");
    raw.monotone = vector_of<std::int8_t>(kept[5], k, "monotone must be an int8 vector, an entry per column");
    raw.missing = vector_of<std::uint8_t>(kept[6], k, "missing must be a uint8 vector, an entry per column");
    require(raw.offsets[0] == 0, "offsets must begin with 0");
    for (std::size_t j = 0; j < k; ++j) {
        const std::int64_t n_bins = raw.offsets[j + 1] - raw.offsets[j], place = raw.place[j];
        require(n_bins >= 2, "a column must have two bins at least");
        require(place >= 0 && place < static_cast<std::int64_t>(raw.n_narrow + kept[1].shape(0)),
                "place must name columns that there are");
        const auto row = static_cast<std::size_t>(place);
        const bool fits =
            row < raw.n_narrow
                ? bayesieve::codes_below(raw.narrow + row * raw.n_rows, raw.n_rows, n_bins)
                : bayesieve::codes_below(raw.wide + (row - raw.n_narrow) * raw.n_rows, raw.n_rows, n_bins);
        require(fits, "codes of a column must be smaller than its number of bins");
    }
    const auto n_bins = static_cast<std::size_t>(raw.offsets[k]);
    raw.gaps = vector_of<double>(kept[7], n_bins, "gaps must be a float64 vector, an entry per bin");
    raw.line = vector_of<double>(kept[8], n_bins, "line must be a float64 vector, an entry per bin");
    raw.rank = vector_of<double>(kept[9], n_bins, "rank must be a float64 vector, an entry per bin");
    raw.square = vector_of<double>(kept[10], n_bins, "square must be a float64 vector, an entry per bin");
    raw.target = vector_of<double>(kept[11], raw.n_rows, "target must be a float64 vector, an entry per row");
    raw.scale = vector_of<double>(kept[12], raw.n_rows, "scale must be a float64 vector, an entry per row");
    raw.unit = unit;
    return raw;
}

class ShapeFit {
  public:
    ShapeFit(const nb::tuple& arrays, double unit, const Array& walks, const Array& lines,
             const Array& categories, double curve, bool moderated, std::size_t begin, std::size_t end,
             double intercept)
        : kept_(cast(arrays)),
          rows_(raw_rows(kept_, unit)),
          priors_{numbers(walks, "walks must be a float64 vector"),
                  numbers(lines, "lines must be a float64 vector"),
                  numbers(categories, "categories must be a float64 vector"), curve},
          fit_(rows_, priors_, moderated, check(begin, end), end, intercept) {}

    nb::object evidence(const Array& columns, const Array& numeric, const Array& nominal) {
        const auto* wanted = positions(columns);
        const auto [first, second] = weights(numeric, nominal);
        double* out = nullptr;
        nb::object result = zeros(nb::make_tuple(columns.size()), "float64", out);
        {
            nb::gil_scoped_release release;
            fit_.evidence(wanted, columns.size(), first, second, out);
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
            moved = fit_.cycle(wanted, columns.size(), first, second, numeric_sums, nominal_sums);
        }
        return nb::make_tuple(moved, a, b);
    }

    void shift(const Array& change) {
        fit_.shift(vector_of<double>(change, rows_.n_rows, "change must be a float64 vector, one per row"));
    }

    double intercept() const { return fit_.intercept(); }
    nb::object scores() const { return copied(fit_.scores()); }
    nb::object tables() const { return copied(fit_.tables()); }

  private:
    static std::vector<Array> cast(const nb::tuple& sequence) {
        constexpr std::size_t n_arrays = 13;
        require(sequence.size() == n_arrays, "rows must be thirteen arrays");
        std::vector<Array> arrays;
        for (std::size_t i = 0; i < n_arrays; ++i) arrays.push_back(nb::cast<Array>(sequence[i]));
        return arrays;
    }

    std::size_t check(std::size_t begin, std::size_t end) const {
        require(begin <= end && end <= rows_.n_rows && end - begin < rows_.n_rows,
                "held-out rows must leave training rows");
        return begin;
    }

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

    static nb::object copied(const std::vector<double>& values) {
        double* out = nullptr;
        nb::object array = zeros(nb::make_tuple(values.size()), "float64", out);
        std::copy(values.begin(), values.end(), out);
        return array;
    }

    std::vector<Array> kept_;
    bayesieve::ShapeRows rows_;
    bayesieve::ShapePriors priors_;
    bayesieve::ShapeFit fit_;
};

nb::object merge_scores(const Array& scores, const Array& weights, double price) {
    const std::size_t n = scores.size();
    const auto* s = vector_of<double>(scores, n, "scores must be a float64 vector");
    const auto* w = vector_of<double>(weights, n, "weights must be a float64 vector, an entry per score");
    require(std::all_of(w, w + n, [](double each) { return each > 0.0; }), "weights must be positive");
    std::int64_t* bin = nullptr;
    nb::object result = zeros(nb::make_tuple(n), "int64", bin);
    bayesieve::merge_scores(s, w, n, price, bin);
    return result;
}

}  // namespace

void bind_shapes(nb::module_& module) {
    module.def("merge_scores", &merge_scores, nb::arg("scores"), nb::arg("weights"), nb::arg("price"));
    nb::class_<ShapeFit>(module, "ShapeFit")
        .def(nb::init<const nb::tuple&, double, const Array&, const Array&, const Array&, double, bool,
                      std::size_t, std::size_t, double>(),
             nb::arg("rows"), nb::arg("unit"), nb::arg("walks"), nb::arg("lines"), nb::arg("categories"),
             nb::arg("curve"), nb::arg("moderated"), nb::arg("begin"), nb::arg("end"), nb::arg("intercept"))
        .def("evidence", &ShapeFit::evidence, nb::arg("columns"), nb::arg("numeric"), nb::arg("nominal"))
        .def("cycle", &ShapeFit::cycle, nb::arg("columns"), nb::arg("numeric"), nb::arg("nominal"))
        .def("shift", &ShapeFit::shift, nb::arg("change"))
        .def("intercept", &ShapeFit::intercept)
        .def("scores", &ShapeFit::scores)
        .def("tables", &ShapeFit::tables);
}

}  // namespace bayesieve_python
