// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/gradients/gradient_histogram.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "code_arrays.hpp"

namespace bayesieve_python {
namespace {

// Python's arrays, which live as long as the object, in the order of code_arrays.hpp.
class GradientHistogram {
  public:
    GradientHistogram(const nb::tuple& arrays, int n_threads)
        : kept_(code_arrays(arrays)), codes_(raw_codes(kept_)), n_threads_(n_threads) {}

    nb::object sums(const Array& columns, const Array& gradients) const {
        const std::size_t n = columns.size();
        const auto* wanted = vector_of<std::int64_t>(columns, n, "columns must be a contiguous int64 vector");
        const auto known = [&](std::int64_t j) {
            return 0 <= j && j < static_cast<std::int64_t>(codes_.n_columns);
        };
        require(std::all_of(wanted, wanted + n, known), "columns must be positions of columns");
        const auto* values =
            matrix_of<std::int64_t>(gradients, "gradients must be a contiguous int64 matrix");
        require(gradients.shape(0) == codes_.n_rows, "gradients must have one entry per row");
        const std::int64_t n_codes =
            std::accumulate(wanted, wanted + n, std::int64_t{0},
                            [&](std::int64_t sum, std::int64_t j) { return sum + codes_.n_codes[j]; });
        std::int64_t* sums = nullptr;
        nb::object out = zeros(nb::make_tuple(n_codes, gradients.shape(1)), "int64", sums);
        {
            nb::gil_scoped_release release;
            Interruption interruption;
            bayesieve::add_gradient_histograms(codes_, wanted, n, {values, gradients.shape(1)}, sums,
                                               {n_threads_, [&] { interruption.poll(); }});
        }
        return out;
    }

  private:
    std::vector<Array> kept_;
    bayesieve::RawCodes codes_;
    int n_threads_;
};

}  // namespace

void bind_gradient_histogram(nb::module_& module) {
    nb::class_<GradientHistogram>(module, "GradientHistogram")
        .def(nb::init<const nb::tuple&, int>(), nb::arg("codes"), nb::arg("n_threads"))
        .def("sums", &GradientHistogram::sums, nb::arg("columns"), nb::arg("gradients"));
}

}  // namespace bayesieve_python
