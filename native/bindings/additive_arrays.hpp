// SPDX-License-Identifier: BSD-3-Clause
// What functions of additive models share: the arrays of AdditiveRows, in the order of
// src/bayesieve/additive/rows.py, and losses by their names.
#pragma once
#include <algorithm>
#include <memory>
#include <vector>

#include "arrays.hpp"
#include "bayesieve/additive/losses.hpp"
#include "bayesieve/additive/priors.hpp"
#include "bayesieve/additive/rows.hpp"
#include "bayesieve/columns/count.hpp"

namespace bayesieve_python {

// Of rows with so many scores each.
inline std::shared_ptr<const bayesieve::AdditiveLoss> loss_of(const char* name, std::size_t n_scores) {
    std::shared_ptr<const bayesieve::AdditiveLoss> loss = bayesieve::find_loss(name);
    require(loss != nullptr, "loss must be a name of losses.cpp");
    require(loss->has_one_score() ? n_scores == 1 : n_scores >= 2,
            "rows must have one score, or one per class, as the loss has it");
    return loss;
}

// Of rows with several scores, the target must be a number of one.
inline void require_classes(const double* target, std::size_t n, std::size_t n_scores) {
    const auto is_class = [&](double each) { return 0.0 <= each && each < static_cast<double>(n_scores); };
    require(n_scores == 1 || std::all_of(target, target + n, is_class), "target must be numbers of classes");
}

inline std::vector<Array> row_arrays(const nb::tuple& sequence) {
    constexpr std::size_t n_arrays = 14;
    require(sequence.size() == n_arrays, "rows must be fourteen arrays");
    std::vector<Array> arrays;
    for (std::size_t i = 0; i < n_arrays; ++i) arrays.push_back(nb::cast<Array>(sequence[i]));
    return arrays;
}

// The arrays must live as long as the result.
inline bayesieve::AdditiveRows raw_rows(const std::vector<Array>& kept, double unit) {
    bayesieve::AdditiveRows raw{};
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
    raw.neutral = vector_of<double>(kept[13], n_bins, "neutral must be a float64 vector, an entry per bin");
    raw.unit = unit;
    return raw;
}

inline std::vector<double> numbers(const Array& array, const char* sentence) {
    const auto* values = vector_of<double>(array, array.size(), sentence);
    return {values, values + array.size()};
}

inline bayesieve::ShapePriors shape_priors(const nb::tuple& variances) {
    require(variances.size() == 4, "variances must be those of walks, lines, categories and the curve");
    bayesieve::ShapePriors priors;
    priors.walks = numbers(nb::cast<Array>(variances[0]), "walks must be a float64 vector");
    priors.lines = numbers(nb::cast<Array>(variances[1]), "lines must be a float64 vector");
    priors.categories = numbers(nb::cast<Array>(variances[2]), "categories must be a float64 vector");
    priors.curve = nb::cast<double>(variances[3]);
    return priors;
}

}  // namespace bayesieve_python
