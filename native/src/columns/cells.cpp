// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/columns/cells.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace bayesieve {
namespace {

constexpr std::size_t kTile = 512;
constexpr std::size_t kFewBuckets = std::size_t{1} << 12, kManyBuckets = std::size_t{1} << 15;
constexpr std::size_t kFewBorders = 256;

template <typename Value>
typename OrderedKey<Value>::type ordered(Value value) {
    using Key = typename OrderedKey<Value>::type;
    constexpr int top = 8 * sizeof(Key) - 1;
    value += Value{0};  // minus zero becomes zero
    Key bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits ^ ((Key{0} - (bits >> top)) | (Key{1} << top));
}

// The largest number of its type that is not above: no other number of this type is in between.
double below(double border, double) { return border; }
float below(double border, float) {
    if (border > static_cast<double>(std::numeric_limits<float>::max()))
        return std::numeric_limits<float>::max();
    if (border < -static_cast<double>(std::numeric_limits<float>::max()))
        return -std::numeric_limits<float>::infinity();
    const auto near = static_cast<float>(border);
    return static_cast<double>(near) <= border
               ? near
               : std::nextafter(near, -std::numeric_limits<float>::infinity());
}

}  // namespace

template <typename Value>
CellFinder<Value>::CellFinder(const double* borders, std::size_t n) : n_(n), borders_(n) {
    for (std::size_t i = 0; i < n; ++i) borders_[i] = ordered(below(borders[i], Value{}));
    const std::size_t most = n <= kFewBorders ? kFewBuckets : kManyBuckets;
    low_ = n == 0 ? 0 : borders_[0];
    const Key span = n == 0 ? 0 : borders_[n - 1] - low_;
    while ((span >> shift_) >= most) ++shift_;
    const auto n_buckets = static_cast<std::size_t>(span >> shift_) + 1;
    begins_.resize(n_buckets);
    std::size_t place = 0, longest = 0;
    for (std::size_t bucket = 0; bucket < n_buckets; ++bucket) {
        begins_[bucket] = static_cast<std::uint32_t>(place);
        while (place < n && ((borders_[place] - low_) >> shift_) == bucket) ++place;
        longest = std::max(longest, place - begins_[bucket]);
    }
    while ((std::size_t{1} << steps_) <= longest) ++steps_;
    borders_.resize(n + (std::size_t{1} << steps_), std::numeric_limits<Key>::max());
}

template <typename Value>
bool CellFinder<Value>::is_border(Value value, std::uint32_t cell) const {
    return cell < n_ && borders_[cell] == ordered(value);
}

template <typename Value>
template <int Steps>
void CellFinder<Value>::search(const Key* keys, std::size_t n, std::uint32_t* cells) const {
    const Key* const borders = borders_.data();
    const std::uint32_t* const begins = begins_.data();
    const Key low = low_, last = static_cast<Key>(begins_.size() - 1);
    const int shift = shift_, steps = Steps >= 0 ? Steps : steps_;
    for (std::size_t i = 0; i < n; ++i) {
        const Key key = keys[i], above = key > low ? key - low : 0;
        std::size_t at = begins[std::min<Key>(above >> shift, last)];
        for (int step = steps - 1; step >= 0; --step) {
            const std::size_t half = std::size_t{1} << step;
            at += borders[at + half - 1] < key ? half : 0;
        }
        cells[i] = static_cast<std::uint32_t>(at);
    }
}

template <typename Value>
bool CellFinder<Value>::find(const Value* values, std::size_t n, std::uint32_t* cells) const {
    const auto missing = static_cast<std::uint32_t>(n_ + 1);
    Key keys[kTile];
    int infinite = 0;
    for (std::size_t begin = 0; begin < n; begin += kTile) {
        const std::size_t size = std::min(kTile, n - begin);
        const Value* const some = values + begin;
        std::uint32_t* const to = cells + begin;
        for (std::size_t i = 0; i < size; ++i) keys[i] = ordered(some[i]);
        switch (steps_) {
            case 0:
                search<0>(keys, size, to);
                break;
            case 1:
                search<1>(keys, size, to);
                break;
            case 2:
                search<2>(keys, size, to);
                break;
            case 3:
                search<3>(keys, size, to);
                break;
            default:
                search<-1>(keys, size, to);
        }
        for (std::size_t i = 0; i < size; ++i) {
            to[i] = some[i] != some[i] ? missing : to[i];
            infinite |= std::abs(some[i]) > std::numeric_limits<Value>::max();
        }
    }
    return infinite != 0;
}

