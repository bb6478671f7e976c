// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/coding/mdlp.hpp"

#include "interval_tables.hpp"

namespace bayesieve_python {
namespace {

nb::object mdlp_intervals(const Array& counts, const Array& offsets, double unit, const Array& fixed_first,
                          const Array& monotone, std::int64_t least, std::int64_t max_bins, int n_threads) {
    const auto tables = interval_tables(counts, offsets, unit, fixed_first, monotone);
    std::vector<std::vector<std::int64_t>> found;
    {
        nb::gil_scoped_release release;
        check_tables(tables, counts.shape(0));
        Interruption interruption;
        found = bayesieve::mdlp_intervals(tables, least, max_bins, n_threads, [&] { interruption.poll(); });
    }
    const auto [cuts, offsets_of_cuts] = stacked(found);
    return nb::make_tuple(cuts, offsets_of_cuts);
}

}  // namespace

void bind_mdlp(nb::module_& module) {
    module.def("mdlp_intervals", &mdlp_intervals, nb::arg("counts"), nb::arg("offsets"), nb::arg("unit"),
               nb::arg("fixed_first"), nb::arg("monotone"), nb::arg("least"), nb::arg("max_bins"),
               nb::arg("n_threads"),
               "Cuts of each table by recursive entropy with an MDL stop, and their offsets.");
}

}  // namespace bayesieve_python
