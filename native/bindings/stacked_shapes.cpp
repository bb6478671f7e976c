// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <vector>

#include "arrays.hpp"
#include "bayesieve/shapes/stacked_sums.hpp"
#include "shape_arrays.hpp"

namespace bayesieve_python {
namespace {

// fits: intercept, weight, tables and variances of each; cells (n_pairs, n_rows), and the table of each pair.
nb::tuple stacked_sums(const nb::tuple& arrays, double unit, const nb::tuple& fits, const Array& cells,
                       const nb::tuple& tables, double intercept) {
    const std::vector<Array> kept = shape_arrays(arrays);
    const bayesieve::ShapeRows rows = raw_rows(kept, unit);
    const auto n_bins = static_cast<std::size_t>(rows.offsets[rows.n_columns]);
    bayesieve::StackedModel model{{}, {}, intercept};
    std::vector<Array> held;
    std::size_t n_sums = 1;
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
        held.push_back(own), held.push_back(variances);
        n_sums += n_bins + 1;
    }
    const auto* of_rows = matrix_of<std::uint8_t>(cells, "cells must be a contiguous uint8 matrix");
    require(cells.shape(0) == tables.size() && cells.shape(1) == rows.n_rows,
            "cells must have a row per pair, and a number per row");
    for (std::size_t k = 0; k < tables.size(); ++k) {
        const auto table = nb::cast<Array>(tables[k]);
        const auto* values =
            vector_of<double>(table, table.size(), "the table of a pair must be a float64 vector");
        const auto* own = of_rows + k * rows.n_rows;
        require(bayesieve::codes_below(own, rows.n_rows, static_cast<std::int64_t>(table.size())),
                "cells must be smaller than their number");
        model.pairs.push_back({own, values, table.size()});
        held.push_back(table);
        n_sums += table.size();
    }
    std::int64_t *sums = nullptr, loss = 0;
    double* scores = nullptr;
    nb::object result = zeros(nb::make_tuple(n_sums, 2), "int64", sums);
    nb::object total = zeros(nb::make_tuple(rows.n_rows), "float64", scores);
    {
        nb::gil_scoped_release release;
        loss = bayesieve::stacked_sums(rows, model, sums, scores);
    }
    return nb::make_tuple(result, total, loss);
}

}  // namespace

void bind_stacked_shapes(nb::module_& module) {
    module.def("stacked_sums", &stacked_sums, nb::arg("rows"), nb::arg("unit"), nb::arg("fits"),
               nb::arg("cells"), nb::arg("tables"), nb::arg("intercept"));
}

}  // namespace bayesieve_python
