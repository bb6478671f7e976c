// SPDX-License-Identifier: BSD-3-Clause
// A test case as a file: segments, a starting subset, a batch of moves, and the measures that the reference
// engine gives.
#pragma once
#include <cstdint>
#include <cstring>
#include <vector>

#include "bayesieve/engine/engine.hpp"
#include "bayesieve/engine/layout.hpp"

namespace bayesieve_test {

// Reads numbers from bytes; past the end it gives zeros and is no longer good.
class Reader {
  public:
    Reader(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

    template <typename T>
    T one() {
        T value{};
        if (size_ - at_ < sizeof(T)) {
            good_ = false;
            at_ = size_;
            return value;
        }
        std::memcpy(&value, data_ + at_, sizeof(T));
        at_ += sizeof(T);
        return value;
    }

    template <typename T>
    std::vector<T> many(std::size_t n) {
        std::vector<T> values;
        if (n > (size_ - at_) / sizeof(T)) {
            good_ = false;
            return values;
        }
        values.resize(n);
        if (n > 0) std::memcpy(values.data(), data_ + at_, n * sizeof(T));
        at_ += n * sizeof(T);
        return values;
    }

    bool good() const { return good_; }
    bool at_end() const { return at_ == size_; }

  private:
    const std::uint8_t* data_;
    std::size_t size_, at_ = 0;
    bool good_ = true;
};

struct SegmentArrays {
    std::vector<std::uint8_t> narrow;
    std::vector<std::uint16_t> wide;
    std::vector<std::uint16_t> common, entry_codes;
    std::vector<std::int64_t> begins;
    std::vector<std::int32_t> entry_rows;
    std::vector<std::int64_t> place, offsets, entries, start, weights;
    std::vector<std::int32_t> target;
    std::vector<double> slopes;
    std::size_t n_rows = 0, n_narrow = 0, n_wide = 0, n_columns = 0;
    int n_classes = 0;
    bool lasting = true;

    bayesieve::RawSegment raw() const {
        return {narrow.data(),
                wide.data(),
                n_narrow,
                n_wide,
                common.data(),
                begins.data(),
                entry_rows.data(),
                entry_codes.data(),
                common.size(),
                entry_rows.size(),
                place.data(),
                offsets.data(),
                entries.data(),
                start.data(),
                target.data(),
                weights.data(),
                slopes.data(),
                n_columns,
                n_rows,
                slopes.size(),
                n_classes,
                lasting};
    }
};

struct Batch {
    std::vector<std::int32_t> columns;
    std::vector<double> before, after;
    std::vector<std::int64_t> starts;

