// SPDX-License-Identifier: BSD-3-Clause
#include "values.hpp"

#include <algorithm>
#include <numeric>

#include "bayesieve/wide.hpp"

namespace bayesieve::modl {
namespace {

bool product_exceeds(std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
    Wide left, right;
    left.add_product(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b));
    right.add_product(static_cast<std::uint64_t>(c), static_cast<std::uint64_t>(d));
    return left.high != right.high ? left.high > right.high : left.low > right.low;
}

}  // namespace

std::int64_t worth_tabulating(const IntervalTables& tables) {
    std::int64_t heaviest = 0;
    for (std::size_t t = 0; t < tables.n_tables; ++t) {
        std::int64_t total = 0;
        for (std::int64_t i = tables.offsets[t] * tables.n_classes;
             i < tables.offsets[t + 1] * tables.n_classes; ++i)
            total += tables.counts[i];
        heaviest = std::max(heaviest, total);
    }
    return std::min(heaviest, 1024 + 8 * tables.offsets[tables.n_tables]);
}

Values::Values(const IntervalTables& tables, std::size_t table, const ValuesRoom& room)
    : n_classes(tables.n_classes), head(false), begins(room.begins), sums(room.sums), mass(room.mass) {
    const std::int64_t first = tables.offsets[table];
    const auto n_rows = static_cast<std::size_t>(tables.offsets[table + 1] - first);
    const std::int64_t* counts = tables.counts + first * n_classes;
    if (n_classes == 2) {
        read<2>(counts, n_rows);
    } else {
        read<0>(counts, n_rows);
    }
    // The first value is the first row if that has any weight: cuts before it are at 0 anyway.
    const bool first_occurs =
        n_rows > 0 && std::any_of(counts, counts + n_classes, [](auto m) { return m > 0; });
    head = first_occurs && tables.fixed_first[table] != 0 && n() > 1;
    if (tables.monotone[table] != 0) pool_violators(tables.monotone[table]);
}

// Classes: their number, 0 if it is known when running.
template <int Classes>
void Values::read(const std::int64_t* counts, std::size_t n_rows) {
    const std::size_t classes = Classes > 0 ? Classes : static_cast<std::size_t>(n_classes);
    std::fill_n(sums, classes, 0);
    mass[0] = 0;
    std::size_t n = 0;
    std::int64_t border = 0;
    for (std::size_t row = 0; row < n_rows; ++row, counts += classes) {
        const std::int64_t* before = &sums[n * classes];
        std::int64_t* after = &sums[(n + 1) * classes];
        std::int64_t weight = 0;
        for (std::size_t c = 0; c < classes; ++c) {
            weight += counts[c];
            after[c] = before[c] + counts[c];
        }
        if (weight == 0) continue;
        begins[n] = border;
        border = static_cast<std::int64_t>(row) + 1;
        mass[n + 1] = mass[n] + weight;
        ++n;
    }
    n_ = n;
}

// Blocks in which the share of the second of two classes does not fall (1) or does not rise (-1): neighbors
// are pooled while they are in the wrong order. The head is left out.
void Values::pool_violators(int direction) {
    std::vector<std::size_t> starts;
    const auto weight = [&](std::size_t begin, std::size_t end, int c) {
        return sums[2 * end + c] - sums[2 * begin + c];
    };
    for (std::size_t i = head; i < n(); ++i) {
        std::size_t begin = i;
        while (!starts.empty()) {
            const std::size_t last = starts.back();
            const std::int64_t a0 = weight(last, begin, 0), a1 = weight(last, begin, 1);
            const std::int64_t b0 = weight(begin, i + 1, 0), b1 = weight(begin, i + 1, 1);
            if (!(direction > 0 ? product_exceeds(a1, b0, b1, a0) : product_exceeds(b1, a0, a1, b0))) break;
            begin = last;
            starts.pop_back();
        }
        starts.push_back(begin);
    }
    if (head) starts.insert(starts.begin(), 0);
    const std::size_t old = n();
    for (std::size_t k = 0; k < starts.size(); ++k) {  // starts[k] >= k, so nothing is overwritten too early
        begins[k] = begins[starts[k]];
        mass[k] = mass[starts[k]];
        std::copy_n(&sums[2 * starts[k]], 2, &sums[2 * k]);
    }
    mass[starts.size()] = mass[old];
    std::copy_n(&sums[2 * old], 2, &sums[2 * starts.size()]);
    n_ = starts.size();
}

