// SPDX-License-Identifier: BSD-3-Clause
#include "arrays.hpp"
#include "bayesieve/kernels/kernels.hpp"

namespace bayesieve_python {
namespace {

nb::object fixed_logs(const Array& x) {
    const std::size_t n = x.size();
    const auto* numbers = vector_of<double>(x, n, "x must be a contiguous float64 vector");
    std::int64_t* logs;
    nb::object result = zeros(nb::make_tuple(n), "int64", logs);
    nb::gil_scoped_release release;
    bayesieve::kernels().fixed_logs(numbers, n, logs);
    return result;
}

}  // namespace

void bind_elementary(nb::module_& module) {
    module.def("fixed_logs", &fixed_logs, nb::arg("x"),
               "log x of normal numbers x > 0, in multiples of 2^-40.");
}

}  // namespace bayesieve_python
