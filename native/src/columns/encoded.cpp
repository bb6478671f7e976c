// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/columns/encoded.hpp"

namespace bayesieve {
namespace {

// Position -1 becomes n_entries, and any other that is out of range something above it.
template <typename Position>
std::size_t place_of(Position position, std::size_t n_entries) {
    const auto place = static_cast<std::size_t>(static_cast<std::int64_t>(position));
    return position == Position{-1} ? n_entries : place >= n_entries ? n_entries + 1 : place;
}

}  // namespace

template <typename Position>
bool mark_positions(const Position* positions, std::size_t n, std::size_t n_entries, std::uint8_t* occurs) {
    bool good = true;
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t place = place_of(positions[i], n_entries);
        good &= place <= n_entries;
        if (place < n_entries) occurs[place] = 1;
    }
    return good;
}

template <typename Position>
bool look_up_positions(const Position* positions, std::size_t n, const std::int32_t* ids,
                       std::size_t n_entries, std::int32_t* out) {
    bool good = true;
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t place = place_of(positions[i], n_entries);
        good &= place <= n_entries;
        out[i] = ids[place <= n_entries ? place : 0];
    }
    return good;
}

template bool mark_positions(const std::int8_t*, std::size_t, std::size_t, std::uint8_t*);
template bool mark_positions(const std::int16_t*, std::size_t, std::size_t, std::uint8_t*);
template bool mark_positions(const std::int32_t*, std::size_t, std::size_t, std::uint8_t*);
template bool mark_positions(const std::int64_t*, std::size_t, std::size_t, std::uint8_t*);
template bool look_up_positions(const std::int8_t*, std::size_t, const std::int32_t*, std::size_t,
                                std::int32_t*);
template bool look_up_positions(const std::int16_t*, std::size_t, const std::int32_t*, std::size_t,
                                std::int32_t*);
template bool look_up_positions(const std::int32_t*, std::size_t, const std::int32_t*, std::size_t,
                                std::int32_t*);
template bool look_up_positions(const std::int64_t*, std::size_t, const std::int32_t*, std::size_t,
                                std::int32_t*);

}  // namespace bayesieve
