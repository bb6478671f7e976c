// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/columns/slots.hpp"

#include <algorithm>
#include <cmath>

namespace bayesieve {
namespace {

struct MassSummary {
    std::int64_t total = 0, largest = 0;
};

MassSummary summarize(const std::int64_t* mass, std::size_t n) {
    MassSummary summary;
    std::int64_t bits = 0;
    for (std::size_t i = 0; i < n; ++i) {
        summary.total += mass[i];
        bits |= mass[i];
    }
    // No value is larger than the union of all bits, which every processor finds faster than the largest.
    summary.largest = bits <= 1 ? bits : *std::max_element(mass, mass + n);
    return summary;
}

// A value that holds at least its share of what is left is heavy; then the others have less to share. Empty
// if none is, as in most columns of measurements.
std::vector<char> find_heavy(const std::int64_t* mass, std::size_t n, std::int64_t n_slots,
                             const MassSummary& summary) {
    std::vector<char> heavy;
    std::int64_t rest = summary.total, left = n_slots;
    while (left > 1 && rest > 0) {
        const double share = static_cast<double>(rest) / static_cast<double>(left);
        if (heavy.empty() && static_cast<double>(summary.largest) < share) break;
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

// Cuts where no value is heavy; of values of mass one, as far apart as the share.
std::vector<std::int64_t> light_cuts(const std::int64_t* mass, std::size_t n, double share,
                                     std::int64_t largest) {
    std::vector<std::int64_t> cuts;
    if (largest == 1) {
        const auto step = static_cast<std::size_t>(std::ceil(share));
        for (std::size_t i = step; i < n; i += step) cuts.push_back(static_cast<std::int64_t>(i));
        return cuts;
    }
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

bool positive_below(const std::int64_t* values, std::size_t n, std::int64_t limit) {
    std::int64_t bits = 0;
    bool positive = true;
    for (std::size_t i = 0; i < n; ++i) {
        bits |= values[i];
        positive &= values[i] > 0;
    }
    if (n == 0) return limit > 0;
    if (!positive) return false;
    if (bits < limit / static_cast<std::int64_t>(n)) return true;  // no value exceeds the union of all bits
    std::int64_t room = limit;
    for (std::size_t i = 0; i < n; ++i) {
        if (values[i] >= room) return false;
        room -= values[i];
    }
    return true;
}

std::vector<std::int64_t> slot_cuts(const std::int64_t* mass, std::size_t n, std::int64_t n_slots) {
    const MassSummary summary = summarize(mass, n);
    const std::vector<char> heavy = find_heavy(mass, n, n_slots, summary);
    std::int64_t rest = summary.total, left = n_slots;
    for (std::size_t i = 0; i < heavy.size(); ++i) {
        rest -= heavy[i] != 0 ? mass[i] : 0;
        left -= heavy[i] != 0 ? 1 : 0;
    }
    const double share = static_cast<double>(std::max<std::int64_t>(1, rest)) /
                         static_cast<double>(std::max<std::int64_t>(1, left));
    if (heavy.empty()) return light_cuts(mass, n, share, summary.largest);
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
