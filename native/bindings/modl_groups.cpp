// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "arrays.hpp"
#include "bayesieve/coding/modl/groups.hpp"
#include "bayesieve/pool.hpp"
#include "interval_tables.hpp"

namespace bayesieve_python {
namespace {

// Tables one below the other.
struct Tables {
    const std::int64_t* counts;
    const std::int64_t* offsets;
    std::size_t n_tables, n_rows;
    std::int64_t n_classes;
    double unit;
    const std::uint8_t* fixed_first;
};

nb::object modl_groups(const Array& counts, const Array& offsets, double unit, const std::string& prior,
                       std::int64_t n_attributes, const Array& fixed_first, std::int64_t min_size,
                       std::int64_t max_bins, int n_threads) {
    require(offsets.size() > 0, "offsets must start at 0");
    require(prior == "khiops" || prior == "2006", "prior must be 'khiops' or '2006'");
    const auto kind =
        prior == "khiops" ? bayesieve::modl::PriorKind::khiops : bayesieve::modl::PriorKind::boulle;
    const std::size_t n_tables = offsets.size() - 1;
    const auto* cells = matrix_of<std::int64_t>(counts, "counts must be a C-contiguous int64 matrix");
    const Tables tables{
        cells,
        vector_of<std::int64_t>(offsets, n_tables + 1, "offsets must be a contiguous int64 vector"),
        n_tables,
        counts.shape(0),
        static_cast<std::int64_t>(counts.shape(1)),
        unit,
        vector_of<std::uint8_t>(fixed_first, n_tables,
                                "fixed_first must be a contiguous uint8 vector, one entry per table")};
    std::int32_t* groups;
    std::int64_t* found;
    nb::object group_of = zeros(nb::make_tuple(tables.n_rows), "int32", groups);
    nb::object summary = zeros(nb::make_tuple(n_tables, 6), "int64", found);
    {
        nb::gil_scoped_release release;
        const std::int64_t largest = check_tables(tables.counts, tables.offsets, tables.n_tables,
                                                  tables.n_classes, tables.unit, tables.n_rows);
        const bayesieve::modl::Factorials factorials(unit, static_cast<int>(tables.n_classes), largest);
        const bayesieve::modl::GroupLimits limits{min_size, max_bins};
        Interruption interruption;
        bayesieve::run_blocks(
            n_tables, 1, n_threads,
            [&](std::size_t begin, std::size_t end, int) {
                for (std::size_t t = begin; t < end; ++t) {
                    const std::int64_t first = tables.offsets[t];
                    const bayesieve::modl::GroupTable table{
                        tables.counts + first * tables.n_classes,
                        static_cast<std::size_t>(tables.offsets[t + 1] - first), unit,
                        tables.fixed_first[t] != 0};
                    const bayesieve::modl::Grouping best = bayesieve::modl::group_values(
                        table, factorials, kind, n_attributes, limits, groups + first);
                    const std::int64_t row[6] = {best.n_groups,    best.other, best.n_garbage,
                                                 best.granularity, best.cost,  best.null_cost};
                    std::copy_n(row, 6, found + 6 * t);
                }
            },
            [&] { interruption.poll(); });
    }
    return nb::make_tuple(group_of, summary);
}

}  // namespace

void bind_modl_groups(nb::module_& module) {
    module.def(
        "modl_groups", &modl_groups, nb::arg("counts"), nb::arg("offsets"), nb::arg("unit"), nb::arg("prior"),
        nb::arg("n_attributes"), nb::arg("fixed_first"), nb::arg("min_size"), nb::arg("max_bins"),
        nb::arg("n_threads"),
        "Optimal groups of the values of each table: the group of each value, and for each table the "
        "number of groups, the group for new values, the values in the garbage group, the granularity, "
        "the cost and the null model's.");
}

}  // namespace bayesieve_python
