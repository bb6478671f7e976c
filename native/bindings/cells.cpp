// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/columns/cells.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "arrays.hpp"

namespace bayesieve_python {
namespace {

const double* borders_of(const Array& borders) {
    const auto* each =
        vector_of<double>(borders, borders.size(), "borders must be a contiguous float64 vector");
    for (std::size_t i = 0; i < borders.size(); ++i)
        require(std::isfinite(each[i]) && (i == 0 || each[i - 1] <= each[i]),
                "borders must be finite and must not decrease");
    return each;
}

bool is_single(const Array& values) {
    const bool single = values.dtype() == nb::dtype<float>();
    require(values.ndim() == 1 && (single || values.dtype() == nb::dtype<double>()) && c_contiguous(values),
            "values must be a contiguous float32 or float64 vector");
    return single;
}

// True if all are from 0 to limit - 1: as unsigned numbers, negative ones are too large.
template <typename Signed>
bool all_below(const Signed* values, std::size_t n, Signed limit) {
    std::make_unsigned_t<Signed> highest = 0;
    for (std::size_t i = 0; i < n; ++i)
        highest = std::max(highest, static_cast<std::make_unsigned_t<Signed>>(values[i]));
    return n == 0 || highest < static_cast<std::make_unsigned_t<Signed>>(limit);
}

template <typename Value>
bool count(const Array& values, const double* borders, std::size_t n_borders, const bayesieve::Strata& strata,
           std::int64_t* counts, std::vector<std::int64_t>* others) {
    return bayesieve::count_cells(bayesieve::CellFinder<Value>(borders, n_borders),
                                  static_cast<const Value*>(values.data()), values.size(), strata, counts,
                                  others);
}

nb::object count_cells(const Array& values, const Array& borders, const Array& strata, const Array& weights,
                       std::int32_t n_strata, bool are_labels) {
    require(n_strata >= 1, "n_strata must be at least 1");
    const bool single = is_single(values);
    const double* each = borders_of(borders);
    const bayesieve::Strata division{
        vector_of<std::int32_t>(strata, values.size(),
                                "strata must be a contiguous int32 vector, one entry per row"),
        weights.size() == 0 ? nullptr
                            : vector_of<std::int64_t>(weights, values.size(),
                                                      "weights must be empty, or a contiguous int64 vector"),
        n_strata};
    require(all_below(division.of_row, values.size(), n_strata),
            "strata must hold values from 0 to n_strata - 1");
    std::int64_t* counts;
    nb::object result =
        zeros(nb::make_tuple(borders.size() + (are_labels ? 1 : 2), n_strata), "int64", counts);
    std::vector<std::int64_t> others;
    bool infinite;
    {
        nb::gil_scoped_release release;
        auto* const apart = are_labels ? &others : nullptr;
        infinite = single ? count<float>(values, each, borders.size(), division, counts, apart)
                          : count<double>(values, each, borders.size(), division, counts, apart);
    }
    std::int64_t* rows;
    nb::object other_rows = zeros(nb::make_tuple(others.size()), "int64", rows);
    std::copy(others.begin(), others.end(), rows);
    return nb::make_tuple(result, other_rows, infinite);
}

template <typename Value>
void code(const Array& values, const Array& borders, const std::int64_t* rows, std::size_t n,
          const std::int64_t* table, nb::ndarray<nb::device::cpu>& codes) {
    const bayesieve::CellFinder<Value> finder(static_cast<const double*>(borders.data()), borders.size());
    const auto* each = static_cast<const Value*>(values.data());
    if (codes.dtype() == nb::dtype<std::uint8_t>())
        bayesieve::code_cells(finder, each, rows, n, table, static_cast<std::uint8_t*>(codes.data()));
    else
        bayesieve::code_cells(finder, each, rows, n, table, static_cast<std::uint16_t*>(codes.data()));
}

void code_cells(const Array& values, const Array& borders, const Array& code_of_cell, const Array& rows,
                nb::ndarray<nb::device::cpu>& codes) {
    const bool single = is_single(values);
    borders_of(borders);
    const auto* table =
        vector_of<std::int64_t>(code_of_cell, borders.size() + 2,
                                "code_of_cell must be a contiguous int64 vector, one entry per cell");
    const auto* picked = vector_of<std::int64_t>(rows, rows.size(), "rows must be a contiguous int64 vector");
    const bool narrow = codes.dtype() == nb::dtype<std::uint8_t>();
    require(codes.ndim() == 1 && codes.shape(0) == rows.size() &&
                (codes.size() <= 1 || codes.stride(0) == 1) &&
                (narrow || codes.dtype() == nb::dtype<std::uint16_t>()),
            "codes must be a contiguous uint8 or uint16 vector, one entry per picked row");
    for (std::size_t k = 0; k < borders.size() + 2; ++k)
        require(table[k] >= 0 && table[k] < (narrow ? 256 : 65536), "code_of_cell must fit the codes");
    require(all_below(picked, rows.size(), static_cast<std::int64_t>(values.size())),
            "rows must be positions among the values");
    nb::gil_scoped_release release;
    if (single)
        code<float>(values, borders, picked, rows.size(), table, codes);
    else
        code<double>(values, borders, picked, rows.size(), table, codes);
}

}  // namespace

void bind_cells(nb::module_& module) {
    module.def("count_cells", &count_cells, nb::arg("values"), nb::arg("borders"), nb::arg("strata"),
               nb::arg("weights"), nb::arg("n_strata"), nb::arg("are_labels"),
               "Weight of each cell in each stratum, the rows of numbers that are not a label, and whether a "
               "number is infinite.");
    module.def("code_cells", &code_cells, nb::arg("values"), nb::arg("borders"), nb::arg("code_of_cell"),
               nb::arg("rows"), nb::arg("codes"),
               "Write the code of the cell of each picked row into codes.");
}

}  // namespace bayesieve_python
