// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/columns/column_batch.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <vector>

#include "bayesieve/kernels/kernels.hpp"
#include "bayesieve/pool.hpp"

namespace bayesieve {
namespace {

constexpr const char* kBadIds = "ids must be positions among the labels of their column";

// True if all values are from 0 to limit - 1: as unsigned numbers, negative ones are too large.
template <typename Unsigned, typename Signed>
bool within(const Signed* values, std::size_t n, std::int64_t limit) {
    // No value is larger than the union of all bits, which every processor finds faster than the largest.
    Unsigned bits = 0;
    for (std::size_t i = 0; i < n; ++i) bits |= static_cast<Unsigned>(values[i]);
    if (static_cast<std::uint64_t>(bits) < static_cast<std::uint64_t>(limit)) return true;
    Unsigned highest = 0;
    for (std::size_t i = 0; i < n; ++i) highest = std::max(highest, static_cast<Unsigned>(values[i]));
    return n == 0 || static_cast<std::uint64_t>(highest) < static_cast<std::uint64_t>(limit);
}

// Neighbors often fall into one cell, where each addition would wait for the last: four tables take turns.
void count_few(const std::int32_t* ids, const std::int32_t* strata, std::size_t n, std::int32_t n_strata,
               std::vector<std::uint32_t>& tables, std::size_t n_cells, std::int64_t* counts) {
    tables.assign(4 * n_cells, 0);
    std::uint32_t* table[4];
    for (std::size_t t = 0; t < 4; ++t) table[t] = tables.data() + t * n_cells;
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (std::size_t t = 0; t < 4; ++t)
            ++table[t][static_cast<std::size_t>(ids[i + t]) * n_strata + strata[i + t]];
    for (; i < n; ++i) ++table[0][static_cast<std::size_t>(ids[i]) * n_strata + strata[i]];
    for (std::size_t cell = 0; cell < n_cells; ++cell)
        for (std::size_t t = 0; t < 4; ++t) counts[cell] += table[t][cell];
}

// Rows as bits, one plane per label and one per stratum: what two planes share is counted 64 rows at a time.
class CountedPlanes {
  public:
    CountedPlanes(const Strata& strata, std::size_t n)
        : n_(n), words_((n + 63) / 64), n_strata_(static_cast<std::size_t>(strata.n)) {
        if (strata.weights == nullptr && n_strata_ <= kMost && n < std::numeric_limits<std::uint32_t>::max())
            fill(strata.of_row, n_strata_, strata_);
    }

    // Beyond, to count row by row takes less time.
    bool serve(std::int64_t n_labels) const {
        return !strata_.empty() && n_labels <= 8 && static_cast<std::size_t>(n_labels) * n_strata_ <= kMost;
    }

    void count(const std::int32_t* ids, std::size_t n_labels, std::int64_t* counts) {
        fill(ids, n_labels, labels_);
        cells_.resize(n_labels * n_strata_);
        kernels().count_planes({labels_.data(), n_labels}, {strata_.data(), n_strata_}, words_, words_,
                               cells_.data(), n_strata_);
        for (std::size_t cell = 0; cell < cells_.size(); ++cell) counts[cell] += cells_[cell];
    }

  private:
    static constexpr std::size_t kMost = 64;

    void fill(const std::int32_t* values, std::size_t n_planes, std::vector<std::uint64_t>& planes) {
        bytes_.resize(n_);
        std::uint8_t* bytes = bytes_.data();
        const std::size_t n = n_;
        for (std::size_t i = 0; i < n; ++i) bytes[i] = static_cast<std::uint8_t>(values[i]);
        planes.resize(n_planes * words_);
        kernels().fill_planes(bytes, n, n_planes, words_, planes.data());
    }

    std::size_t n_, words_, n_strata_;
    std::vector<std::uint8_t> bytes_;
    std::vector<std::uint64_t> strata_, labels_;
    std::vector<std::uint32_t> cells_;
};

// Cells are apart in memory: small counts fit a nearer cache than the sums.
void count_many(const std::int32_t* ids, const std::int32_t* strata, std::size_t n, std::int32_t n_strata,
                std::vector<std::uint16_t>& table, std::size_t n_cells, std::int64_t* counts) {
    table.assign(n_cells, 0);
    std::uint16_t* const cells = table.data();
    for (std::size_t i = 0; i < n; ++i) ++cells[static_cast<std::size_t>(ids[i]) * n_strata + strata[i]];
    for (std::size_t cell = 0; cell < n_cells; ++cell) counts[cell] += cells[cell];
}

// Memory that one column after the other uses.
struct CountRoom {
    std::vector<std::uint32_t> few;
    std::vector<std::uint16_t> many;
};

void count_column(const std::int32_t* ids, const Strata& strata, std::size_t n, std::size_t n_cells,
                  CountRoom& room, std::int64_t* counts) {
    constexpr std::size_t few = 4096;
    if (strata.weights == nullptr && n_cells <= few && n < std::numeric_limits<std::uint32_t>::max()) {
        count_few(ids, strata.of_row, n, strata.n, room.few, n_cells, counts);
        return;
    }
    if (strata.weights == nullptr && n_cells <= 8 * n && n <= std::numeric_limits<std::uint16_t>::max()) {
        count_many(ids, strata.of_row, n, strata.n, room.many, n_cells, counts);
        return;
    }
    for (std::size_t i = 0; i < n; ++i)
        counts[static_cast<std::size_t>(ids[i]) * strata.n + strata.of_row[i]] +=
            strata.weights != nullptr ? strata.weights[i] : 1;
}

// A sum beyond 63 bits wraps, as NumPy's does.
void add_wrapping(std::uint64_t term, std::int64_t& sum) {
    sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) + term);
}

