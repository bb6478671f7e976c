// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/tuple.h>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "interval_tables.hpp"

namespace bayesieve_python {
namespace {

using bayesieve::modl::PriorKind;

PriorKind prior_kind(const char* name) {
    const std::string kind(name);
    require(kind == "khiops" || kind == "2006", "prior must be 'khiops' or '2006'");
    return kind == "khiops" ? PriorKind::khiops : PriorKind::boulle;
}

std::int64_t interval_structure(const char* prior, std::int64_t n_attributes, double total,
                                std::int64_t n_bins, int granularity) {
    const bayesieve::modl::Prior structure(prior_kind(prior), n_attributes, total);
    const bayesieve::modl::Factorials wholes(1.0, 1, 0);
    return bayesieve::modl::IntervalStructure(structure, granularity, wholes).of(n_bins);
}

std::int64_t group_structure(const char* prior, std::int64_t n_attributes, double total,
                             const std::tuple<std::int64_t, std::int64_t, std::int64_t, int>& shape) {
    const bayesieve::modl::Prior structure(prior_kind(prior), n_attributes, total);
    const auto& [n_values, n_groups, n_garbage, granularity] = shape;
    return structure.construction(n_groups) + structure.groups({n_values, n_groups, n_garbage, granularity});
}

nb::object bin_costs(const Array& counts, double unit) {
    const auto* cells = matrix_of<std::int64_t>(counts, "counts must be a C-contiguous int64 matrix");
    const std::size_t n_bins = counts.shape(0), n_classes = counts.shape(1);
    const bayesieve::modl::Factorials factorials(unit, static_cast<int>(n_classes), 255);
    std::int64_t* costs;
    nb::object result = zeros(nb::make_tuple(n_bins), "int64", costs);
    for (std::size_t i = 0; i < n_bins; ++i) costs[i] = factorials.bin_cost(cells + i * n_classes);
    return result;
}

nb::object modl_intervals(const Array& counts, const Array& offsets, double unit, const char* prior,
                          std::int64_t n_attributes, const Array& fixed_first, const Array& monotone,
                          std::int64_t least, std::int64_t max_bins, int n_threads) {
    const auto tables = interval_tables(counts, offsets, unit, fixed_first, monotone);
    const bayesieve::modl::IntervalRules rules{prior_kind(prior), n_attributes, least, max_bins};
    std::vector<bayesieve::modl::FoundIntervals> found;
    {
        nb::gil_scoped_release release;
        check_tables(tables, counts.shape(0));
        Interruption interruption;
        found = bayesieve::modl::find_intervals(tables, rules, n_threads, [&] { interruption.poll(); });
    }
    std::vector<std::vector<std::int64_t>> all_cuts;
    std::int64_t *granularities, *costs;
    nb::object shown_granularities = zeros(nb::make_tuple(found.size()), "int64", granularities);
    nb::object shown_costs = zeros(nb::make_tuple(found.size(), 2), "int64", costs);
    for (std::size_t t = 0; t < found.size(); ++t) {
        granularities[t] = found[t].granularity;
        costs[2 * t] = found[t].cost;
        costs[2 * t + 1] = found[t].null;
        all_cuts.push_back(std::move(found[t].cuts));
    }
    const auto [cuts, offsets_of_cuts] = stacked(all_cuts);
    return nb::make_tuple(cuts, offsets_of_cuts, shown_granularities, shown_costs);
}

}  // namespace

void bind_modl(nb::module_& module) {
    module.def("modl_interval_structure", &interval_structure, nb::arg("prior"), nb::arg("n_attributes"),
               nb::arg("total"), nb::arg("n_bins"), nb::arg("granularity"),
               "Structure cost of a partition into intervals, construction included.");
    module.def(
        "modl_group_structure", &group_structure, nb::arg("prior"), nb::arg("n_attributes"), nb::arg("total"),
        nb::arg("shape"),
        "Structure cost of a grouping (values, groups, garbage values, granularity), construction included.");
    module.def(
        "modl_intervals", &modl_intervals, nb::arg("counts"), nb::arg("offsets"), nb::arg("unit"),
        nb::arg("prior"), nb::arg("n_attributes"), nb::arg("fixed_first"), nb::arg("monotone"),
        nb::arg("least"), nb::arg("max_bins"), nb::arg("n_threads"),
        "Optimal intervals of each table: cuts, their offsets, granularities, and costs in addition to the "
        "null model's.");
    module.def("modl_bin_costs", &bin_costs, nb::arg("counts"), nb::arg("unit"),
               "What each bin costs, preparation and data together.");
}

}  // namespace bayesieve_python
