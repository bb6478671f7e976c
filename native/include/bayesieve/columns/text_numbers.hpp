// SPDX-License-Identifier: BSD-3-Clause
// Numbers of delimited text, read in one pass over its bytes, as src/bayesieve/data/files/text_numbers.py
// specifies it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace bayesieve {

// Lines without quotes, each of n_columns values; the last one may lack its end.
struct DelimitedText {
    const char* begin;
    const char* end;
    std::size_t n_columns;
    char separator, decimal;
    std::vector<std::string> marks;  // texts of missing values, besides empty text
};

enum class TextKind : std::uint8_t { whole, real, other };

// What was read of a column.
//   kind       whole: std::int64_t in values; real: double; other: some value is neither a number nor missing
//   n_missing  rows without a value, whose values are 0 or NaN
struct TextColumn {
    TextKind kind;
    std::int64_t n_missing;
};

// Number of lines.
std::size_t count_lines(const DelimitedText& text);

// Reads all columns. Returns whether every line has n_columns values and none is blank; otherwise the rest is
// undefined.
//   values   OUT (n_columns, n_lines) of 8 bytes each
//   missing  OUT (n_columns, n_lines), zeros on entry: 1 where a value is missing
//   columns  IN, OUT (n_columns): those of kind other are not read
bool read_numbers(const DelimitedText& text, std::size_t n_lines, std::int64_t* values, std::uint8_t* missing,
                  TextColumn* columns, const std::function<void()>& poll);

}  // namespace bayesieve
