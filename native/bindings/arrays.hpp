// SPDX-License-Identifier: BSD-3-Clause
// Checks of arrays that come from Python, and Ctrl-C during long loops.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace bayesieve_python {

namespace nb = nanobind;
using Array = nb::ndarray<nb::ro, nb::device::cpu>;

inline void require(bool condition, const char* sentence) {
    if (!condition) throw nb::value_error(sentence);
}

inline bool c_contiguous(const Array& array) {
    if (array.size() == 0) return true;
    std::int64_t expected = 1;
    for (std::size_t axis = array.ndim(); axis-- > 0;) {
        if (array.shape(axis) > 1 && array.stride(axis) != expected) return false;
        expected *= static_cast<std::int64_t>(array.shape(axis));
    }
    return true;
}

template <typename Scalar>
const Scalar* vector_of(const Array& array, std::size_t size, const char* sentence) {
    require(array.ndim() == 1 && array.shape(0) == size && array.dtype() == nb::dtype<Scalar>() &&
                c_contiguous(array),
            sentence);
    return static_cast<const Scalar*>(array.data());
}

template <typename Scalar>
const Scalar* matrix_of(const Array& array, const char* sentence) {
    require(array.ndim() == 2 && array.dtype() == nb::dtype<Scalar>() && c_contiguous(array), sentence);
    return static_cast<const Scalar*>(array.data());
}

// Lets Ctrl-C through during long loops, without taking the GIL each time.
class Interruption {
  public:
    void poll() {
        const auto now = std::chrono::steady_clock::now();
        if (now - last_ < std::chrono::milliseconds(100)) return;
        last_ = now;
        nb::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
    }

  private:
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// NumPy allocates, so that a result has NumPy's own dtype.
template <typename Scalar>
nb::object allocate(const char* function, const nb::tuple& shape, const char* dtype, Scalar*& data) {
    nb::object array = nb::module_::import_("numpy").attr(function)(shape, nb::arg("dtype") = dtype);
    data = nb::cast<nb::ndarray<Scalar, nb::c_contig, nb::device::cpu>>(array).data();
    return array;
}

template <typename Scalar>
nb::object zeros(const nb::tuple& shape, const char* dtype, Scalar*& data) {
    return allocate("zeros", shape, dtype, data);
}

void bind_gradient_histogram(nb::module_& module);
void bind_cells(nb::module_& module);
void bind_bins(nb::module_& module);
void bind_columns(nb::module_& module);
void bind_elementary(nb::module_& module);
void bind_engine(nb::module_& module);
void bind_filters(nb::module_& module);
void bind_mdlp(nb::module_& module);
void bind_modl(nb::module_& module);
void bind_modl_average(nb::module_& module);
void bind_modl_groups(nb::module_& module);
void bind_pairs(nb::module_& module);
void bind_cyclic_fit(nb::module_& module);
void bind_posteriors(nb::module_& module);
void bind_stacks(nb::module_& module);
void bind_weight_gradients(nb::module_& module);

}  // namespace bayesieve_python
