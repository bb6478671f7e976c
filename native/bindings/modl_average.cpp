// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/coding/modl/average.hpp"
#include "interval_tables.hpp"

namespace bayesieve_python {
namespace {

nb::object modl_average(const Array& counts, const Array& offsets, double unit, const Array& priors,
                        double pseudo, int n_threads) {
    require(offsets.size() > 0, "offsets must start at 0");
    const std::size_t n_tables = offsets.size() - 1;
    const auto* cells = matrix_of<std::int64_t>(counts, "counts must be a C-contiguous int64 matrix");
    const std::size_t n_rows = counts.shape(0), n_classes = counts.shape(1);
    const bayesieve::modl::AverageTables tables{
        cells,
        vector_of<std::int64_t>(offsets, n_tables + 1, "offsets must be a contiguous int64 vector"),
        n_tables,
        static_cast<int>(n_classes),
        unit,
        vector_of<double>(priors, n_rows, "priors must be a contiguous float64 vector, one entry per row"),
        pseudo};
    require(pseudo > 0.0, "pseudo must be positive");
    double *evidence, *curves, *lowered;
    nb::object shown_evidence = zeros(nb::make_tuple(n_tables), "float64", evidence);
    nb::object shown_curves = zeros(nb::make_tuple(n_rows, n_classes), "float64", curves);
    nb::object shown_lowered = zeros(nb::make_tuple(n_rows, n_classes), "float64", lowered);
    {
        nb::gil_scoped_release release;
        check_tables(tables.counts, tables.offsets, n_tables, tables.n_classes, unit, n_rows);
        Interruption interruption;
        bayesieve::modl::average_partitions(tables, {evidence, curves, lowered}, n_threads,
                                            [&] { interruption.poll(); });
    }
    return nb::make_tuple(shown_evidence, shown_curves, shown_lowered);
}

}  // namespace

void bind_modl_average(nb::module_& module) {
    module.def("modl_average", &modl_average, nb::arg("counts"), nb::arg("offsets"), nb::arg("unit"),
               nb::arg("priors"), nb::arg("pseudo"), nb::arg("n_threads"),
               "Average over the partitions of each table: evidence, curves, and curves with a row less.");
}

}  // namespace bayesieve_python
