// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/columns/index.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <type_traits>

#include "spread_index.hpp"

namespace bayesieve {
namespace {

// Doubles as integers of the same order.
std::uint64_t ordered_bits(double value) {
    value += 0.0;  // minus zero becomes zero
    std::uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits >> 63 ? ~bits : bits | (std::uint64_t{1} << 63);
}

double double_of_ordered(std::uint64_t key) {
    const std::uint64_t bits = key >> 63 ? key & ~(std::uint64_t{1} << 63) : ~key;
    double value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

// The whole number from 0 to 255 that a value is, 256 if it is NaN, and -1 otherwise.
template <typename Number>
std::int32_t byte_of(Number value) {
    if constexpr (sizeof(Number) == 1) {
        return static_cast<std::int32_t>(value) < 0 ? -1 : static_cast<std::int32_t>(value);
    } else if constexpr (std::is_integral_v<Number>) {
        return static_cast<std::make_unsigned_t<Number>>(value) < 256 ? static_cast<std::int32_t>(value) : -1;
    } else {
        const bool fits = value >= 0 && value < 256;  // NaN fails both comparisons
        const std::int32_t whole = fits ? static_cast<std::int32_t>(value) : -1;
        if (fits) return static_cast<Number>(whole) == value ? whole : -1;
        return std::isnan(value) ? 256 : -1;
    }
}

// Whole numbers from 0 to 255, which codes and indicators are: looked up, not searched.
struct Bytes {
    std::int32_t any = 0, all = -1;  // bits that some and that all have; negative if there are other numbers

    template <typename Number>
    void read(const Number* values, std::ptrdiff_t step, std::size_t n, std::int32_t* ids) {
        for (std::size_t i = 0; i < n; ++i) {
            ids[i] = byte_of(values[static_cast<std::ptrdiff_t>(i) * step]);
            any |= ids[i];
            all &= ids[i];
        }
    }

    // Numbers become positions among those that occur.
    void rank(std::size_t n, std::vector<double>& distinct, std::int32_t* ids) const {
        std::int32_t rank[257] = {};
        if (any > 1) {
            mark(n, ids, rank);
        } else if (n > 0) {
            rank[0] = 1 - (all & 1);
            rank[1] = any;
        }
        bool moved = false;
        for (std::int32_t v = 0; v < 257; ++v) {
            if (rank[v] == 0) continue;
            rank[v] = static_cast<std::int32_t>(distinct.size());
            moved |= rank[v] != v;
            if (v < 256) distinct.push_back(v);
        }
        for (std::size_t i = 0; i < n && moved; ++i) ids[i] = rank[ids[i]];
    }

  private:
    // Sets marks[v] = 1 for all numbers v that occur: mostly the first rows have all of 0 .. top, and the
    // others have none beyond.
    static void mark(std::size_t n, const std::int32_t* ids, std::int32_t* marks) {
        const std::size_t n_first = std::min<std::size_t>(n, 512);
        for (std::size_t i = 0; i < n_first; ++i) marks[ids[i]] = 1;
        std::int32_t top = -1;
        while (top < 256 && marks[top + 1] == 1) ++top;
        std::int32_t beyond = 0;
        for (std::size_t i = n_first; i < n; ++i) beyond |= ids[i] > top ? 1 : 0;
        for (std::size_t i = n_first; i < n && beyond != 0; ++i) marks[ids[i]] = 1;
    }
};

// False if there are other numbers.
template <typename Number>
bool index_bytes(const Number* values, std::size_t n, std::vector<double>& distinct, std::int32_t* ids) {
    constexpr std::size_t chunk = 256;
    Bytes bytes;
    for (std::size_t begin = 0; begin < n; begin += chunk) {
        bytes.read(values + begin, 1, std::min(chunk, n - begin), ids + begin);
        if (bytes.any < 0) return false;
    }
    bytes.rank(n, distinct, ids);
    return true;
}

constexpr std::size_t kFew = 256, kSlots = 1024;

// Positions in order of appearance, -1 for missing ones, become those in order of the numbers, which are
// sorted; missing ones come after the last. Apart from the templates below: compiled once for all types.
void rank_few(std::size_t n, std::vector<double>& distinct, std::int32_t* ids) {
    std::vector<std::int32_t> order(distinct.size()), rank(distinct.size() + 1);
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(),
              [&](std::int32_t a, std::int32_t b) { return distinct[a] < distinct[b]; });
    for (std::size_t k = 0; k < order.size(); ++k) rank[order[k]] = static_cast<std::int32_t>(k);
    rank.back() = static_cast<std::int32_t>(distinct.size());
    for (std::size_t i = 0; i < n; ++i) ids[i] = ids[i] < 0 ? rank.back() : rank[ids[i]];
    std::sort(distinct.begin(), distinct.end());
}

// A small hash table in order of appearance; false if there are more than kFew distinct values.
template <typename Number>
bool index_few(const Number* values, std::size_t n, std::vector<double>& distinct, std::int32_t* ids) {
    std::uint64_t keys[kSlots];
    std::int32_t slots[kSlots];
    std::fill_n(slots, kSlots, -1);
    for (std::size_t i = 0; i < n; ++i) {
        const double value = static_cast<double>(values[i]);
        if (std::isnan(value)) {
            ids[i] = -1;
            continue;
        }
        const std::uint64_t key = ordered_bits(value);
        std::size_t at = (key * 0x9e3779b97f4a7c15u) >> 54;
        while (slots[at] >= 0 && keys[at] != key) at = (at + 1) % kSlots;
        if (slots[at] < 0) {
            if (distinct.size() == kFew) return false;
            slots[at] = static_cast<std::int32_t>(distinct.size());
            keys[at] = key;
            distinct.push_back(value + 0.0);
        }
        ids[i] = slots[at];
    }
    rank_few(n, distinct, ids);
    return true;
}

constexpr std::uint64_t kMissing = ~std::uint64_t{0};  // of all bit patterns only those of NaN come so late

// Sorts by the upper 32 bits, 11 bits at a time; digits that all keys share are passed over.
void radix_sort(std::vector<std::uint64_t>& keys) {
    constexpr int n_digits = 3, bits = 11;
    constexpr std::size_t radix = std::size_t{1} << bits;
    if (keys.size() < radix / 2) {
        std::sort(keys.begin(), keys.end());
        return;
    }
    std::vector<std::uint32_t> counts(n_digits * radix);
    const auto digit = [](std::uint64_t key, int d) { return key >> (32 + d * bits) & (radix - 1); };
    for (const std::uint64_t key : keys)
        for (int d = 0; d < n_digits; ++d) ++counts[d * radix + digit(key, d)];
    std::vector<std::uint64_t> other(keys.size());
    for (int d = 0; d < n_digits; ++d) {
        std::uint32_t* place = counts.data() + d * radix;
        if (place[digit(keys[0], d)] == keys.size()) continue;
        std::uint32_t sum = 0;
        for (std::size_t v = 0; v < radix; ++v) {
            const std::uint32_t count = place[v];
            place[v] = sum;
            sum += count;
        }
        for (const std::uint64_t key : keys) other[place[digit(key, d)]++] = key;
        keys.swap(other);
    }
}

// The first 32 bits in which keys differ are sorted together with the row, in one word; rows that agree in
// these are sorted by all bits. `low` and `high` are the least and the largest key.
void index_keys(const std::vector<std::uint64_t>& keys, std::uint64_t low, std::uint64_t high,
                std::vector<double>& distinct, std::int32_t* ids) {
    const std::size_t n = keys.size();
    std::vector<std::uint64_t> words(n);
    int shared = 0;  // leading bits that all have
    while (shared < 32 && (low ^ high) >> (63 - shared) == 0) ++shared;
    for (std::size_t i = 0; i < n; ++i)
        words[i] = keys[i] == kMissing ? kMissing << 32 | i : keys[i] << shared >> 32 << 32 | i;
    radix_sort(words);
    const auto key_of = [&](std::uint64_t word) { return keys[static_cast<std::uint32_t>(word)]; };
    std::uint64_t last = 0;  // the key of minus NaN, which is missing
    for (std::size_t begin = 0, end; begin < n; begin = end) {
        const std::uint64_t first = key_of(words[begin]);
        bool equal = true;
        for (end = begin + 1; end < n && words[end] >> 32 == words[begin] >> 32; ++end)
            equal &= key_of(words[end]) == first;
        if (!equal)
            std::sort(words.begin() + begin, words.begin() + end,
                      [&](std::uint64_t a, std::uint64_t b) { return key_of(a) < key_of(b); });
        for (std::size_t k = begin; k < end; ++k) {
            const std::uint64_t key = key_of(words[k]);
            if (key != last && key != kMissing) distinct.push_back(double_of_ordered(key));
            last = key;
            const bool missing = key == kMissing;
            ids[static_cast<std::uint32_t>(words[k])] = static_cast<std::int32_t>(distinct.size()) - !missing;
        }
    }
}

// Numbers of any kind.
template <typename Number>
void index_many(const Number* values, std::size_t n, std::vector<double>& distinct, std::int32_t* ids) {
    std::vector<std::uint64_t> keys(n);
    std::uint64_t low = kMissing, high = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const double value = static_cast<double>(values[i]);
        const bool missing = std::isnan(value);
        keys[i] = missing ? kMissing : ordered_bits(value);
        low = std::min(low, keys[i]);
        high = std::max(high, missing ? 0 : keys[i]);
    }
    index_keys(keys, low, high, distinct, ids);
}

// Numbers of which some are not whole or beyond a byte.
template <typename Number>
std::vector<double> index_others(const Number* values, std::size_t n, std::int32_t* ids, SpreadRoom& room) {
    std::vector<double> distinct;
    if (index_few(values, n, distinct, ids)) return distinct;
    distinct.clear();
    if (index_spread(values, n, distinct, ids, room)) return distinct;
    index_many(values, n, distinct, ids);
    return distinct;
}

constexpr std::size_t kRowsAtHand = 32;  // whose cache lines stay until all columns are read
constexpr std::size_t kLineBytes = 64;

void fetch_ahead([[maybe_unused]] const void* place) {
#if defined(__GNUC__)
    __builtin_prefetch(place);
#endif
}

// Columns whose numbers are apart in memory: bytes are read from where they are, other columns are turned
// first.
template <typename Number>
void index_rows(const NumberColumns<Number>& columns, std::size_t begin, std::size_t end, std::int32_t* ids,
                std::vector<double>* distinct) {
    const std::size_t n = columns.n_rows;
    const auto at = [&](std::size_t j, std::size_t i) {
        return columns.first + static_cast<std::ptrdiff_t>(j) * columns.column_step +
               static_cast<std::ptrdiff_t>(i) * columns.row_step;
    };
    std::vector<Bytes> bytes(end - begin);
    for (std::size_t i = 0; i < n; i += kRowsAtHand)
        for (std::size_t j = begin; j < end; ++j) {
            if ((j - begin) % (kLineBytes / sizeof(Number)) == 0)
                for (std::size_t row = i + kRowsAtHand; row < std::min(n, i + 2 * kRowsAtHand); ++row)
                    fetch_ahead(at(j, row));
            if (bytes[j - begin].any >= 0)
                bytes[j - begin].read(at(j, i), columns.row_step, std::min(kRowsAtHand, n - i),
                                      ids + j * n + i);
        }
    std::vector<std::size_t> others;
    for (std::size_t j = begin; j < end; ++j) {
        if (bytes[j - begin].any < 0) {
            others.push_back(j);
        } else {
            bytes[j - begin].rank(n, distinct[j], ids + j * n);
        }
    }
    std::vector<Number> turned(others.size() * n);
    for (std::size_t i = 0; i < n && !others.empty(); i += kRowsAtHand)
        for (std::size_t k = 0; k < others.size(); ++k)
            for (std::size_t row = i; row < std::min(n, i + kRowsAtHand); ++row)
                turned[k * n + row] = *at(others[k], row);
    SpreadRoom room;
    for (std::size_t k = 0; k < others.size(); ++k)
        distinct[others[k]] = index_others(turned.data() + k * n, n, ids + others[k] * n, room);
}

}  // namespace

