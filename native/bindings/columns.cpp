// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <vector>

#include "arrays.hpp"
#include "bayesieve/columns/column_batch.hpp"
#include "bayesieve/columns/count.hpp"
#include "bayesieve/columns/index.hpp"
#include "bayesieve/columns/picked_rows.hpp"
#include "bayesieve/pool.hpp"

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
void count_code_columns(const Code* codes, std::size_t n_columns, const bayesieve::Rows& rows,
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
        count_code_columns(static_cast<const std::uint8_t*>(codes.data()), n_columns, rows, bounds, counts);
    } else {
        count_code_columns(static_cast<const std::uint16_t*>(codes.data()), n_columns, rows, bounds, counts);
    }
    return result;
}

template <typename Number>
void index_typed(const Array& numbers, std::int32_t* ids, std::vector<std::vector<double>>& distinct,
                 int n_threads) {
    const bayesieve::NumberColumns<Number> columns{static_cast<const Number*>(numbers.data()),
                                                   numbers.shape(0), numbers.shape(1), numbers.stride(0),
                                                   numbers.stride(1)};
    nb::gil_scoped_release release;
    Interruption interruption;
    bayesieve::run_blocks(
        columns.n_columns, columns.together(), n_threads,
        [&](std::size_t begin, std::size_t end, int) {
            bayesieve::index_columns(columns, begin, end, ids, distinct.data());
        },
        [&] { interruption.poll(); });
}

using Index = void (*)(const Array&, std::int32_t*, std::vector<std::vector<double>>&, int);

template <typename... Numbers>
Index index_for(const nb::dlpack::dtype& dtype) {
    Index found = nullptr;
    ((found = dtype == nb::dtype<Numbers>() ? &index_typed<Numbers> : found), ...);
    return found;
}

nb::object index_columns(const Array& numbers, int n_threads) {
    const Index index = index_for<double, float, std::int8_t, std::int16_t, std::int32_t, std::int64_t,
                                  std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>(numbers.dtype());
    require(numbers.ndim() == 2 && index != nullptr,
            "numbers must be an array of floats or integers of shape (n_columns, n_rows)");
    const std::size_t n_columns = numbers.shape(0), n_rows = numbers.shape(1);
    require(n_rows < (std::size_t{1} << 31), "a column must have fewer than 2**31 rows");
    std::int32_t* ids;
    nb::object positions = allocate("empty", nb::make_tuple(n_columns, n_rows), "int32", ids);
    std::vector<std::vector<double>> distinct(n_columns);
    index(numbers, ids, distinct, n_threads);
    nb::list labels;
    for (const std::vector<double>& column : distinct) {
        double* data;
        labels.append(allocate("empty", nb::make_tuple(column.size()), "float64", data));
        std::copy(column.begin(), column.end(), data);
    }
    return nb::make_tuple(labels, positions);
}

bayesieve::ColumnBatch batch_of(const Array& ids, const Array& offsets) {
    const auto* cells =
        matrix_of<std::int32_t>(ids, "ids must be a C-contiguous int32 array of shape (n_columns, n_rows)");
    const auto* begins = vector_of<std::int64_t>(
        offsets, ids.shape(0) + 1, "offsets must be a contiguous int64 array of shape (n_columns + 1,)");
    require(begins[0] == 0, "offsets must start at 0");
    for (std::size_t j = 0; j < ids.shape(0); ++j)
        require(begins[j] <= begins[j + 1], "offsets must not decrease");
    return {cells, begins, ids.shape(0), ids.shape(1)};
}

nb::object count_columns(const Array& ids, const Array& offsets, const Array& strata, const Array& weights,
                         std::int32_t n_strata, int n_threads) {
    require(n_strata >= 1, "n_strata must be at least 1");
    const bayesieve::ColumnBatch batch = batch_of(ids, offsets);
    const bayesieve::Strata division{
        vector_of<std::int32_t>(strata, batch.n_rows,
                                "strata must be a contiguous int32 vector, one entry per row"),
        weights.size() == 0 ? nullptr
                            : vector_of<std::int64_t>(weights, batch.n_rows,
                                                      "weights must be empty, or a contiguous int64 vector"),
        n_strata};
    std::int64_t* counts;
    nb::object result = zeros(nb::make_tuple(batch.offsets[batch.n_columns], n_strata), "int64", counts);
    const char* fault;
    {
        nb::gil_scoped_release release;
        Interruption interruption;
        fault = count_columns(batch, division, counts, {n_threads, [&] { interruption.poll(); }});
    }
    require(fault == nullptr, fault);
    return result;
}

// The bins of the labels of each column.
class BinsOfLabels {
  public:
    explicit BinsOfLabels(const nb::list& bins) {
        for (const nb::handle each : bins) arrays_.push_back(nb::cast<Array>(each));
        for (const Array& each : arrays_)
            data_.push_back(vector_of<std::int64_t>(
                each, each.size(), "the bins of a column must be a contiguous int64 vector"));
    }

    std::size_t size() const { return arrays_.size(); }
    std::size_t n_labels(std::size_t j) const { return arrays_[j].size(); }
    const std::int64_t* const* data() const { return data_.data(); }

  private:
    std::vector<Array> arrays_;
    std::vector<const std::int64_t*> data_;
};

