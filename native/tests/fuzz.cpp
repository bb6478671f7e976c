// SPDX-License-Identifier: BSD-3-Clause
// Random bytes as test cases: what find_fault lets through must run without undefined behavior, and
// estimates must contain exact scores. A libFuzzer target; with BAYESIEVE_FUZZ_MAIN it brings its own bounded
// generator.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#include "case.hpp"

namespace {

using namespace bayesieve_test;

// Sums of evidence must stay within 64 bits, as the naive Bayes model makes sure of.
bool moderate(const Case& test) {
    for (const SegmentArrays& segment : test.segments) {
        for (const std::vector<std::int64_t>* values : {&segment.entries, &segment.start})
            for (std::int64_t value : *values)
                if (value > (std::int64_t{1} << 48) || value < -(std::int64_t{1} << 48)) return false;
        for (double slope : segment.slopes)
            if (!std::isfinite(slope) || std::fabs(slope) > 1e6) return false;
    }
    return true;
}

long round_number = -1;

void expect(bool condition, const char* sentence) {
    if (condition) return;
    std::fprintf(stderr, "round %ld: %s\n", round_number, sentence);
    std::abort();
}

void check_estimates(bayesieve::Engine& engine, const Case& test, int effort, const bayesieve::Wide* next) {
    const bayesieve::Moves moves = test.batch.moves();
    std::vector<bayesieve::Estimate> estimates(moves.n);
    engine.refresh(effort);
    engine.estimate(moves, effort, estimates.data(), [] {});
    for (std::size_t i = 0; i < moves.n; ++i) {
        double exact = 0.0, size = 0.0;
        for (const SegmentArrays& segment : test.segments)
            for (std::size_t m = 0; m < engine.n_measures(); ++m) {
                const double part = segment.slopes[m] * (next++)->approximate();
                exact += part;
                size += std::fabs(part);
            }
        expect(std::isfinite(estimates[i].value), "an estimate is not finite");
        expect(std::fabs(estimates[i].value - exact) <= estimates[i].bound + 1e-12 * (1.0 + size),
               "an estimate misses its bound");
    }
}

long n_tried = 0;

void try_case(const Case& test) {
    ++n_tried;
    bayesieve::Engine engine = make_engine(test, 1);
    std::vector<bayesieve::Change> changes;
    for (std::size_t k = 0; k < test.beginning.columns.size(); ++k)
        changes.push_back({test.beginning.columns[k], test.beginning.before[k], test.beginning.after[k]});
    engine.apply(changes);
    const bayesieve::Moves moves = test.batch.moves();
    std::vector<bayesieve::Wide> measures(moves.n * engine.n_segments() * engine.n_measures());
    engine.measure(moves, measures.data(), [] {});
    for (std::size_t i = 0; i < moves.n; ++i)
        if (moves.starts[i + 1] - moves.starts[i] != 1) return;
    if (!engine.can_estimate()) return;
    for (int effort : {0, 1}) check_estimates(engine, test, effort, measures.data());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const Case test = read_case(data, size, 64);
    if (test.good && is_sound(test) && moderate(test)) try_case(test);
    return 0;
}

#if defined(BAYESIEVE_FUZZ_MAIN)
namespace {

// Bytes that are often sound: sizes and codes are small, tables are random.
class Writer {
  public:
    explicit Writer(std::mt19937_64& random) : random_(random) {}

    template <typename T>
    void put(T value) {
        const auto* bytes = reinterpret_cast<const std::uint8_t*>(&value);
        bytes_.insert(bytes_.end(), bytes, bytes + sizeof(T));
    }
    std::uint64_t below(std::uint64_t n) { return random_() % n; }

    std::vector<std::uint8_t> write() {
        put<std::uint32_t>(static_cast<std::uint32_t>(below(5)));
        const auto kernel = bytes_[0];
        const std::uint64_t n_segments = 1 + below(3), n_columns = 1 + below(5);
        const std::uint64_t n_classes = 2 + below(below(8) == 0 ? 40 : 6);
        put<std::uint32_t>(static_cast<std::uint32_t>(n_segments));
        for (std::uint64_t s = 0; s < n_segments; ++s)
            write_segment(n_columns, n_classes,
                          (kernel == 4 || kernel == 6) && n_classes == 2 ? 1 : n_classes);
        write_batch(below(3), n_columns);
        write_batch(below(6), n_columns);
        put<std::uint32_t>(0);
        put<std::uint32_t>(0);
        if (below(8) == 0) bytes_[below(bytes_.size())] ^= static_cast<std::uint8_t>(1 + below(255));
        if (below(8) == 0) {  // the smallest or the largest 64-bit integer
            const std::uint64_t limit = (std::uint64_t{1} << 63) - below(2);
            std::memcpy(bytes_.data() + below(bytes_.size() - sizeof limit), &limit, sizeof limit);
        }
        return bytes_;
    }