// Two classes. Labels of one bin are mostly neighbors, whose sums need not wait for each other in memory.
void add_pairs_by_bin(const std::int64_t* bins, const std::int64_t* counts, std::size_t n,
                      std::int64_t* sums) {
    for (std::size_t i = 0; i < n;) {
        const std::int64_t bin = bins[i];
        std::uint64_t first = 0, second = 0;
        for (; i < n && bins[i] == bin; ++i) {
            first += static_cast<std::uint64_t>(counts[2 * i]);
            second += static_cast<std::uint64_t>(counts[2 * i + 1]);
        }
        add_wrapping(first, sums[2 * bin]);
        add_wrapping(second, sums[2 * bin + 1]);
    }
}

}  // namespace

const char* count_columns(const ColumnBatch& batch, const Strata& strata, std::int64_t* counts,
                          const Threads& threads) {
    if (!within<std::uint32_t>(strata.of_row, batch.n_rows, strata.n))
        return "strata must hold values from 0 to n_strata - 1";
    std::atomic<const char*> fault{nullptr};
    std::vector<CountedPlanes> of_threads(static_cast<std::size_t>(std::max(1, threads.n_threads)),
                                          CountedPlanes(strata, batch.n_rows));
    run_blocks(
        batch.n_columns, 1, threads.n_threads,
        [&](std::size_t begin, std::size_t end, int thread) {
            CountedPlanes& planes = of_threads[static_cast<std::size_t>(thread)];
            CountRoom room;
            for (std::size_t j = begin; j < end; ++j) {
                const auto n_labels = static_cast<std::size_t>(batch.n_labels(j));
                std::int64_t* own = counts + batch.offsets[j] * strata.n;
                if (!within<std::uint32_t>(batch.column(j), batch.n_rows, batch.n_labels(j))) {
                    fault = kBadIds;
                } else if (planes.serve(batch.n_labels(j))) {
                    planes.count(batch.column(j), n_labels, own);
                } else {
                    count_column(batch.column(j), strata, batch.n_rows, n_labels * strata.n, room, own);
                }
            }
        },
        threads.poll);
    return fault;
}

const char* add_by_bin(const std::int64_t* bins, const std::int64_t* counts, std::size_t n,
                       std::size_t n_classes, std::int64_t n_bins, std::int64_t* sums) {
    if (!within<std::uint64_t>(bins, n, n_bins)) return "bins must be from 0 to n_bins - 1";
    if (n_classes == 2) {
        add_pairs_by_bin(bins, counts, n, sums);
        return nullptr;
    }
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t c = 0; c < n_classes; ++c)
            add_wrapping(static_cast<std::uint64_t>(counts[i * n_classes + c]),
                         sums[bins[i] * n_classes + c]);
    return nullptr;
}

void interval_bins(const double* labels, std::size_t n_labels, const double* bounds, std::size_t n_bounds,
                   std::int64_t missing, std::int64_t* bins) {
    const double* const end = labels + n_labels;
    const double* from = labels;
    for (std::size_t k = 0; k < n_bounds; ++k) {
        const double* const next = std::upper_bound(from, end, bounds[k]);
        bins = std::fill_n(bins, next - from, static_cast<std::int64_t>(k));
        from = next;
    }
    bins = std::fill_n(bins, end - from, static_cast<std::int64_t>(n_bounds));
    *bins = missing;
}

// The codes of n rows; false if an id is not a label. Its arguments are local: a byte that is written could
// be part of anything else. Ids are tested as they are used, since to read a column twice takes longer.
template <typename Code>
bool look_up(const std::int32_t* ids, const std::uint32_t* places, std::size_t n, const Code* code_of,
             std::uint32_t n_labels, Code* codes) {
    if (n_labels == 0) return n == 0;
    bool good = true;
    for (std::size_t i = 0; i < n; ++i) {
        const auto id = static_cast<std::uint32_t>(ids[places[i]]);
        good &= id < n_labels;
        codes[i] = code_of[id < n_labels ? id : 0];
    }
    return good;
}

template <typename Code>
const char* code_columns(const ColumnBatch& batch, const std::int64_t* rows, std::size_t n,
                         const std::int64_t* const* bins, Code* codes, const Threads& threads) {
    if (batch.n_rows >> 32 != 0 || !within<std::uint64_t>(rows, n, static_cast<std::int64_t>(batch.n_rows)))
        return "rows must be positions in the batch";
    // Half as wide, so that they stay in the cache together with the ids of a column.
    const std::vector<std::uint32_t> places(rows, rows + n);
    std::atomic<const char*> fault{nullptr};
    run_blocks(
        batch.n_columns, 1, threads.n_threads,
        [&](std::size_t begin, std::size_t end, int) {
            std::vector<Code> table;
            for (std::size_t j = begin; j < end; ++j) {
                const auto n_labels = static_cast<std::uint32_t>(batch.n_labels(j));
                if (!within<std::uint64_t>(bins[j], n_labels,
                                           std::int64_t{std::numeric_limits<Code>::max()} + 1)) {
                    fault = "bins must fit the codes";
                    continue;
                }
                table.assign(bins[j], bins[j] + n_labels);
                if (!look_up(batch.column(j), places.data(), n, table.data(), n_labels, codes + j * n))
                    fault = kBadIds;
            }
        },
        threads.poll);
    return fault;
}

template const char* code_columns(const ColumnBatch&, const std::int64_t*, std::size_t,
                                  const std::int64_t* const*, std::uint8_t*, const Threads&);
template const char* code_columns(const ColumnBatch&, const std::int64_t*, std::size_t,
                                  const std::int64_t* const*, std::uint16_t*, const Threads&);

}  // namespace bayesieve
