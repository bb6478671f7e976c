// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/columns/text_numbers.hpp"

#include <string>
#include <vector>

#include "arrays.hpp"

namespace bayesieve_python {
namespace {

bayesieve::DelimitedText text_of(const nb::bytes& content, std::size_t begin, std::size_t n_columns,
                                 const nb::bytes& signs, const nb::list& marks) {
    require(begin <= content.size(), "begin must not be beyond the content");
    require(n_columns >= 1, "n_columns must be at least 1");
    require(signs.size() == 2, "signs must be the separator and the decimal mark, one byte each");
    require(std::string("0123456789+-.eE").find(signs.c_str()[0]) == std::string::npos &&
                signs.c_str()[0] != signs.c_str()[1],
            "the separator must not occur in numbers");
    bayesieve::DelimitedText text{content.c_str() + begin,
                                  content.c_str() + content.size(),
                                  n_columns,
                                  signs.c_str()[0],
                                  signs.c_str()[1],
                                  {}};
    for (const nb::handle mark : marks) {
        const nb::bytes each = nb::cast<nb::bytes>(mark);
        text.marks.emplace_back(each.c_str(), each.size());
    }
    return text;
}

nb::object read_numbers(const nb::bytes& content, std::size_t begin, const Array& skipped,
                        const nb::bytes& signs, const nb::list& marks) {
    const std::size_t n_columns = skipped.size();
    const auto* left_out = vector_of<std::uint8_t>(skipped, n_columns, "skipped must be a uint8 vector");
    const bayesieve::DelimitedText text = text_of(content, begin, n_columns, signs, marks);
    const std::size_t n_lines = bayesieve::count_lines(text);
    std::vector<bayesieve::TextColumn> columns(n_columns, {bayesieve::TextKind::whole, 0});
    for (std::size_t j = 0; j < n_columns; ++j)
        if (left_out[j] != 0) columns[j].kind = bayesieve::TextKind::other;
    std::int64_t *values, *n_missing;
    std::uint8_t *missing, *kinds;
    const nb::tuple shape = nb::make_tuple(n_columns, n_lines), of_columns = nb::make_tuple(n_columns);
    nb::object numbers = allocate("empty", shape, "int64", values), absent = zeros(shape, "uint8", missing);
    nb::object kind_of = zeros(of_columns, "uint8", kinds), counts = zeros(of_columns, "int64", n_missing);
    bool is_regular;
    {
        nb::gil_scoped_release release;
        Interruption interruption;
        is_regular = bayesieve::read_numbers(text, n_lines, values, missing, columns.data(),
                                             [&] { interruption.poll(); });
    }
    if (!is_regular) return nb::none();
    for (std::size_t j = 0; j < n_columns; ++j) {
        kinds[j] = static_cast<std::uint8_t>(columns[j].kind);
        n_missing[j] = columns[j].n_missing;
    }
    return nb::make_tuple(kind_of, counts, numbers, absent);
}

}  // namespace

void bind_text_numbers(nb::module_& module) {
    module.def("read_numbers", &read_numbers, nb::arg("content"), nb::arg("begin"), nb::arg("skipped"),
               nb::arg("signs"), nb::arg("marks"),
               "Kinds, numbers of missing values, values and missing cells of the columns of delimited text; "
               "None if a line is blank or has another number of values.");
}

}  // namespace bayesieve_python