namespace {

template <typename Value, typename Count>
bool count_tiles(const CellFinder<Value>& finder, const Value* values, std::size_t n, const Strata& strata,
                 Count* counts, std::vector<std::int64_t>* others) {
    std::uint32_t cells[kTile];
    const auto n_strata = static_cast<std::size_t>(strata.n);
    const auto n_labels = static_cast<std::uint32_t>(finder.n_borders());
    bool infinite = false;
    for (std::size_t begin = 0; begin < n; begin += kTile) {
        const std::size_t size = std::min(kTile, n - begin);
        infinite |= finder.find(values + begin, size, cells);
        const std::int32_t* const stratum = strata.of_row + begin;
        if (others != nullptr) {
            for (std::size_t i = 0; i < size; ++i) {
                // Missing values come right after the labels.
                const bool missing = cells[i] == n_labels + 1;
                if (!missing && !finder.is_border(values[begin + i], cells[i])) {
                    others->push_back(static_cast<std::int64_t>(begin + i));
                    continue;
                }
                const std::size_t cell = missing ? n_labels : cells[i];
                counts[cell * n_strata + stratum[i]] +=
                    strata.weights != nullptr ? strata.weights[begin + i] : 1;
            }
        } else if (strata.weights != nullptr) {
            for (std::size_t i = 0; i < size; ++i)
                counts[cells[i] * n_strata + stratum[i]] += strata.weights[begin + i];
        } else {
            for (std::size_t i = 0; i < size; ++i) ++counts[cells[i] * n_strata + stratum[i]];
        }
    }
    return infinite;
}

}  // namespace

template <typename Value>
bool count_cells(const CellFinder<Value>& finder, const Value* values, std::size_t n, const Strata& strata,
                 std::int64_t* counts, std::vector<std::int64_t>* others) {
    if (strata.weights != nullptr || n > std::numeric_limits<std::uint32_t>::max())
        return count_tiles(finder, values, n, strata, counts, others);
    // Half as many bytes stay in the cache.
    const std::size_t n_cells = (finder.n_borders() + (others == nullptr ? 2 : 1)) * strata.n;
    std::vector<std::uint32_t> small(n_cells);
    const bool infinite = count_tiles(finder, values, n, strata, small.data(), others);
    for (std::size_t k = 0; k < n_cells; ++k) counts[k] += small[k];
    return infinite;
}

template <typename Value, typename Code>
void code_cells(const CellFinder<Value>& finder, const Value* values, const std::int64_t* rows, std::size_t n,
                const std::int64_t* code_of_cell, Code* codes) {
    Value picked[kTile];
    std::uint32_t cells[kTile];
    const std::vector<Code> table(code_of_cell, code_of_cell + finder.n_borders() + 2);
    for (std::size_t begin = 0; begin < n; begin += kTile) {
        const std::size_t size = std::min(kTile, n - begin);
        for (std::size_t i = 0; i < size; ++i) picked[i] = values[rows[begin + i]];
        finder.find(picked, size, cells);
        for (std::size_t i = 0; i < size; ++i) codes[begin + i] = table[cells[i]];
    }
}

template class CellFinder<float>;
template class CellFinder<double>;
template bool count_cells(const CellFinder<float>&, const float*, std::size_t, const Strata&, std::int64_t*,
                          std::vector<std::int64_t>*);
template bool count_cells(const CellFinder<double>&, const double*, std::size_t, const Strata&, std::int64_t*,
                          std::vector<std::int64_t>*);
template void code_cells(const CellFinder<float>&, const float*, const std::int64_t*, std::size_t,
                         const std::int64_t*, std::uint8_t*);
template void code_cells(const CellFinder<float>&, const float*, const std::int64_t*, std::size_t,
                         const std::int64_t*, std::uint16_t*);
template void code_cells(const CellFinder<double>&, const double*, const std::int64_t*, std::size_t,
                         const std::int64_t*, std::uint8_t*);
template void code_cells(const CellFinder<double>&, const double*, const std::int64_t*, std::size_t,
                         const std::int64_t*, std::uint16_t*);

}  // namespace bayesieve
