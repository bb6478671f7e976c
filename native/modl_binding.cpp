#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "arrays.hpp"
#include "bayesieve/modl_intervals.hpp"

namespace bayesieve_python {
namespace {

using bayesieve::modl::PriorKind;

PriorKind prior_kind(const char* name) {
    const std::string kind(name);
    require(kind == "khiops" || kind == "2006", "prior must be 'khiops' or '2006'");
    return kind == "khiops" ? PriorKind::khiops : PriorKind::boulle;
}

std::int64_t interval_structure(const char* prior, std::int64_t n_attributes, double total,
                                std::int64_t n_parts, int granularity) {
    const bayesieve::modl::Prior structure(prior_kind(prior), n_attributes, total);
    const bayesieve::modl::Factorials wholes(1.0, 1, 0);
    return bayesieve::modl::IntervalStructure(structure, granularity, wholes).of(n_parts);
}

std::int64_t group_structure(const char* prior, std::int64_t n_attributes, double total,
                             const std::tuple<std::int64_t, std::int64_t, std::int64_t, int>& shape) {
    const bayesieve::modl::Prior structure(prior_kind(prior), n_attributes, total);
    const auto& [n_values, n_groups, n_garbage, granularity] = shape;
    return structure.construction(n_groups) + structure.groups({n_values, n_groups, n_garbage, granularity});
}

nb::object part_costs(const Array& counts, double unit) {
    const auto* cells = matrix_of<std::int64_t>(counts, "counts must be a C-contiguous int64 matrix");
    const std::size_t n_parts = counts.shape(0), n_classes = counts.shape(1);
    const bayesieve::modl::Factorials factorials(unit, static_cast<int>(n_classes), 255);
    std::int64_t* costs;
    nb::object result = zeros(nb::make_tuple(n_parts), "int64", costs);
    for (std::size_t i = 0; i < n_parts; ++i) costs[i] = factorials.part(cells + i * n_classes);
    return result;
}

constexpr std::int64_t kMostUnits = std::int64_t{1} << 62, kMostWeight = std::int64_t{1} << 30;

// No total may pass the range in which costs are exact integers.
void check_tables(const bayesieve::modl::IntervalTables& tables) {
    require(tables.offsets[0] == 0, "offsets must start at 0");
    for (std::size_t t = 0; t < tables.n_tables; ++t) {
        require(tables.offsets[t] <= tables.offsets[t + 1], "offsets must not decrease");
        require(tables.monotone[t] == 0 || tables.n_classes == 2, "monotone needs two classes");
        std::int64_t total = 0;
        for (std::int64_t i = tables.offsets[t] * tables.n_classes;
             i < tables.offsets[t + 1] * tables.n_classes; ++i) {
            require(tables.counts[i] >= 0, "counts must not be negative");
            require(tables.counts[i] < kMostUnits - total,
                    "the counts of a table must add up to less than 2**62");
            total += tables.counts[i];
        }
        require(static_cast<double>(total) * tables.unit <= static_cast<double>(kMostWeight),
                "the weights of a table must add up to at most 2**30");
    }
}

bayesieve::modl::IntervalTables interval_tables(const Array& counts, const Array& offsets, double unit,
                                                const Array& fixed_first, const Array& monotone) {
    require(offsets.size() > 0, "offsets must start at 0");
    const std::size_t n_tables = offsets.size() - 1;
    const bayesieve::modl::IntervalTables tables{
        matrix_of<std::int64_t>(counts, "counts must be a C-contiguous int64 matrix"),
        vector_of<std::int64_t>(offsets, n_tables + 1, "offsets must be a contiguous int64 vector"),
        n_tables,
        static_cast<int>(counts.shape(1)),
        unit,
        vector_of<std::uint8_t>(fixed_first, n_tables,
                                "fixed_first must be a contiguous uint8 vector, one entry a table"),
        vector_of<std::int8_t>(monotone, n_tables,
                               "monotone must be a contiguous int8 vector, one entry a table")};
    require(tables.offsets[n_tables] == static_cast<std::int64_t>(counts.shape(0)),
            "offsets must end at the number of rows");
    require(tables.n_classes >= 1, "there must be a class");
    int exponent;
    require(unit > 0.0 && std::frexp(unit, &exponent) == 0.5, "unit must be a power of two");
    return tables;
}

nb::object modl_intervals(const Array& counts, const Array& offsets, double unit, const char* prior,
                          std::int64_t n_attributes, const Array& fixed_first, const Array& monotone,
                          std::int64_t least, std::int64_t max_parts, int n_threads) {
    const auto tables = interval_tables(counts, offsets, unit, fixed_first, monotone);
    const bayesieve::modl::IntervalRules rules{prior_kind(prior), n_attributes, least, max_parts};
    std::vector<bayesieve::modl::FoundIntervals> found;
    {
        nb::gil_scoped_release release;
        check_tables(tables);
        Interruption interruption;
        found = bayesieve::modl::find_intervals(tables, rules, n_threads, [&] { interruption.poll(); });
    }
    std::size_t n_cuts = 0;
    for (const auto& one : found) n_cuts += one.cuts.size();
    std::int64_t *cuts, *cut_offsets, *granularities, *costs;
    nb::object result = nb::make_tuple(zeros(nb::make_tuple(n_cuts), "int64", cuts),
                                       zeros(nb::make_tuple(found.size() + 1), "int64", cut_offsets),
                                       zeros(nb::make_tuple(found.size()), "int64", granularities),
                                       zeros(nb::make_tuple(found.size(), 2), "int64", costs));
    for (std::size_t t = 0; t < found.size(); ++t) {
        std::copy(found[t].cuts.begin(), found[t].cuts.end(), cuts + cut_offsets[t]);
        cut_offsets[t + 1] = cut_offsets[t] + static_cast<std::int64_t>(found[t].cuts.size());
        granularities[t] = found[t].granularity;
        costs[2 * t] = found[t].cost;
        costs[2 * t + 1] = found[t].null;
    }
    return result;
}

}  // namespace

void bind_modl(nb::module_& module) {
    module.def("modl_interval_structure", &interval_structure, nb::arg("prior"), nb::arg("n_attributes"),
               nb::arg("total"), nb::arg("n_parts"), nb::arg("granularity"),
               "Structure cost of a partition into intervals, construction included.");
    module.def(
        "modl_group_structure", &group_structure, nb::arg("prior"), nb::arg("n_attributes"), nb::arg("total"),
        nb::arg("shape"),
        "Structure cost of a grouping (values, groups, garbage values, granularity), construction included.");
    module.def("modl_intervals", &modl_intervals, nb::arg("counts"), nb::arg("offsets"), nb::arg("unit"),
               nb::arg("prior"), nb::arg("n_attributes"), nb::arg("fixed_first"), nb::arg("monotone"),
               nb::arg("least"), nb::arg("max_parts"), nb::arg("n_threads"),
               "Optimal intervals of each table: cuts, their offsets, granularities, and costs beside the "
               "null model's.");
    module.def("modl_part_costs", &part_costs, nb::arg("counts"), nb::arg("unit"),
               "What each part costs, preparation and data together.");
}

}  // namespace bayesieve_python