  private:
    void write_segment(std::uint64_t n_columns, std::uint64_t n_classes, std::uint64_t n_slopes) {
        const std::uint64_t n_rows = below(60), n_codes = 1 + below(10), size = std::uint64_t{1} << below(48);
        const std::uint64_t n_wide = below(3) == 0 ? below(n_columns + 1) : 0,
                            n_sparse = below(3) == 0 ? below(n_columns - n_wide + 1) : 0,
                            n_narrow = n_columns - n_wide - n_sparse, a_column = below(n_rows + 1);
        for (std::uint64_t n : {n_rows, n_narrow, n_wide, n_columns, n_classes, n_codes * n_columns, n_slopes,
                                n_sparse, n_sparse * a_column})
            put<std::uint32_t>(static_cast<std::uint32_t>(n));
        for (std::uint64_t i = 0; i < n_narrow * n_rows; ++i)
            put<std::uint8_t>(static_cast<std::uint8_t>(below(n_codes)));
        for (std::uint64_t i = 0; i < n_wide * n_rows; ++i)
            put<std::uint16_t>(static_cast<std::uint16_t>(below(n_codes)));
        for (std::uint64_t k = 0; k < n_sparse; ++k)
            put<std::uint16_t>(static_cast<std::uint16_t>(below(n_codes)));
        for (std::uint64_t k = 0; k <= n_sparse; ++k)
            put<std::int64_t>(static_cast<std::int64_t>(k * a_column));
        for (std::uint64_t k = 0; k < n_sparse; ++k)
            for (std::uint64_t i = 0, row = below(n_rows - a_column + 1); i < a_column; ++i)
                put<std::int32_t>(static_cast<std::int32_t>(row + i));
        for (std::uint64_t i = 0; i < n_sparse * a_column; ++i)
            put<std::uint16_t>(static_cast<std::uint16_t>(below(n_codes)));
        for (std::uint64_t j = 0; j < n_columns; ++j) put<std::int64_t>(static_cast<std::int64_t>(j));
        for (std::uint64_t j = 0; j <= n_columns; ++j)
            put<std::int64_t>(static_cast<std::int64_t>(j * n_codes));
        for (std::uint64_t i = 0; i < n_codes * n_columns * n_classes + n_classes; ++i)
            put<std::int64_t>(static_cast<std::int64_t>(below(size)) -
                              static_cast<std::int64_t>(below(size)));
        for (std::uint64_t i = 0; i < n_rows; ++i)
            put<std::int32_t>(static_cast<std::int32_t>(below(n_classes)));
        const std::uint64_t heaviest = below(2) == 0 ? 1 : std::uint64_t{1} << below(31);
        for (std::uint64_t i = 0; i < n_rows; ++i)
            put<std::int64_t>(static_cast<std::int64_t>(1 + below(heaviest)));
        for (std::uint64_t i = 0; i < n_slopes; ++i) put<double>(static_cast<double>(below(1000)) * 1e-16);
    }

    void write_batch(std::uint64_t n_moves, std::uint64_t n_columns) {
        put<std::uint32_t>(static_cast<std::uint32_t>(n_moves));
        put<std::uint32_t>(static_cast<std::uint32_t>(n_moves));
        for (std::uint64_t i = 0; i <= n_moves; ++i) put<std::int64_t>(static_cast<std::int64_t>(i));
        for (std::uint64_t i = 0; i < n_moves; ++i)
            put<std::int32_t>(static_cast<std::int32_t>(below(n_columns)));
        for (std::uint64_t i = 0; i < n_moves; ++i) put<double>(below(3) == 0 ? 0.25 : 0.0);
        for (std::uint64_t i = 0; i < n_moves; ++i) put<double>(1.0);
    }

    std::mt19937_64& random_;
    std::vector<std::uint8_t> bytes_;
};

}  // namespace

// fuzz ROUNDS [FIRST]: a round is its number, so that a long run can be split and a finding repeated.
int main(int n_arguments, char** arguments) {
    const long rounds = n_arguments > 1 ? std::atol(arguments[1]) : 10000;
    const long first = n_arguments > 2 ? std::atol(arguments[2]) : 0;
    for (long i = first; i < first + rounds; ++i) {
        std::mt19937_64 random(static_cast<std::uint64_t>(i));
        const std::vector<std::uint8_t> bytes = Writer(random).write();
        round_number = i;
        LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    }
    std::printf("%ld rounds, %ld of them sound, 0 failed\n", rounds, n_tried);
    return n_tried > 0 ? 0 : 1;
}
#endif
