#include "bayesieve/gradients/gradient_histogram.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "code_arrays.hpp"

namespace bayesieve_python {
namespace {

// Python's arrays, which live as long as the object, in the order of src/bayesieve/engine/pull_sums.py.
class PullSums {
  public:
    PullSums(const nb::tuple& parts, int n_threads)
        : kept_(code_arrays(parts)), codes_(raw_codes(kept_)), n_threads_(n_threads) {}

    nb::object sums(const Array& columns, const Array& pulls) const {
        const std::size_t n = columns.size();
        const auto* wanted = vector_of<std::int64_t>(columns, n, "columns must be a contiguous int64 vector");
        const auto known = [&](std::int64_t j) {
            return 0 <= j && j < static_cast<std::int64_t>(codes_.n_columns);
        };
        require(std::all_of(wanted, wanted + n, known), "columns must be positions of columns");
        const auto* values = matrix_of<std::int64_t>(pulls, "pulls must be a contiguous int64 matrix");
        require(pulls.shape(0) == codes_.n_rows, "pulls must have one entry a row");
        const std::int64_t n_codes =
            std::accumulate(wanted, wanted + n, std::int64_t{0},
                            [&](std::int64_t sum, std::int64_t j) { return sum + codes_.n_codes[j]; });
        std::int64_t* sums = nullptr;
        nb::object out = zeros(nb::make_tuple(n_codes, pulls.shape(1)), "int64", sums);
        {
            nb::gil_scoped_release release;
            Interruption interruption;
            bayesieve::sum_pulls(codes_, wanted, n, {values, pulls.shape(1)}, sums,
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

void bind_boosting(nb::module_& module) {
    nb::class_<PullSums>(module, "PullSums")
        .def(nb::init<const nb::tuple&, int>(), nb::arg("codes"), nb::arg("n_threads"))
        .def("sums", &PullSums::sums, nb::arg("columns"), nb::arg("pulls"));
}

}  // namespace bayesieve_python
