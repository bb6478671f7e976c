// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/columns/text_numbers.hpp"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <system_error>

#include "powers_of_ten.hpp"

namespace bayesieve {
namespace {

constexpr std::ptrdiff_t kMostDigits = 18;  // of a whole number: any of them fits 64 bits
constexpr std::ptrdiff_t kFewDigits = 7;    // before and after the decimal mark: 14 digits are below 2^53
constexpr std::size_t kRowsPerPoll = 4096;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint64_t kExact = std::uint64_t{1} << 53;

bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

struct Number {
    TextKind kind;
    std::int64_t whole;
    double real;
};

constexpr Number kOther{TextKind::other, 0, 0.0};

// Numbers with more digits than a quotient of exact numbers can have, or with an exponent.
Number read_long(const char* begin, const char* end, char decimal) {
#ifdef __cpp_lib_to_chars
    char copy[64];
    const std::size_t size = static_cast<std::size_t>(end - begin);
    if (size > sizeof copy) return kOther;
    std::memcpy(copy, begin, size);
    for (std::size_t i = 0; i < size; ++i)
        if (copy[i] == decimal) copy[i] = '.';
    double value = 0.0;
    const auto [last, error] = std::from_chars(copy, copy + size, value);
    // Compilers differ in what is too small or too large.
    const bool is_read = error == std::errc() && last == copy + size && value != 0.0 && std::isfinite(value);
    return is_read ? Number{TextKind::real, 0, value} : kOther;
#else
    (void)begin, (void)end, (void)decimal;
    return kOther;
#endif
}

// -?(0|[1-9][0-9]*)?([.][0-9]+)?([eE][+-]?[0-9]+)? with a digit before the exponent. -0 is left to others: it
// is 0 among whole numbers and -0.0 among others.
Number read_number(const char* begin, const char* end, char decimal) {
    const char* p = begin;
    const bool negative = p != end && *p == '-';
    p += negative;
    const char* digits = p;
    std::uint64_t mantissa = 0;
    for (; p != end && is_digit(*p); ++p) mantissa = mantissa * 10 + static_cast<std::uint64_t>(*p - '0');
    const std::ptrdiff_t n_whole = p - digits;
    if (n_whole > 1 && *digits == '0') return kOther;
    if (p == end) {
        if (n_whole == 0 || n_whole > kMostDigits || (negative && mantissa == 0)) return kOther;
        const auto value = static_cast<std::int64_t>(mantissa);
        return {TextKind::whole, negative ? -value : value, 0.0};
    }
    std::ptrdiff_t n_decimals = 0;
    if (*p == decimal) {
        const char* first = ++p;
        for (; p != end && is_digit(*p); ++p) mantissa = mantissa * 10 + static_cast<std::uint64_t>(*p - '0');
        n_decimals = p - first;
        if (n_decimals == 0) return kOther;
    }
    if (n_whole + n_decimals == 0) return kOther;
    if (p == end && n_whole + n_decimals <= kMostDigits && mantissa <= kExact) {
        const double value = static_cast<double>(mantissa) / kPowers[n_decimals];
        return {TextKind::real, 0, negative ? -value : value};
    }
    if (p != end) {
        if (*p != 'e' && *p != 'E') return kOther;
        ++p;
        if (p != end && (*p == '+' || *p == '-')) ++p;
        const char* first = p;
        while (p != end && is_digit(*p)) ++p;
        if (p == first || p != end) return kOther;
    }
    return read_long(begin, end, decimal);
}

class Marks {
  public:
    explicit Marks(const std::vector<std::string>& marks) : marks_(marks) {
        for (const std::string& mark : marks)
            if (!mark.empty()) begins_[static_cast<unsigned char>(mark[0])] = true;
    }

    // Whether a text without blanks around it marks a missing value.
    bool hold(const char* begin, const char* end) const {
        if (begin == end) return true;
        if (!begins_[static_cast<unsigned char>(*begin)]) return false;
        const std::size_t size = static_cast<std::size_t>(end - begin);
        for (const std::string& mark : marks_)
            if (mark.size() == size && std::memcmp(mark.data(), begin, size) == 0) return true;
        return false;
    }

    bool may_be_numbers() const {
        for (char c = '0'; c <= '9'; ++c)
            if (begins_[static_cast<unsigned char>(c)]) return true;
        return false;
    }

