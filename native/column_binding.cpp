#include <algorithm>
#include <vector>

#include "arrays.hpp"
#include "bayesieve/count.hpp"
#include "bayesieve/index.hpp"

namespace bayesieve_python {
namespace {

void check_offsets(const std::int64_t* offsets, std::size_t n_columns) {
    require(offsets[0] == 0, "offsets must start at 0");
    for (std::size_t j = 0; j < n_columns; ++j) {
        require(offsets[j] <= offsets[j + 1], "offsets must not decrease");
        require(offsets[j + 1] - offsets[j] <= 65536, "a column must not have more than 65536 codes");
    }
}

template <typename Code>
void count_columns(const Code* codes, std::size_t n_columns, const bayesieve::Rows& rows,
                   const std::int64_t* offsets, std::int64_t* counts) {
    Interruption interruption;
    for (std::size_t j = 0; j < n_columns; ++j) {
        const Code* column = codes + j * rows.n_rows;
        require(bayesieve::codes_below(column, rows.n_rows, offsets[j + 1] - offsets[j]),
                "codes of a column must be smaller than its number of codes in offsets");
        bayesieve::count_column(column, rows, counts + offsets[j] * rows.n_classes);
        interruption.poll();
    }
}

nb::object count_codes(const Array& codes, const Array& target, const Array& weights, const Array& offsets,
                       std::int32_t n_classes) {
    const bool narrow = codes.dtype() == nb::dtype<std::uint8_t>();
    require(
        codes.ndim() == 2 && (narrow || codes.dtype() == nb::dtype<std::uint16_t>()) && c_contiguous(codes),
        "codes must be a C-contiguous uint8 or uint16 array of shape (n_columns, n_rows)");
    const std::size_t n_columns = codes.shape(0), n_rows = codes.shape(1);
    const bayesieve::Rows rows{
        vector_of<std::int32_t>(target, n_rows, "target must be a contiguous int32 array of shape (n_rows,)"),
        vector_of<std::int64_t>(weights, n_rows,
                                "weights must be a contiguous int64 array of shape (n_rows,)"),
        n_rows, n_classes};
    const std::int64_t* bounds = vector_of<std::int64_t>(
        offsets, n_columns + 1, "offsets must be a contiguous int64 array of shape (n_columns + 1,)");
    check_offsets(bounds, n_columns);

    const char* fault = nullptr;
    {
        nb::gil_scoped_release release;
        fault = bayesieve::find_fault(rows);
    }
    require(fault == nullptr, fault);

    std::int64_t* counts;
    nb::object result = zeros(nb::make_tuple(bounds[n_columns], n_classes), "int64", counts);
    nb::gil_scoped_release release;
    if (narrow) {
        count_columns(static_cast<const std::uint8_t*>(codes.data()), n_columns, rows, bounds, counts);
    } else {
        count_columns(static_cast<const std::uint16_t*>(codes.data()), n_columns, rows, bounds, counts);
    }
    return result;
}

nb::object index_numbers(const Array& numbers) {
    const std::size_t n = numbers.size();
    require(n < (std::size_t{1} << 31), "a column must have fewer than 2**31 rows");
    const double* values = vector_of<double>(numbers, n, "numbers must be a contiguous float64 vector");
    std::int32_t* ids;
    nb::object positions = zeros(nb::make_tuple(n), "int32", ids);
    std::vector<double> distinct;
    {
        nb::gil_scoped_release release;
        distinct = bayesieve::index_numbers(values, n, ids);
    }
    double* labels;
    nb::object result = zeros(nb::make_tuple(distinct.size()), "float64", labels);
    std::copy(distinct.begin(), distinct.end(), labels);
    return nb::make_tuple(result, positions);
}

bayesieve::IndexedRows indexed_rows(const Array& ids, const Array& rows, std::int64_t n_ids) {
    const bayesieve::IndexedRows indexed{
        vector_of<std::int32_t>(ids, ids.size(), "ids must be a contiguous int32 vector"), ids.size(), n_ids,
        vector_of<std::int64_t>(rows, rows.size(), "rows must be a contiguous int64 vector"), rows.size()};
    const char* fault = bayesieve::find_fault(indexed);
    require(fault == nullptr, fault);
    return indexed;
}

nb::object count_labels(const Array& ids, const Array& rows, const Array& target, const Array& weights,
                        std::int64_t n_labels, std::int32_t n_classes) {
    require(n_labels >= 0 && n_classes >= 1, "n_labels must be at least 0 and n_classes at least 1");
    const bayesieve::IndexedRows indexed = indexed_rows(ids, rows, n_labels + 1);
    const auto* classes = vector_of<std::int32_t>(
        target, indexed.n, "target must be a contiguous int32 vector, one entry a row");
    const std::int64_t* weighed =
        weights.size() == 0 ? nullptr
                            : vector_of<std::int64_t>(weights, indexed.n,
                                                      "weights must be empty, or a contiguous int64 vector");
    std::int64_t* counts;
    nb::object result = zeros(nb::make_tuple(n_labels + 1, n_classes), "int64", counts);
    require(bayesieve::count_indexed(indexed, classes, weighed, n_classes, counts),
            "target must hold values from 0 to n_classes - 1");
    return result;
}

void look_up(const Array& ids, const Array& rows, const Array& parts, nb::ndarray<nb::device::cpu>& codes) {
    const auto* table =
        vector_of<std::int64_t>(parts, parts.size(), "parts must be a contiguous int64 vector");
    const bayesieve::IndexedRows indexed = indexed_rows(ids, rows, static_cast<std::int64_t>(parts.size()));
    const bool narrow = codes.dtype() == nb::dtype<std::uint8_t>();
    require(codes.ndim() == 1 && codes.shape(0) == indexed.n &&
                (codes.shape(0) < 2 || codes.stride(0) == 1) &&
                (narrow || codes.dtype() == nb::dtype<std::uint16_t>()),
            "codes must be a contiguous uint8 or uint16 vector, one entry a row");
    for (std::size_t v = 0; v < parts.size(); ++v)
        require(table[v] >= 0 && table[v] <= (narrow ? 0xff : 0xffff), "parts must fit the codes");
    if (narrow) {
        bayesieve::look_up(indexed, table, static_cast<std::uint8_t*>(codes.data()));
    } else {
        bayesieve::look_up(indexed, table, static_cast<std::uint16_t*>(codes.data()));
    }
}

}  // namespace

void bind_columns(nb::module_& module) {
    module.def("count_labels", &count_labels, nb::arg("ids"), nb::arg("rows"), nb::arg("target"),
               nb::arg("weights"), nb::arg("n_labels"), nb::arg("n_classes"),
               "Weight of each label (missing last) in each class, over some rows.");
    module.def("look_up", &look_up, nb::arg("ids"), nb::arg("rows"), nb::arg("parts"), nb::arg("codes"),
               "Write the part of each row's label into codes.");
    module.def(
        "index_numbers", &index_numbers, nb::arg("numbers"),
        "Distinct numbers in increasing order, and each number's position; NaN stands after the last.");
    module.def("count_codes", &count_codes, nb::arg("codes"), nb::arg("target"), nb::arg("weights"),
               nb::arg("offsets"), nb::arg("n_classes"),
               "Weighted counts of every column at once, shape (offsets[-1], n_classes).");
}

}  // namespace bayesieve_python
