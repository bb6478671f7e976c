// SPDX-License-Identifier: BSD-3-Clause
// The Python face of the core: checks shapes, dtypes and ranges once, releases the GIL, calls the core.
#include "arrays.hpp"

NB_MODULE(_core, module) {
    module.doc() = "The compiled loops over rows; each has a NumPy twin.";
    nanobind::set_leak_warnings(false);  // objects in Python's caches live until the end of the process
    bayesieve_python::bind_gradient_histogram(module);
    bayesieve_python::bind_cells(module);
    bayesieve_python::bind_bins(module);
    bayesieve_python::bind_columns(module);
    bayesieve_python::bind_elementary(module);
    bayesieve_python::bind_engine(module);
    bayesieve_python::bind_filters(module);
    bayesieve_python::bind_mdlp(module);
    bayesieve_python::bind_modl(module);
    bayesieve_python::bind_modl_average(module);
    bayesieve_python::bind_modl_groups(module);
    bayesieve_python::bind_pairs(module);
    bayesieve_python::bind_cyclic_fit(module);
    bayesieve_python::bind_posteriors(module);
    bayesieve_python::bind_stacks(module);
    bayesieve_python::bind_weight_gradients(module);
}