  private:
    const std::vector<std::string>& marks_;
    bool begins_[256] = {};
};

void store(double value, std::int64_t* place) { std::memcpy(place, &value, sizeof value); }

// Whole numbers so far become doubles.
void make_real(TextColumn& column, std::int64_t* values, const std::uint8_t* missing, std::size_t n_rows) {
    column.kind = TextKind::real;
    for (std::size_t i = 0; i < n_rows; ++i)
        store(missing[i] != 0 ? kNaN : static_cast<double>(values[i]), values + i);
}

// A column while it is read.
struct Cells {
    TextColumn& column;
    std::int64_t* values;
    std::uint8_t* missing;

    void add_missing(std::size_t row) {
        if (column.kind == TextKind::real) {
            store(kNaN, values + row);
        } else {
            values[row] = 0;
        }
        missing[row] = 1;
        ++column.n_missing;
    }

    void add_whole(std::size_t row, std::int64_t value) {
        if (column.kind == TextKind::whole) {
            values[row] = value;
        } else {
            store(static_cast<double>(value), values + row);
        }
    }

    void add_real(std::size_t row, double value) {
        if (column.kind == TextKind::whole) make_real(column, values, missing, row);
        store(value, values + row);
    }
};

// Any value.
void read_value(const char* begin, const char* end, char decimal, const Marks& marks, Cells cells,
                std::size_t row) {
    while (begin != end && *begin == ' ') ++begin;
    while (begin != end && end[-1] == ' ') --end;
    if (marks.hold(begin, end)) return cells.add_missing(row);
    const Number number = read_number(begin, end, decimal);
    if (number.kind == TextKind::whole) {
        cells.add_whole(row, number.whole);
    } else if (number.kind == TextKind::real) {
        cells.add_real(row, number.real);
    } else {
        cells.column.kind = TextKind::other;
    }
}

// Passes the commonest values, nothing or a number of few digits without a sign, while it looks for their
// end; returns whether it was one, otherwise p stays.
bool read_short(const char*& p, const char* end, const DelimitedText& text, Cells cells, std::size_t row) {
    if (end - p < kMostDigits + 2) return false;
    const char* q = p;
    std::uint64_t mantissa = 0;
    while (is_digit(*q) && q - p < kFewDigits)
        mantissa = mantissa * 10 + static_cast<std::uint64_t>(*q++ - '0');
    const std::ptrdiff_t n_whole = q - p;
    if (n_whole > 1 && *p == '0') return false;
    if (*q == text.separator || *q == '\n') {
        if (n_whole == 0) {
            cells.add_missing(row);
        } else {
            cells.add_whole(row, static_cast<std::int64_t>(mantissa));
        }
        p = q;
        return true;
    }
    if (*q != text.decimal || n_whole == 0) return false;
    const char* decimals = ++q;
    while (is_digit(*q) && q - decimals < kFewDigits)
        mantissa = mantissa * 10 + static_cast<std::uint64_t>(*q++ - '0');
    if (q == decimals || (*q != text.separator && *q != '\n')) return false;
    cells.add_real(row, static_cast<double>(mantissa) / kPowers[q - decimals]);
    p = q;
    return true;
}

}  // namespace

std::size_t count_lines(const DelimitedText& text) {
    std::size_t n = 0;
    const char* p = text.begin;
    while (p != text.end) {
        const void* found = std::memchr(p, '\n', static_cast<std::size_t>(text.end - p));
        ++n;
        if (found == nullptr) break;
        p = static_cast<const char*>(found) + 1;
    }
    return n;
}

bool read_numbers(const DelimitedText& text, std::size_t n_lines, std::int64_t* values, std::uint8_t* missing,
                  TextColumn* columns, const std::function<void()>& poll) {
    const Marks marks(text.marks);
    const bool may_be_marks = marks.may_be_numbers();
    const char* p = text.begin;
    for (std::size_t row = 0; row < n_lines; ++row) {
        if (row % kRowsPerPoll == 0) poll();
        if (p == text.end || *p == '\n') return false;
        for (std::size_t j = 0; j < text.n_columns; ++j) {
            const char* begin = p;
            const bool is_read = columns[j].kind != TextKind::other;
            Cells cells{columns[j], values + j * n_lines, missing + j * n_lines};
            if (!is_read || may_be_marks || !read_short(p, text.end, text, cells, row)) {
                while (p != text.end && *p != text.separator && *p != '\n') ++p;
                if (is_read) read_value(begin, p, text.decimal, marks, cells, row);
            }
            const bool at_end = p == text.end || *p == '\n';
            if (at_end != (j + 1 == text.n_columns)) return false;
            p += p != text.end;
        }
    }
    return p == text.end;
}

}  // namespace bayesieve