template <typename Number>
void index_columns(const NumberColumns<Number>& columns, std::size_t begin, std::size_t end,
                   std::int32_t* ids, std::vector<double>* distinct) {
    if (columns.row_step != 1) {
        index_rows(columns, begin, end, ids, distinct);
        return;
    }
    SpreadRoom room;
    const std::size_t n = columns.n_rows;
    for (std::size_t j = begin; j < end; ++j) {
        const Number* column = columns.first + static_cast<std::ptrdiff_t>(j) * columns.column_step;
        distinct[j].clear();
        if (!index_bytes(column, n, distinct[j], ids + j * n))
            distinct[j] = index_others(column, n, ids + j * n, room);
    }
}

#define BAYESIEVE_INDEX(Number)                                                                        \
    template void index_columns(const NumberColumns<Number>&, std::size_t, std::size_t, std::int32_t*, \
                                std::vector<double>*);
BAYESIEVE_INDEX(double)
BAYESIEVE_INDEX(float)
BAYESIEVE_INDEX(std::int8_t)
BAYESIEVE_INDEX(std::int16_t)
BAYESIEVE_INDEX(std::int32_t)
BAYESIEVE_INDEX(std::int64_t)
BAYESIEVE_INDEX(std::uint8_t)
BAYESIEVE_INDEX(std::uint16_t)
BAYESIEVE_INDEX(std::uint32_t)
BAYESIEVE_INDEX(std::uint64_t)
#undef BAYESIEVE_INDEX

}  // namespace bayesieve
