// SPDX-License-Identifier: BSD-3-Clause
// Distinct numbers of a column whose numbers are spread over their range: sorted by their place in it, a
// whole number of few digits that does not fall where the number rises.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace bayesieve {

// Memory that one column after the other uses.
struct SpreadRoom {
    std::vector<std::uint64_t> words, other;
    std::vector<std::uint32_t> counts;
};

// The least and the largest number, and how many are missing.
struct NumberRange {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    std::size_t n_missing = 0;

    template <typename Number>
    static NumberRange of(const Number* values, std::size_t n) {
        constexpr std::size_t lanes = 8;  // that a compiler makes vectors of
        double low[lanes], high[lanes];
        std::int64_t missing[lanes] = {};
        NumberRange range;
        std::fill_n(low, lanes, range.low);
        std::fill_n(high, lanes, range.high);
        const auto add = [&](std::size_t lane, double value) {
            low[lane] = value < low[lane] ? value : low[lane];  // NaN fails the comparison
            high[lane] = value > high[lane] ? value : high[lane];
            missing[lane] += value != value ? 1 : 0;
        };
        std::size_t i = 0;
        for (; i + lanes <= n; i += lanes)
            for (std::size_t lane = 0; lane < lanes; ++lane) add(lane, static_cast<double>(values[i + lane]));
        for (; i < n; ++i) add(0, static_cast<double>(values[i]));
        range.low = *std::min_element(low, low + lanes);
        range.high = *std::max_element(high, high + lanes);
        for (const std::int64_t own : missing) range.n_missing += static_cast<std::size_t>(own);
        return range;
    }
};

// Rows of a column as words, the place of the number and the row, which are sorted by the place.
template <typename Number>
class SpreadWords {
  public:
    SpreadWords(const Number* values, std::size_t n, SpreadRoom& room)
        : values_(values),
          n_(n),
          bits_(n < kFew ? 8 : 11),
          n_digits_(n < kFew || n >= kMany ? 3 : 2),
          room_(room) {}

    // False if the numbers are not spread enough.
    bool sort() {
        const NumberRange range = NumberRange::of(values_, n_);
        const double width = range.high - range.low,
                     most = static_cast<double>((std::int64_t{1} << std::min(31, n_digits_ * bits_)) - 1);
        low_ = range.low;
        scale_ = most / width;
        if (!(width > 0.0 && std::isfinite(width) && std::isfinite(scale_))) return false;
        n_present_ = n_ - range.n_missing;
        room_.counts.assign(static_cast<std::size_t>(n_digits_) << bits_, 0);
        room_.words.resize(n_);
        fill();
        const std::uint32_t* const top =
            room_.counts.data() + (static_cast<std::size_t>(n_digits_ - 1) << bits_);
        if (*std::max_element(top, top + (std::size_t{1} << bits_)) > n_ / 8) return false;
        room_.other.resize(n_);
        for (int digit = 0; digit < n_digits_; ++digit) sort_by(digit);
        return true;
    }

    void rank(std::vector<double>& distinct, std::int32_t* ids) {
        std::vector<std::uint64_t>& words = room_.words;
        distinct.resize(n_present_);
        std::size_t n = 0;
        for (std::size_t begin = 0, end; begin < n_present_; begin = end) {
            const double first = value_of(words[begin]);
            bool equal = true;
            for (end = begin + 1; end < n_present_ && words[end] >> 32 == words[begin] >> 32; ++end)
                equal &= value_of(words[end]) == first;
            if (!equal)
                std::sort(words.begin() + static_cast<std::ptrdiff_t>(begin),
                          words.begin() + static_cast<std::ptrdiff_t>(end),
                          [&](std::uint64_t a, std::uint64_t b) { return value_of(a) < value_of(b); });
            distinct[n] = value_of(words[begin]);
            for (std::size_t k = begin; k < end; ++k) {
                const double value = value_of(words[k]);
                if (value != distinct[n]) distinct[++n] = value;
                ids[static_cast<std::uint32_t>(words[k])] = static_cast<std::int32_t>(n);
            }
            ++n;
        }
        distinct.resize(n);
        for (std::size_t i = 0; i < n_ && n_present_ < n_; ++i)
            if (is_missing(values_[i])) ids[i] = static_cast<std::int32_t>(n);
    }

  private:
    static constexpr std::size_t kFew = 4096, kMany = std::size_t{1} << 19, kTile = 256;

    static bool is_missing(Number value) { return value != value; }
    double value_of(std::uint64_t word) const {
        return static_cast<double>(values_[static_cast<std::uint32_t>(word)]) +
               0.0;  // minus zero becomes zero
    }
    std::size_t digit_of(std::uint64_t word, int digit) const {
        return word >> (32 + digit * bits_) & ((std::uint64_t{1} << bits_) - 1);
    }

    // Subtraction, multiplication and rounding toward zero keep the order.
    void fill() {
        std::int32_t places[kTile];
        std::uint32_t *const low = room_.counts.data(), *const middle = low + (std::size_t{1} << bits_),
                             *const high = low + (static_cast<std::size_t>(n_digits_ - 1) << bits_);
        std::uint64_t* to = room_.words.data();
        for (std::size_t begin = 0; begin < n_; begin += kTile) {
            const std::size_t size = std::min(kTile, n_ - begin);
            for (std::size_t i = 0; i < size; ++i) {
                const double above = (static_cast<double>(values_[begin + i]) - low_) * scale_;
                places[i] =
                    static_cast<std::int32_t>(above >= 0.0 ? above : 0.0);  // NaN fails the comparison
            }
            for (std::size_t i = 0; i < size; ++i) {
                if (n_present_ < n_ && is_missing(values_[begin + i])) continue;
                const std::uint64_t word = static_cast<std::uint64_t>(places[i]) << 32 | (begin + i);
                ++low[digit_of(word, 0)];
                if (n_digits_ == 3) ++middle[digit_of(word, 1)];
                ++high[digit_of(word, n_digits_ - 1)];
                *to++ = word;
            }
        }
    }

    void sort_by(int digit) {
        const std::size_t radix = std::size_t{1} << bits_, n = n_present_;
        std::uint32_t* const place = room_.counts.data() + static_cast<std::size_t>(digit) * radix;
        std::uint32_t sum = 0;
        for (std::size_t v = 0; v < radix; ++v) {
            const std::uint32_t count = place[v];
            place[v] = sum;
            sum += count;
        }
        const std::uint64_t* const from = room_.words.data();
        std::uint64_t* const to = room_.other.data();
        const int shift = 32 + digit * bits_;
        for (std::size_t i = 0; i < n; ++i) to[place[from[i] >> shift & (radix - 1)]++] = from[i];
        room_.words.swap(room_.other);
    }

    const Number* values_;
    std::size_t n_, n_present_ = 0;
    int bits_, n_digits_;
    double low_ = 0.0, scale_ = 0.0;
    SpreadRoom& room_;
};

// False if the numbers are not spread enough; otherwise the distinct ones in increasing order and each row's
// position among them, missing ones after the last.
template <typename Number>
bool index_spread(const Number* values, std::size_t n, std::vector<double>& distinct, std::int32_t* ids,
                  SpreadRoom& room) {
    SpreadWords<Number> words(values, n, room);
    if (!words.sort()) return false;
    words.rank(distinct, ids);
    return true;
}

}  // namespace bayesieve
