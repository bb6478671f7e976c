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

// Cuts of a run of values into bins of at least a share, from both ends at once: what is left in the middle
// is less than two bins. Values with the opposite sign have the same bins.
void cut_run(const std::int64_t* mass, std::size_t first, std::size_t end, double share,
             std::vector<std::int64_t>& cuts) {
    std::vector<std::int64_t> from_right;
    for (;;) {
        std::size_t left = first, right = end;
        std::int64_t held = 0;
        while (left < end && static_cast<double>(held) < share) held += mass[left++];
        if (static_cast<double>(held) < share) break;
        held = 0;
        while (right > left && static_cast<double>(held) < share) held += mass[--right];
        if (static_cast<double>(held) < share) break;
        cuts.push_back(static_cast<std::int64_t>(left));
        if (left == right) break;
        from_right.push_back(static_cast<std::int64_t>(right));
        first = left, end = right;
    }
    cuts.insert(cuts.end(), from_right.rbegin(), from_right.rend());
}

// The same of values of mass one, whose bins are as large as the share.
std::vector<std::int64_t> single_cuts(std::size_t n, double share) {
    std::vector<std::int64_t> cuts;
    const auto step = static_cast<std::size_t>(std::ceil(share)), n_left = n / (2 * step);
    for (std::size_t k = 1; k <= n_left; ++k) cuts.push_back(static_cast<std::int64_t>(k * step));
    for (std::size_t k = n_left; k > 0; --k)
        if (const std::size_t cut = n - k * step; cut > n_left * step)
            cuts.push_back(static_cast<std::int64_t>(cut));
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
    if (heavy.empty() && summary.largest == 1) return single_cuts(n, share);
    std::vector<std::int64_t> cuts;
    std::size_t first = 0;
    for (std::size_t i = 0; i < heavy.size(); ++i) {
        if (heavy[i] == 0) continue;
        cut_run(mass, first, i, share, cuts);
        for (const std::size_t cut : {i, i + 1})
            if (cut > 0 && cut < n && (cuts.empty() || cuts.back() < static_cast<std::int64_t>(cut)))
                cuts.push_back(static_cast<std::int64_t>(cut));
        first = i + 1;
    }
    cut_run(mass, first, n, share, cuts);
    return cuts;
}

}  // namespace bayesieve
