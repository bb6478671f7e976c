// SPDX-License-Identifier: BSD-3-Clause
#include "text_checks.hpp"

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "bayesieve/columns/text_numbers.hpp"

namespace bayesieve_test {
namespace {

using Random = std::mt19937_64;

struct ReadText {
    bool is_regular;
    std::size_t n_lines;
    std::vector<bayesieve::TextColumn> columns;
    std::vector<std::int64_t> values;
    std::vector<std::uint8_t> missing;
};

ReadText read(const std::string& bytes, std::size_t n_columns) {
    const std::vector<char> copy(bytes.begin(), bytes.end());  // no zero byte follows
    const bayesieve::DelimitedText text{copy.data(), copy.data() + copy.size(), n_columns, ',', '.',
                                        {"NA", "7"}};
    const std::size_t n_lines = bayesieve::count_lines(text);
    ReadText result{
        false, n_lines, std::vector<bayesieve::TextColumn>(n_columns, {bayesieve::TextKind::whole, 0}),
        std::vector<std::int64_t>(n_columns * n_lines), std::vector<std::uint8_t>(n_columns * n_lines)};
    result.is_regular = bayesieve::read_numbers(text, n_lines, result.values.data(), result.missing.data(),
                                                result.columns.data(), [] {});
    return result;
}

bool is_read_back(Random& random) {
    const std::size_t n_rows = 1 + random() % 40;
    std::string bytes;
    std::vector<std::int64_t> whole;
    std::vector<double> real;
    for (std::size_t i = 0; i < n_rows; ++i) {
        whole.push_back(static_cast<std::int64_t>(random() % 2000000) * (random() % 2 == 0 ? 1 : -1) +
                        8000000);
        real.push_back(static_cast<double>(random() % 4096) / 16.0);
        char line[80];
        std::snprintf(line, sizeof line, "%lld,%.4f,%s", static_cast<long long>(whole.back()), real.back(),
                      random() % 2 == 0 ? "NA" : " 7");
        bytes += line;
        if (i + 1 < n_rows || random() % 2 == 0) bytes += '\n';
    }
    const ReadText found = read(bytes, 3);
    bool holds = found.is_regular && found.n_lines == n_rows && found.columns[0].n_missing == 0 &&
                 found.columns[0].kind == bayesieve::TextKind::whole &&
                 found.columns[1].kind == bayesieve::TextKind::real &&
                 found.columns[2].n_missing == static_cast<std::int64_t>(n_rows);
    for (std::size_t i = 0; holds && i < n_rows; ++i) {
        double value;
        std::memcpy(&value, &found.values[n_rows + i], sizeof value);
        holds = found.values[i] == whole[i] && value == real[i] && found.missing[2 * n_rows + i] == 1;
    }
    return holds;
}

}  // namespace

int check_text() {
    Random random(29);
    int faults = 0;
    const char bytes[] = "0123456789.,,,\n\n-+eE aN";
    for (int k = 0; k < 3000; ++k) {
        std::string text;
        for (std::size_t n = random() % 60; n > 0; --n) text += bytes[random() % (sizeof bytes - 1)];
        read(text, 1 + random() % 4);
        if (k % 100 == 0 && !is_read_back(random)) ++faults, std::printf("text: numbers are not read back\n");
    }
    return faults;
}

}  // namespace bayesieve_test
