// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/columns/index.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <type_traits>

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
    if constexpr (std::is_integral_v<Number>) {
        return static_cast<std::uint64_t>(value) < 256 ? static_cast<std::int32_t>(value) : -1;
    } else {
        const bool fits = value >= 0 && value < 256;  // NaN fails both comparisons
        const std::int32_t whole = fits ? static_cast<std::int32_t>(value) : -1;
        if (fits) return static_cast<Number>(whole) == value ? whole : -1;
        return std::isnan(value) ? 256 : -1;
    }
}

// Whole numbers from 0 to 255, which codes and indicators are: looked up, not searched. False if there are
// others.
template <typename Number>
bool index_bytes(const Strided<Number>& values, std::size_t n, std::vector<double>& distinct,
                 std::int32_t* ids) {
    constexpr std::size_t chunk = 256;
    std::int32_t rank[257] = {};
    for (std::size_t begin = 0; begin < n; begin += chunk) {
        const std::size_t end = std::min(n, begin + chunk);
        std::int32_t other = 0;
        for (std::size_t i = begin; i < end; ++i) {
            ids[i] = byte_of(values[i]);
            other |= ids[i];
        }
        if (other < 0) return false;
        for (std::size_t i = begin; i < end; ++i) rank[ids[i]] = 1;
    }
    bool moved = false;
    for (std::int32_t v = 0; v < 257; ++v) {
        if (rank[v] == 0) continue;
        rank[v] = static_cast<std::int32_t>(distinct.size());
        moved |= rank[v] != v;
        if (v < 256) distinct.push_back(v);
    }
    for (std::size_t i = 0; i < n && moved; ++i) ids[i] = rank[ids[i]];
    return true;
}

constexpr std::size_t kFew = 256, kSlots = 1024;

// A small hash table in order of appearance; false if there are more than kFew distinct values.
template <typename Number>
bool index_few(const Strided<Number>& values, std::size_t n, std::vector<double>& distinct, std::int32_t* ids) {
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
    std::vector<std::int32_t> order(distinct.size()), rank(distinct.size() + 1);
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(),
              [&](std::int32_t a, std::int32_t b) { return distinct[a] < distinct[b]; });
    for (std::size_t k = 0; k < order.size(); ++k) rank[order[k]] = static_cast<std::int32_t>(k);
    rank.back() = static_cast<std::int32_t>(distinct.size());
    for (std::size_t i = 0; i < n; ++i) ids[i] = ids[i] < 0 ? rank.back() : rank[ids[i]];
    std::sort(distinct.begin(), distinct.end());
    return true;
}

// Sorts by the upper 32 bits, 11 bits at a time; digits that all keys share are passed over.
void radix_sort(std::vector<std::uint64_t>& keys) {
    constexpr int bits = 11;
    constexpr std::size_t radix = std::size_t{1} << bits;
    if (keys.size() < radix / 2) {
        std::sort(keys.begin(), keys.end());
        return;
    }
    std::vector<std::uint64_t> other(keys.size());
    for (int shift = 32; shift < 64; shift += bits) {
        std::size_t place[radix] = {};
        for (const std::uint64_t key : keys) ++place[(key >> shift) & (radix - 1)];
        if (place[(keys[0] >> shift) & (radix - 1)] == keys.size()) continue;
        std::size_t sum = 0;
        for (std::size_t& p : place) {
            const std::size_t count = p;
            p = sum;
            sum += count;
        }
        for (const std::uint64_t key : keys) other[place[(key >> shift) & (radix - 1)]++] = key;
        keys.swap(other);
    }
}

// Returns the positions of keys in increasing order, of equal keys in any order. The first 32 bits in which
// keys differ are sorted together with the position, in one word; keys that agree in these are sorted by all
// bits.
std::vector<std::uint32_t> order_of(const std::vector<std::uint64_t>& keys) {
    const auto [low, high] = std::minmax_element(keys.begin(), keys.end());
    int shared = 0;  // leading bits that all keys share
    while (shared < 32 && (*low ^ *high) >> (63 - shared) == 0) ++shared;
    std::vector<std::uint64_t> packed(keys.size());
    for (std::size_t k = 0; k < keys.size(); ++k) packed[k] = (keys[k] << shared >> 32 << 32) | k;
    radix_sort(packed);
    std::vector<std::uint32_t> order(keys.size());
    for (std::size_t k = 0; k < keys.size(); ++k) order[k] = static_cast<std::uint32_t>(packed[k]);
    for (std::size_t begin = 0, end; begin < keys.size(); begin = end) {
        end = begin + 1;
        bool equal = true;
        for (; end < keys.size() && packed[end] >> 32 == packed[begin] >> 32; ++end)
            equal &= keys[order[end]] == keys[order[begin]];
        if (!equal)
            std::sort(order.begin() + begin, order.begin() + end,
                      [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
    }
    return order;
}

}  // namespace

template <typename Number>
std::vector<double> index_numbers(const Strided<Number>& values, std::size_t n, std::int32_t* ids) {
    std::vector<double> distinct;
    if (index_bytes(values, n, distinct, ids)) return distinct;
    distinct.clear();
    if (index_few(values, n, distinct, ids)) return distinct;
    distinct.clear();
    std::vector<std::uint64_t> keys;
    std::vector<std::uint32_t> rows;  // of the keys
    keys.reserve(n);
    rows.reserve(n);
    for (std::size_t i = 0; i < n; ++i) {
        const double value = static_cast<double>(values[i]);
        if (std::isnan(value)) {
            ids[i] = -1;
            continue;
        }
        keys.push_back(ordered_bits(value));
        rows.push_back(static_cast<std::uint32_t>(i));
    }
    std::uint64_t last = 0;
    for (const std::uint32_t k : order_of(keys)) {
        if (distinct.empty() || keys[k] != last) distinct.push_back(double_of_ordered(last = keys[k]));
        ids[rows[k]] = static_cast<std::int32_t>(distinct.size()) - 1;
    }
    for (std::size_t i = 0; i < n && rows.size() < n; ++i)
        if (ids[i] < 0) ids[i] = static_cast<std::int32_t>(distinct.size());
    return distinct;
}

template std::vector<double> index_numbers(const Strided<double>&, std::size_t, std::int32_t*);
template std::vector<double> index_numbers(const Strided<float>&, std::size_t, std::int32_t*);
template std::vector<double> index_numbers(const Strided<std::int8_t>&, std::size_t, std::int32_t*);
template std::vector<double> index_numbers(const Strided<std::int16_t>&, std::size_t, std::int32_t*);
template std::vector<double> index_numbers(const Strided<std::int32_t>&, std::size_t, std::int32_t*);
template std::vector<double> index_numbers(const Strided<std::int64_t>&, std::size_t, std::int32_t*);
template std::vector<double> index_numbers(const Strided<std::uint8_t>&, std::size_t, std::int32_t*);
template std::vector<double> index_numbers(const Strided<std::uint16_t>&, std::size_t, std::int32_t*);
template std::vector<double> index_numbers(const Strided<std::uint32_t>&, std::size_t, std::int32_t*);
template std::vector<double> index_numbers(const Strided<std::uint64_t>&, std::size_t, std::int32_t*);

}  // namespace bayesieve
