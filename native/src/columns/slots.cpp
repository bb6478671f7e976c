// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/columns/slots.hpp"

#include <algorithm>

namespace bayesieve {
namespace {

// A value that holds at least its share of what is left is heavy; then the others have less to share. Empty
// if none is, as in most columns of measurements.
std::vector<char> find_heavy(const std::int64_t* mass, std::size_t n, std::int64_t n_slots) {
    std::vector<char> heavy;
    std::int64_t rest = 0, left = n_slots, largest = 0;
    for (std::size_t i = 0; i < n; ++i) {
        rest += mass[i];
        largest = std::max(largest, mass[i]);
    }
    while (left > 1 && rest > 0) {
        const double share = static_cast<double>(rest) / static_cast<double>(left);
        if (heavy.empty() && static_cast<double>(largest) < share) break;
        heavy.resize(n, 0);
        std::int64_t taken = 0, found = 0;
        for (std::size_t i = 0; i < n; ++i) {
            if (heavy[i] != 0 || static_cast<double>(mass[i]) < share) continue;
            heavy[i] = 1;
            taken += mass[i];
            ++found;
        }
        if (found == 0) break;
        rest -= taken;
        left -= found;
    }
    return heavy;
}

// Cuts where no value is heavy.
std::vector<std::int64_t> light_cuts(const std::int64_t* mass, std::size_t n, double share) {
    std::vector<std::int64_t> cuts;
    std::int64_t held = 0;
    for (std::size_t i = 0; i + 1 < n; ++i) {
        held += mass[i];
        if (static_cast<double>(held) < share) continue;
        cuts.push_back(static_cast<std::int64_t>(i) + 1);
        held = 0;
    }
    return cuts;
}

}  // namespace

std::vector<std::int64_t> slot_cuts(const std::int64_t* mass, std::size_t n, std::int64_t n_slots) {
    const std::vector<char> heavy = find_heavy(mass, n, n_slots);
    std::int64_t rest = 0, left = n_slots;
    for (std::size_t i = 0; i < n; ++i) {
        const bool is_heavy = !heavy.empty() && heavy[i] != 0;
        rest += is_heavy ? 0 : mass[i];
        left -= is_heavy ? 1 : 0;
    }
    const double share = static_cast<double>(std::max<std::int64_t>(1, rest)) /
                         static_cast<double>(std::max<std::int64_t>(1, left));
    if (heavy.empty()) return light_cuts(mass, n, share);
    std::vector<std::int64_t> cuts;
    std::int64_t held = 0;
    for (std::size_t i = 0; i + 1 < n; ++i) {
        held += heavy[i] != 0 ? 0 : mass[i];
        if (heavy[i] == 0 && heavy[i + 1] == 0 && static_cast<double>(held) < share) continue;
        cuts.push_back(static_cast<std::int64_t>(i) + 1);
        held = 0;
    }
    return cuts;
}

}  // namespace bayesieve
