// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/additive/posteriors.hpp"

#include <vector>

#include "additive_arrays.hpp"
#include "arrays.hpp"

namespace bayesieve_python {
namespace {

// bases: offsets, nominal, gaps, line, rank and square, in the order of AdditiveRows.
std::vector<bayesieve::ShapeBasis> read_bases(const std::vector<Array>& bases) {
    require(bases.size() == 6, "bases must be six arrays");
    const std::size_t n = bases[1].size();
    const auto* offsets =
        vector_of<std::int64_t>(bases[0], n + 1, "offsets must have an entry more than nominal");
    const auto* nominal = vector_of<std::uint8_t>(bases[1], n, "nominal must be a uint8 vector");
    require(offsets[0] == 0, "offsets must begin with 0");
    for (std::size_t k = 0; k < n; ++k)
        require(offsets[k + 1] - offsets[k] >= 2, "a column must have two bins at least");
    const auto n_bins = static_cast<std::size_t>(offsets[n]);
    const char* message = "gaps, line, rank and square must be float64 vectors, an entry per bin";
    const double* of_bins[4];
    for (std::size_t i = 0; i < 4; ++i) of_bins[i] = vector_of<double>(bases[2 + i], n_bins, message);
    std::vector<bayesieve::ShapeBasis> result;
    for (std::size_t k = 0; k < n; ++k) {
        const auto at = static_cast<std::size_t>(offsets[k]);
        const auto own = static_cast<std::size_t>(offsets[k + 1]) - at;
        result.push_back(
            {own, of_bins[0] + at, of_bins[1] + at, of_bins[2] + at, of_bins[3] + at, nominal[k] != 0});
    }
    return result;
}

nb::tuple column_posteriors(const nb::tuple& bases, const nb::tuple& variances, const nb::tuple& weights,
                            const Array& slopes, const Array& curvatures) {
    std::vector<Array> kept;
    for (const auto& each : bases) kept.push_back(nb::cast<Array>(each));
    const auto* r = matrix_of<double>(slopes, "slopes must be a contiguous float64 matrix");
    const auto* h = matrix_of<double>(curvatures, "curvatures must be a contiguous float64 matrix");
    const std::size_t n = slopes.shape(0), n_scores = slopes.shape(1);
    const bayesieve::ColumnLikelihoods columns = {read_bases(kept), n_scores, r, h};
    std::size_t n_bins = 0;
    for (const auto& basis : columns.bases) n_bins += basis.n_bins;
    require(n == n_bins && curvatures.shape(0) == n && curvatures.shape(1) == n_scores,
            "slopes and curvatures must have an entry per bin and score");
    const bayesieve::ShapePriors priors = shape_priors(variances);
    require(weights.size() == 2, "weights must be those of numbers and of categories");
    const auto numeric = nb::cast<Array>(weights[0]), nominal = nb::cast<Array>(weights[1]);
    const auto* first =
        vector_of<double>(numeric, priors.n_components(false), "numeric: a weight per component");
    const auto* second =
        vector_of<double>(nominal, priors.n_components(true), "nominal: a weight per component");
    double *mean = nullptr, *variance = nullptr;
    nb::object means = zeros(nb::make_tuple(n, n_scores), "float64", mean);
    nb::object spread = zeros(nb::make_tuple(n, n_scores), "float64", variance);
    {
        nb::gil_scoped_release release;
        bayesieve::column_posteriors(columns, priors, first, second, mean, variance);
    }
    return nb::make_tuple(means, spread);
}

}  // namespace

void bind_posteriors(nb::module_& module) {
    module.def("column_posteriors", &column_posteriors, nb::arg("bases"), nb::arg("variances"),
               nb::arg("weights"), nb::arg("slopes"), nb::arg("curvatures"));
}

}  // namespace bayesieve_python
