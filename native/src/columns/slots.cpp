// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/columns/slots.hpp"

#include <algorithm>

namespace bayesieve {
namespace {

// A value that holds at least its share of what is left is heavy; then the others have less to share.
std::vector<char> find_heavy(const std::int64_t* mass, std::size_t n, std::int64_t n_slots) {
    std::vector<char> heavy(n, 0);
    std::int64_t rest = 0, left = n_slots;
    for (std::size_t i = 0; i < n; ++i) rest += mass[i];
    while (left > 1 && rest > 0) {
        const double share = static_cast<double>(rest) / static_cast<double>(left);
        std::int64_t largest = 0;  // of the light ones: mostly none is heavy
        for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, heavy[i] != 0 ? 0 : mass[i]);
        if (static_cast<double>(largest) < share) break;
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

}  // namespace

std::vector<std::int64_t> slot_cuts(const std::int64_t* mass, std::size_t n, std::int64_t n_slots) {
    const std::vector<char> heavy = find_heavy(mass, n, n_slots);
    std::int64_t rest = 0, left = n_slots;
    for (std::size_t i = 0; i < n; ++i) {
        rest += heavy[i] != 0 ? 0 : mass[i];
        left -= heavy[i];
    }
    const double share = static_cast<double>(std::max<std::int64_t>(1, rest)) /
                         static_cast<double>(std::max<std::int64_t>(1, left));
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