    bayesieve::Moves moves() const {
        return {columns.data(), before.data(), after.data(), starts.data(), starts.size() - 1};
    }
};

// Whether a kernel ranks rows: it has one measure for two classes.
inline bool ranks(int kernel) { return kernel == 4 || kernel == 6; }

struct Case {
    int kernel = 0;  // 0 .. 3: a loss; 4: pairs; 5: the smoothed log loss; 6: refinement
    std::vector<SegmentArrays> segments;
    Batch beginning, batch;                        // the beginning is one move
    std::vector<bayesieve::Wide> at_start, after;  // expected measures
    bool good = false;
};

inline Batch read_batch(Reader& reader, std::size_t limit) {
    Batch batch;
    const auto n_moves = static_cast<std::size_t>(reader.one<std::uint32_t>()) % limit;
    const auto n_changes = static_cast<std::size_t>(reader.one<std::uint32_t>()) % limit;
    batch.starts = reader.many<std::int64_t>(n_moves + 1);
    batch.columns = reader.many<std::int32_t>(n_changes);
    batch.before = reader.many<double>(n_changes);
    batch.after = reader.many<double>(n_changes);
    return batch;
}

inline SegmentArrays read_segment(Reader& reader, std::size_t limit) {
    SegmentArrays segment;
    const auto size = [&] { return static_cast<std::size_t>(reader.one<std::uint32_t>()) % limit; };
    segment.n_rows = size();
    segment.n_narrow = size();
    segment.n_wide = size();
    segment.n_columns = size();
    segment.n_classes = static_cast<int>(size());
    const std::size_t n_entries = size(), n_slopes = size(), n_sparse = size(), n_sparse_entries = size();
    segment.narrow = reader.many<std::uint8_t>(segment.n_narrow * segment.n_rows);
    segment.wide = reader.many<std::uint16_t>(segment.n_wide * segment.n_rows);
    segment.common = reader.many<std::uint16_t>(n_sparse);
    segment.begins = reader.many<std::int64_t>(n_sparse + 1);
    segment.entry_rows = reader.many<std::int32_t>(n_sparse_entries);
    segment.entry_codes = reader.many<std::uint16_t>(n_sparse_entries);
    segment.place = reader.many<std::int64_t>(segment.n_columns);
    segment.offsets = reader.many<std::int64_t>(segment.n_columns + 1);
    segment.entries = reader.many<std::int64_t>(n_entries * static_cast<std::size_t>(segment.n_classes));
    segment.start = reader.many<std::int64_t>(static_cast<std::size_t>(segment.n_classes));
    segment.target = reader.many<std::int32_t>(segment.n_rows);
    segment.weights = reader.many<std::int64_t>(segment.n_rows);
    segment.slopes = reader.many<double>(n_slopes);
    return segment;
}

inline Case read_case(const std::uint8_t* data, std::size_t size, std::size_t limit) {
    Reader reader(data, size);
    Case test;
    test.kernel = static_cast<int>(reader.one<std::uint32_t>() % 7);
    const std::size_t n_segments = reader.one<std::uint32_t>() % 8;
    for (std::size_t s = 0; s < n_segments && reader.good(); ++s)
        test.segments.push_back(read_segment(reader, limit));
    test.beginning = read_batch(reader, limit);
    test.batch = read_batch(reader, limit);
    for (std::vector<bayesieve::Wide>* expected : {&test.at_start, &test.after}) {
        const auto words = reader.many<std::uint64_t>(2 * (reader.one<std::uint32_t>() % limit));
        for (std::size_t i = 0; i + 1 < words.size(); i += 2) expected->push_back({words[i], words[i + 1]});
    }
    test.good = reader.good() && n_segments > 0;
    return test;
}

// What the nanobind layer checks: shapes and ranges, so that the core may trust them.
inline bool is_sound(const Case& test) {
    const SegmentArrays& first = test.segments[0];
    for (const SegmentArrays& segment : test.segments) {
        const std::size_t slopes =
            ranks(test.kernel) && segment.n_classes == 2 ? 1 : static_cast<std::size_t>(segment.n_classes);
        const bool shapes = segment.n_columns == first.n_columns && segment.n_classes == first.n_classes &&
                            segment.slopes.size() == slopes && segment.n_classes > 0 &&
                            segment.offsets.back() >= 0 &&
                            segment.entries.size() == static_cast<std::size_t>(segment.offsets.back()) *
                                                          static_cast<std::size_t>(segment.n_classes);
        if (!shapes || !bayesieve::find_fault(segment.raw()).empty()) return false;
    }
    for (const Batch* batch : {&test.beginning, &test.batch}) {
        if (batch->starts.front() != 0 ||
            batch->starts.back() != static_cast<std::int64_t>(batch->columns.size()))
            return false;
        for (std::size_t i = 0; i + 1 < batch->starts.size(); ++i)
            if (batch->starts[i] > batch->starts[i + 1]) return false;
        for (std::int32_t column : batch->columns)
            if (column < 0 || static_cast<std::size_t>(column) >= first.n_columns) return false;
        for (const std::vector<double>* weights : {&batch->before, &batch->after})
            for (double weight : *weights)
                if (!(weight >= 0.0 && weight <= 1.0)) return false;
    }
    return true;
}

inline bayesieve::Engine make_engine(const Case& test, int n_threads) {
    std::vector<bayesieve::Segment> segments;
    for (const SegmentArrays& segment : test.segments) segments.push_back(bayesieve::lay_out(segment.raw()));
    const auto loss =
        test.kernel == 5 ? bayesieve::Loss::smoothed_log_loss : static_cast<bayesieve::Loss>(test.kernel % 4);
    const double argument = 1.0 + static_cast<double>(test.segments[0].n_rows);
    using bayesieve::Measure;
    const Measure measure = test.kernel == 4   ? Measure::pairs
                            : test.kernel == 6 ? Measure::refinement
                                               : Measure::losses;
    return {std::move(segments), measure, loss, argument, n_threads};
}

}  // namespace bayesieve_test