// The border of cell q is the one between two values that is nearest to total q / 2^g; of two that are as
// near, the outer one. `right`: mass[right] is the first cumulative weight that reaches total q / 2^g, which
// is kept as a whole number and a rest out of 2^g.
std::size_t Values::border(std::int64_t q, int granularity, std::size_t right) const {
    const std::int64_t size = std::int64_t{1} << granularity;
    Wide product;
    product.add_product(static_cast<std::uint64_t>(total()), static_cast<std::uint64_t>(q));
    const auto aim =
        static_cast<std::int64_t>((product.high << (64 - granularity)) | (product.low >> granularity));
    const auto fraction = static_cast<std::int64_t>(product.low & static_cast<std::uint64_t>(size - 1));
    const std::int64_t gap = 2 * aim + (2 * fraction >> granularity) - mass[right - 1] - mass[right];
    const bool beyond_middle = gap > 0 || (gap == 0 && ((2 * fraction & (size - 1)) > 0 || q > size / 2));
    return right == 1 || beyond_middle ? right : right - 1;
}

// The largest q with total q / 2^g at most the weight before a value: a guess in doubles, corrected exactly.
std::int64_t Values::last_aim(std::size_t value, int granularity) const {
    const std::int64_t size = std::int64_t{1} << granularity;
    const double share = static_cast<double>(mass[value]) / static_cast<double>(total());
    std::int64_t q = std::min(size, static_cast<std::int64_t>(share * static_cast<double>(size)));
    while (product_exceeds(total(), q, mass[value], size)) --q;
    while (q < size && !product_exceeds(total(), q + 1, mass[value], size)) ++q;
    return q;
}

// Borders of a granularity are every second one of the next finer.
void Values::find_borders() {
    known_ = 0;
    const auto wanted = [&](int granularity) {
        const std::int64_t size = std::int64_t{1} << granularity;
        return size < total() && static_cast<std::size_t>(size) / 16 <= n() &&
               total() <= INT64_MAX / 4 / size;
    };
    while (wanted(known_ + 1)) ++known_;
    const std::int64_t size = std::int64_t{1} << known_;
    borders_.resize(static_cast<std::size_t>(size));
    std::size_t right = 1;
    for (std::int64_t q = 1, aim = total(); q < size; ++q, aim += total()) {
        const std::int64_t reached = (aim + size - 1) >> known_;
        while (mass[right] < reached) ++right;
        // As in `border`, in parts of 2^known_.
        const std::int64_t gap = 2 * aim - ((mass[right - 1] + mass[right]) << known_);
        const bool beyond_middle = gap > 0 || (gap == 0 && q > size / 2);
        borders_[q] = static_cast<std::uint32_t>(right == 1 || beyond_middle ? right : right - 1);
    }
}

std::vector<std::uint32_t> Values::cells(int granularity, bool finest) const {
    std::vector<std::uint32_t> starts;
    // With at least as many cells as units, each border between values is the nearest one of some cell.
    if (finest || granularity >= 62 || (std::int64_t{1} << granularity) >= total()) {
        starts.resize(n());
        std::iota(starts.begin(), starts.end(), 0);
        return starts;
    }
    const std::int64_t size = std::int64_t{1} << granularity;
    starts.resize(std::min(n(), static_cast<std::size_t>(size)) + 3);
    starts[0] = 0;
    std::size_t k = 0;
    if (head) starts[++k] = 1;
    const auto add = [&](std::size_t border) {
        starts[k + 1] = static_cast<std::uint32_t>(border);
        k += border < n() && border > starts[k];
    };
    if (granularity <= known_) {
        const std::size_t step = std::size_t{1} << (known_ - granularity);
        for (std::size_t q = step; q < borders_.size(); q += step) add(borders_[q]);
    } else {
        // Borders do not decrease with q: the first and the last q within a value have all that it has.
        std::int64_t first = 1;
        for (std::size_t right = 1; right <= n(); ++right) {
            const std::int64_t last = std::min(last_aim(right, granularity), size - 1);
            if (last < first) continue;
            add(border(first, granularity, right));
            add(border(last, granularity, right));
            first = last + 1;
        }
    }
    starts.resize(k + 1);
    return starts;
}

}  // namespace bayesieve::modl
