// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/columns/index.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

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

// Whole numbers from 0 to 255, which codes and indicators are: looked up, not searched. False if there are
// others.
bool index_bytes(const double* values, std::size_t n, std::vector<double>& distinct, std::int32_t* ids) {
    std::int32_t rank[257] = {};
    for (std::size_t i = 0; i < n; ++i) {
        // NaN fails both comparisons; it is separated from other numbers below.
        const bool fits = values[i] >= 0.0 && values[i] < 256.0;
        const std::int32_t whole = fits ? static_cast<std::int32_t>(values[i]) : 256;
        if (fits ? static_cast<double>(whole) != values[i] : !std::isnan(values[i])) return false;
        ids[i] = whole;
        rank[whole] = 1;
    }
    for (std::int32_t v = 0; v < 256; ++v) {
        if (rank[v] == 0) continue;
        rank[v] = static_cast<std::int32_t>(distinct.size());
        distinct.push_back(v);
    }
    rank[256] = static_cast<std::int32_t>(distinct.size());
    for (std::size_t i = 0; i < n; ++i) ids[i] = rank[ids[i]];
    return true;
}

constexpr std::size_t kFew = 256, kSlots = 1024;

// A small hash table in order of appearance; false if there are more than kFew distinct values.
bool index_few(const double* values, std::size_t n, std::vector<double>& distinct, std::int32_t* ids) {
    std::uint64_t keys[kSlots];
    std::int32_t slots[kSlots];
    std::fill_n(slots, kSlots, -1);
    for (std::size_t i = 0; i < n; ++i) {
        if (std::isnan(values[i])) {
            ids[i] = -1;
            continue;
        }
        const std::uint64_t key = ordered_bits(values[i]);
        std::size_t at = (key * 0x9e3779b97f4a7c15u) >> 54;
        while (slots[at] >= 0 && keys[at] != key) at = (at + 1) % kSlots;
        if (slots[at] < 0) {
            if (distinct.size() == kFew) return false;
            slots[at] = static_cast<std::int32_t>(distinct.size());
            keys[at] = key;
            distinct.push_back(values[i] + 0.0);
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

struct Entry {
    std::uint64_t key;
    std::uint32_t row;
};

// Sorts by key, 11 bits at a time; digits that all keys share are passed over.
void radix_sort(std::vector<Entry>& entries) {
    constexpr int bits = 11;
    constexpr std::size_t radix = std::size_t{1} << bits;
    std::vector<Entry> other(entries.size());
    for (int shift = 0; shift < 64; shift += bits) {
        std::size_t place[radix] = {};
        for (const Entry& entry : entries) ++place[(entry.key >> shift) & (radix - 1)];
        if (place[(entries[0].key >> shift) & (radix - 1)] == entries.size()) continue;
        std::size_t sum = 0;
        for (std::size_t& p : place) {
            const std::size_t count = p;
            p = sum;
            sum += count;
        }
        for (const Entry& entry : entries) other[place[(entry.key >> shift) & (radix - 1)]++] = entry;
        entries.swap(other);
    }
}

}  // namespace

std::vector<double> index_numbers(const double* values, std::size_t n, std::int32_t* ids) {
    std::vector<double> distinct;
    if (index_bytes(values, n, distinct, ids) || index_few(values, n, distinct, ids)) return distinct;
    distinct.clear();
    std::vector<Entry> entries;
    entries.reserve(n);
    for (std::size_t i = 0; i < n; ++i)
        if (!std::isnan(values[i]))
            entries.push_back({ordered_bits(values[i]), static_cast<std::uint32_t>(i)});
    radix_sort(entries);
    for (std::size_t k = 0; k < entries.size(); ++k) {
        if (k == 0 || entries[k].key != entries[k - 1].key)
            distinct.push_back(double_of_ordered(entries[k].key));
        ids[entries[k].row] = static_cast<std::int32_t>(distinct.size()) - 1;
    }
    for (std::size_t i = 0; i < n; ++i)
        if (std::isnan(values[i])) ids[i] = static_cast<std::int32_t>(distinct.size());
    return distinct;
}

}  // namespace bayesieve
