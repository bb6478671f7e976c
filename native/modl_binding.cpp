#include <nanobind/stl/tuple.h>

#include <string>
#include <tuple>

#include "arrays.hpp"
#include "bayesieve/modl_cost.hpp"

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
    return structure.construction(n_parts) + structure.intervals(n_parts, granularity);
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

}  // namespace

void bind_modl(nb::module_& module) {
    module.def("modl_interval_structure", &interval_structure, nb::arg("prior"), nb::arg("n_attributes"),
               nb::arg("total"), nb::arg("n_parts"), nb::arg("granularity"),
               "Structure cost of a partition into intervals, construction included.");
    module.def(
        "modl_group_structure", &group_structure, nb::arg("prior"), nb::arg("n_attributes"), nb::arg("total"),
        nb::arg("shape"),
        "Structure cost of a grouping (values, groups, garbage values, granularity), construction included.");
    module.def("modl_part_costs", &part_costs, nb::arg("counts"), nb::arg("unit"),
               "What each part costs, preparation and data together.");
}

}  // namespace bayesieve_python
