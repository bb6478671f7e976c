// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "bayesieve/columns/count.hpp"
#include "bayesieve/filters/joint_sums.hpp"
#include "bayesieve/filters/relieff.hpp"
#include "code_arrays.hpp"

namespace bayesieve_python {
namespace {

// Python's arrays, which live as long as the object, in the order of src/bayesieve/filters/joint_counts.py.
class JointSums {
  public:
    JointSums(const nb::tuple& arrays, const Array& target, const Array& weights, std::int32_t n_classes,
              int shift, int n_threads)
        : n_threads_(n_threads) {
        kept_ = code_arrays(arrays);
        const bayesieve::RawCodes codes = raw_codes(kept_);
        kept_.push_back(target);
        kept_.push_back(weights);
        n_columns_ = codes.n_columns;
        const bayesieve::ClassRows rows = read_rows(codes.n_rows, n_classes);
        require(-1000 < shift && shift < 1000, "shift is out of range");
        nb::gil_scoped_release release;
        sums_ = std::make_unique<bayesieve::JointSums>(codes, rows, shift);
    }

    nb::object sums(std::int64_t other, const Array& columns, bool with_class) const {
        const auto* wanted =
            vector_of<std::int64_t>(columns, columns.size(), "columns must be a contiguous int64 vector");
        const auto known = [&](std::int64_t j) {
            return 0 <= j && j < static_cast<std::int64_t>(n_columns_);
        };
        require(known(other) && std::all_of(wanted, wanted + columns.size(), known),
                "columns must be positions of columns");
        std::int64_t *pairs, *triples = nullptr;
        nb::object first = zeros(nb::make_tuple(columns.size()), "int64", pairs), second = nb::none();
        if (with_class) second = zeros(nb::make_tuple(columns.size()), "int64", triples);
        {
            nb::gil_scoped_release release;
            Interruption interruption;
            sums_->sums(static_cast<std::size_t>(other), wanted, columns.size(), pairs, triples,
                        {n_threads_, [&] { interruption.poll(); }});
        }
        return nb::make_tuple(first, second);
    }

  private:
    bayesieve::ClassRows read_rows(std::size_t n_rows, std::int32_t n_classes) const {
        const auto* target =
            vector_of<std::int32_t>(kept_[8], n_rows, "target must be a contiguous int32 vector");
        const auto* weights =
            vector_of<std::int64_t>(kept_[9], n_rows, "weights must be a contiguous int64 vector");
        const char* fault = bayesieve::find_fault({target, weights, n_rows, n_classes});
        require(fault == nullptr, fault);
        require(std::is_sorted(target, target + n_rows), "rows must be sorted by class");
        require(n_rows < (std::size_t{1} << 31), "there must be fewer than 2**31 rows");
        bayesieve::ClassRows rows{{}, weights, n_rows > 0 ? weights[0] : 1};
        for (std::int32_t c = 0; c <= n_classes; ++c)
            rows.class_begins.push_back(
                static_cast<std::size_t>(std::lower_bound(target, target + n_rows, c) - target));
        if (std::all_of(weights, weights + n_rows, [&](std::int64_t w) { return w == rows.weight; }))
            rows.weights = nullptr;
        return rows;
    }

    std::vector<Array> kept_;
    std::size_t n_columns_ = 0;
    int n_threads_;
    std::unique_ptr<bayesieve::JointSums> sums_;
};

nb::object relieff(const Array& values, const Array& begins, const Array& penalties, const Array& target,
                   const Array& shares, const Array& factors, int n_threads) {
    bayesieve::ReliefProblem problem{};
    problem.values = matrix_of<double>(values, "values must be a contiguous float64 matrix");
    problem.n_columns = values.shape(0), problem.n_rows = values.shape(1);
    const auto* ends = vector_of<std::int64_t>(begins, 4, "begins must be a contiguous int64 vector of four");
    require(ends[0] == 0 && ends[0] <= ends[1] && ends[1] <= ends[2] && ends[2] <= ends[3] &&
                ends[3] == static_cast<std::int64_t>(problem.n_columns),
            "begins must cover the columns");
    for (int t = 0; t < 4; ++t) problem.begins[t] = static_cast<std::size_t>(ends[t]);
    problem.penalties =
        vector_of<double>(penalties, problem.n_columns, "penalties must have one entry per column");
    problem.target =
        vector_of<std::int32_t>(target, problem.n_rows, "target must be a contiguous int32 vector");
    problem.shares = matrix_of<double>(shares, "shares must be a contiguous float64 matrix");
    problem.n_neighbors = shares.shape(1);
    require(problem.n_neighbors >= 1 && shares.shape(0) == problem.n_neighbors + 1,
            "shares must have one row more than columns");
    problem.factors = matrix_of<double>(factors, "factors must be a contiguous float64 matrix");
    problem.n_classes = factors.shape(0);
    require(factors.shape(1) == problem.n_classes, "factors must have one row and one column per class");
    require(problem.n_rows < (std::size_t{1} << 22), "ReliefF takes fewer than 2**22 rows");
    for (std::size_t i = 0; i < problem.n_rows; ++i)
        require(0 <= problem.target[i] && problem.target[i] < static_cast<std::int64_t>(problem.n_classes),
                "target must hold values from 0 to n_classes - 1");
    std::int64_t* weights;
    nb::object result = zeros(nb::make_tuple(problem.n_columns), "int64", weights);
    nb::gil_scoped_release release;
    Interruption interruption;
    const auto found = bayesieve::relieff(problem, {n_threads, [&] { interruption.poll(); }});
    std::copy(found.begin(), found.end(), weights);
    return result;
}

}  // namespace

void bind_filters(nb::module_& module) {
    nb::class_<JointSums>(module, "JointSums")
        .def(nb::init<const nb::tuple&, const Array&, const Array&, std::int32_t, int, int>(),
             nb::arg("codes"), nb::arg("target"), nb::arg("weights"), nb::arg("n_classes"), nb::arg("shift"),
             nb::arg("n_threads"))
        .def("sums", &JointSums::sums, nb::arg("other"), nb::arg("columns"), nb::arg("with_class"),
             "Sums of n log n over the cells of pairs of columns, and of those with the class.");
    module.def("relieff", &relieff, nb::arg("values"), nb::arg("begins"), nb::arg("penalties"),
               nb::arg("target"), nb::arg("shares"), nb::arg("factors"), nb::arg("n_threads"),
               "Sums of shares of differences between near rows, in multiples of 2^-40.");
}

}  // namespace bayesieve_python