void code_columns(const Array& ids, const Array& offsets, const Array& rows, const nb::list& bins,
                  nb::ndarray<nb::device::cpu>& codes, int n_threads) {
    const bayesieve::ColumnBatch batch = batch_of(ids, offsets);
    const BinsOfLabels tables(bins);
    bool fits = tables.size() == batch.n_columns;
    for (std::size_t j = 0; fits && j < batch.n_columns; ++j)
        fits = tables.n_labels(j) == static_cast<std::size_t>(batch.n_labels(j));
    require(fits, "bins must have a vector per column, one entry per label");
    const auto* picked = vector_of<std::int64_t>(rows, rows.size(), "rows must be a contiguous int64 vector");
    const bool narrow = codes.dtype() == nb::dtype<std::uint8_t>();
    require(codes.ndim() == 2 && codes.shape(0) == batch.n_columns && codes.shape(1) == rows.size() &&
                (codes.size() == 0 ||
                 (codes.stride(1) == 1 && static_cast<std::size_t>(codes.stride(0)) == codes.shape(1))) &&
                (narrow || codes.dtype() == nb::dtype<std::uint16_t>()),
            "codes must be a C-contiguous uint8 or uint16 array of shape (n_columns, n_picked_rows)");
    const char* fault;
    {
        nb::gil_scoped_release release;
        Interruption interruption;
        const bayesieve::Threads threads{n_threads, [&] { interruption.poll(); }};
        fault = narrow ? code_columns(batch, picked, rows.size(), tables.data(),
                                      static_cast<std::uint8_t*>(codes.data()), threads)
                       : code_columns(batch, picked, rows.size(), tables.data(),
                                      static_cast<std::uint16_t*>(codes.data()), threads);
    }
    require(fault == nullptr, fault);
}

nb::object add_by_bins(const nb::list& bins, const Array& counts, const Array& offsets) {
    const auto* cells = matrix_of<std::int64_t>(counts, "counts must be a C-contiguous int64 matrix");
    const BinsOfLabels tables(bins);
    const std::size_t n_classes = counts.shape(1);
    const auto* begins = vector_of<std::int64_t>(
        offsets, tables.size() + 1, "offsets must be a contiguous int64 vector, one entry more than bins");
    require(begins[0] == 0, "offsets must start at 0");
    std::size_t n_labels = 0;
    for (std::size_t j = 0; j < tables.size(); ++j) {
        require(begins[j] <= begins[j + 1], "offsets must not decrease");
        n_labels += tables.n_labels(j);
    }
    require(n_labels == counts.shape(0), "bins must have one entry per row of counts");
    std::int64_t* sums;
    nb::object result = zeros(nb::make_tuple(begins[tables.size()], n_classes), "int64", sums);
    const char* fault = nullptr;
    {
        nb::gil_scoped_release release;
        for (std::size_t j = 0; fault == nullptr && j < tables.size(); ++j) {
            fault = bayesieve::add_by_bin(tables.data()[j], cells, tables.n_labels(j), n_classes,
                                          begins[j + 1] - begins[j],
                                          sums + static_cast<std::size_t>(begins[j]) * n_classes);
            cells += tables.n_labels(j) * n_classes;
        }
    }
    require(fault == nullptr, fault);
    return result;
}

nb::object pick_rows(const Array& ids, const Array& n_labels, const Array& rows) {
    const auto* cells =
        matrix_of<std::int32_t>(ids, "ids must be a C-contiguous int32 array of shape (n_columns, n_rows)");
    const std::size_t n_columns = ids.shape(0), n = rows.size();
    const auto* sizes = vector_of<std::int64_t>(n_labels, n_columns, "n_labels must be an int64 vector");
    const auto* picked = vector_of<std::int64_t>(rows, n, "rows must be a contiguous int64 vector");
    for (std::size_t j = 0; j < n_columns; ++j)
        require(sizes[j] >= 0 && sizes[j] < (std::int64_t{1} << 31), "n_labels must be below 2**31");
    std::int32_t* positions;
    nb::object result = allocate("empty", nb::make_tuple(n_columns, n), "int32", positions);
    nb::list occurring;
    bool holds = true;
    Interruption interruption;
    for (std::size_t j = 0; holds && j < n_columns; ++j) {
        std::uint8_t* occurs;
        occurring.append(allocate("empty", nb::make_tuple(sizes[j] + 1), "uint8", occurs));
        nb::gil_scoped_release release;
        holds =
            bayesieve::pick_rows(cells + j * ids.shape(1), ids.shape(1), static_cast<std::int32_t>(sizes[j]),
                                 picked, n, occurs, positions + j * n);
        interruption.poll();
    }
    require(holds, "ids or rows are out of range");
    return nb::make_tuple(result, occurring);
}

}  // namespace

void bind_columns(nb::module_& module) {
    module.def("pick_rows", &pick_rows, nb::arg("ids"), nb::arg("n_labels"), nb::arg("rows"),
               "Some rows of columns: positions among the labels that occur, and which of them do.");
    module.def(
        "index_columns", &index_columns, nb::arg("numbers"), nb::arg("n_threads"),
        "Distinct numbers of each column in order, and each number's position; NaN stands after the last.");
    module.def("count_columns", &count_columns, nb::arg("ids"), nb::arg("offsets"), nb::arg("strata"),
               nb::arg("weights"), nb::arg("n_strata"), nb::arg("n_threads"),
               "Weight of each label of each column in each stratum.");
    module.def("add_by_bins", &add_by_bins, nb::arg("bins"), nb::arg("counts"), nb::arg("offsets"),
               "Sum of the counts of each bin of each column.");
    module.def("code_columns", &code_columns, nb::arg("ids"), nb::arg("offsets"), nb::arg("rows"),
               nb::arg("bins"), nb::arg("codes"), nb::arg("n_threads"),
               "Write the bin of each row's label into codes.");
    module.def("count_codes", &count_codes, nb::arg("codes"), nb::arg("target"), nb::arg("weights"),
               nb::arg("offsets"), nb::arg("n_classes"),
               "Weighted counts of every column at once, shape (offsets[-1], n_classes).");
}

}  // namespace bayesieve_python
