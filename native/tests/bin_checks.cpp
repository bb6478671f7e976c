// SPDX-License-Identifier: BSD-3-Clause
#include "bin_checks.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

#include "bayesieve/columns/column_batch.hpp"
#include "bayesieve/columns/encoded.hpp"
#include "bayesieve/columns/label_weights.hpp"
#include "bayesieve/columns/slots.hpp"

namespace bayesieve_test {
namespace {

using Random = std::mt19937_64;

std::int64_t below(Random& random, std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
}

// Bins of sorted labels: the number of bounds below each.
bool intervals_hold(Random& random) {
    std::vector<double> labels, bounds;
    for (std::size_t i = random() % 50; i > 0; --i) labels.push_back(static_cast<double>(random() % 40));
    for (std::size_t k = random() % 9; k > 0; --k) bounds.push_back(static_cast<double>(random() % 50));
    std::sort(labels.begin(), labels.end());
    std::sort(bounds.begin(), bounds.end());
    std::vector<std::int64_t> bins(labels.size() + 1), expected;
    bayesieve::interval_bins(labels.data(), labels.size(), bounds.data(), bounds.size(), 99, bins.data());
    for (const double label : labels)
        expected.push_back(std::lower_bound(bounds.begin(), bounds.end(), label) - bounds.begin());
    expected.push_back(99);
    return bins == expected;
}

// Weights of labels, and of columns, some of which have no label.
bool label_weights_hold(Random& random, std::size_t n_classes) {
    std::vector<std::int64_t> offsets{0}, counts;
    for (int j = 0; j < 5; ++j) offsets.push_back(offsets.back() + below(random, 30));
    const auto n_labels = static_cast<std::size_t>(offsets.back());
    for (std::size_t k = 0; k < n_labels * n_classes; ++k) counts.push_back(below(random, 3));
    std::vector<std::int64_t> of_label(n_labels), total(5), largest(5), n_values(5);
    bayesieve::weigh_labels({counts.data(), offsets.data(), 5, n_classes},
                            {of_label.data(), total.data(), largest.data(), n_values.data()});
    for (std::size_t j = 0; j < 5; ++j) {
        std::int64_t sum = 0, most = 0, n = 0;
        for (auto i = static_cast<std::size_t>(offsets[j]); i < static_cast<std::size_t>(offsets[j + 1]);
             ++i) {
            std::int64_t own = 0;
            for (std::size_t c = 0; c < n_classes; ++c) own += counts[i * n_classes + c];
            if (own != of_label[i]) return false;
            sum += own;
            most = std::max(most, own);
            n += own > 0 ? 1 : 0;
        }
        if (total[j] != sum || largest[j] != most || n_values[j] != n) return false;
    }
    return true;
}

// Cuts increase, and a value that holds its share of all stands alone.
bool slots_hold(Random& random) {
    const auto n = 1 + random() % 200;
    std::vector<std::int64_t> mass(n);
    std::int64_t total = 0;
    for (auto& each : mass) total += each = 1 + below(random, random() % 10 == 0 ? 100000 : 10);
    const std::int64_t n_slots = 1 + below(random, 40);
    std::vector<std::int64_t> cuts = bayesieve::slot_cuts(mass.data(), n, n_slots);
    cuts.insert(cuts.begin(), 0);
    cuts.push_back(static_cast<std::int64_t>(n));
    for (std::size_t k = 1; k < cuts.size(); ++k) {
        if (cuts[k - 1] >= cuts[k]) return false;
        for (std::int64_t i = cuts[k - 1]; i < cuts[k] && n_slots > 1; ++i)
            if (static_cast<double>(mass[i]) >= static_cast<double>(total) / static_cast<double>(n_slots) &&
                cuts[k] - cuts[k - 1] > 1)
                return false;
    }
    return true;
}

// Positions among entries, some of which are missing, and one of which may be out of range.
template <typename Position>
bool positions_hold(Random& random, bool bad) {
    const auto n_entries = static_cast<std::size_t>(below(random, 20)), n = std::size_t{50};
    std::vector<Position> positions;
    std::vector<std::int32_t> ids, found(n), expected;
    for (std::size_t k = 0; k <= n_entries; ++k) ids.push_back(static_cast<std::int32_t>(random() % 1000));
    std::vector<std::uint8_t> occurs(n_entries, 0), some(n_entries, 0);
    for (std::size_t i = 0; i < n; ++i) {
        const std::int64_t k = below(random, static_cast<std::int64_t>(n_entries) + 1) - 1;
        positions.push_back(static_cast<Position>(k));
        expected.push_back(ids[k < 0 ? n_entries : static_cast<std::size_t>(k)]);
        if (k >= 0) some[static_cast<std::size_t>(k)] = 1;
    }
    if (bad) positions[7] = static_cast<Position>(random() % 2 == 0 ? -2 : static_cast<int>(n_entries));
    const bool good = bayesieve::mark_positions(positions.data(), n, n_entries, occurs.data()) &&
                      bayesieve::look_up_positions(positions.data(), n, ids.data(), n_entries, found.data());
    return bad ? !good : good && occurs == some && found == expected;
}

}  // namespace

int check_bins() {
    Random random(29);
    int faults = 0;
    const auto expect = [&](bool holds, const char* what) {
        if (!holds) ++faults, std::printf("bins: %s differ from a plain search\n", what);
    };
    for (int k = 0; k < 12; ++k) {
        expect(slots_hold(random), "slots");
        expect(label_weights_hold(random, 1 + random() % 4), "weights of labels");
        expect(intervals_hold(random), "bins of sorted labels");
        for (const bool bad : {false, true})
            expect(positions_hold<std::int8_t>(random, bad) && positions_hold<std::int16_t>(random, bad) &&
                       positions_hold<std::int32_t>(random, bad) && positions_hold<std::int64_t>(random, bad),
                   "positions of categories");
    }
    return faults;
}

}  // namespace bayesieve_test
