// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/coding/modl/intervals.hpp"

#include <algorithm>
#include <memory>

#include "bayesieve/pool.hpp"
#include "interval_search.hpp"
#include "values.hpp"

namespace bayesieve::modl {
namespace {

using Starts = std::vector<std::uint32_t>;

constexpr std::int64_t kDetours = 2;

// Memory of one thread, kept from table to table of at most n rows.
struct Room {
    Arena arena;
    ValuesRoom values;
    MergingRoom merging;
    std::int64_t* sums;  // of blocks
    std::uint32_t* begins;

    Room(std::size_t n, std::size_t n_classes)
        : arena(ValuesRoom::n_bytes(n, n_classes) + MergingRoom::n_bytes(n) +
                Arena::bytes_for<std::int64_t>((n + 1) * n_classes) + Arena::bytes_for<std::uint32_t>(n)),
          values(arena, n, n_classes),
          merging(arena, n),
          sums(arena.take<std::int64_t>((n + 1) * n_classes)),
          begins(arena.take<std::uint32_t>(n)) {}
};

// One table on its way through the granularities.
class Search {
  public:
    Search(const IntervalTables& tables, std::size_t table, const IntervalRules& rules,
           const Factorials& factorials, const Factorials& wholes, Room& room)
        : values_(tables, table, room.values),
          rules_(rules),
          factorials_(factorials),
          wholes_(wholes),
          room_(room),
          prior_(rules.prior, rules.n_attributes, static_cast<double>(values_.total()) * tables.unit) {}

    FoundIntervals run(const std::function<void()>& poll) {
        FoundIntervals found;
        if (values_.total() == 0) return found;
        found.null = found.cost = bin_cost(0, values_.n()) + IntervalStructure(prior_, 0, wholes_).of(1);
        if (prior_.granular()) {
            values_.find_borders();
            explore(found, poll);
            coarsen(found);
        } else {
            search(0, values_.cells(0, true), found, poll);
        }
        for (std::int64_t& cut : found.cuts) cut = values_.begins[cut];
        return found;
    }

  private:
    std::int64_t bin_cost(std::size_t begin, std::size_t end) const {
        std::vector<std::int64_t> counts(values_.n_classes);
        for (int c = 0; c < values_.n_classes; ++c)
            counts[c] =
                values_.sums[end * values_.n_classes + c] - values_.sums[begin * values_.n_classes + c];
        return factorials_.bin_cost(counts.data());
    }

    Starts cells(int granularity) const {
        return values_.cells(granularity, granularity == prior_.finest_granularity());
    }

    std::int64_t limit(int granularity) const {
        const std::int64_t limit =
            rules_.max_bins > 0 ? rules_.max_bins : static_cast<std::int64_t>(values_.n());
        return prior_.granular() ? std::min(limit, prior_.n_cells(granularity)) : limit;
    }

    // Each granularity whose cells are half as many again as those of the one before, with half as many
    // values again; the last is the first whose cells are the values.
    void explore(FoundIntervals& found, const std::function<void()>& poll) {
        int before = 0;
        std::size_t n_before = 0;
        for (int g = 1; g <= prior_.finest_granularity(); ++g) {
            const Starts starts = cells(g);
            const std::size_t n = starts.size();
            const bool last = n == values_.n() || g == prior_.finest_granularity();
            if (last || (2 * n >= 3 * n_before && 3 * n <= 2 * values_.n())) {
                if (search(g, starts, found, poll)) floor_ = before;
                before = g;
            }
            n_before = n;
            if (last) return;
        }
    }

    // True if it found something cheaper. Cuts are positions among the values.
    bool search(int granularity, const Starts& starts, FoundIntervals& found,
                const std::function<void()>& poll) {
        const IntervalStructure structure(prior_, granularity, wholes_);
        // Granularities are beginnings enough.
        const std::int64_t detours = prior_.granular() ? 0 : kDetours;
        Blocks blocks{&factorials_, &structure, values_.head, limit(granularity) - values_.head,
                      rules_.least, detours,    nullptr,      0};
        if (blocks.limit < 1) return false;
        const std::uint32_t* begins =
            values_.n_classes == 2 ? join_pure<2>(starts, blocks) : join_pure<0>(starts, blocks);
        Borders best;
        std::int64_t least_cost = 0;
        for (Borders& borders : merge_greedily(blocks, room_.merging, poll)) {
            poll();
            improve(blocks, borders, poll);
            const std::int64_t cost = cost_of(blocks, begins, borders);
            if (!best.empty() && cost >= least_cost - kTolerance) continue;
            best.swap(borders);
            least_cost = cost;
        }
        if (least_cost >= found.cost - kTolerance) return false;
        found.cost = least_cost;
        found.granularity = granularity;
        found.cuts.clear();
        for (std::size_t i = values_.head ? 0 : 1; i + 1 < best.size(); ++i)
            found.cuts.push_back(begins[best[i]]);
        return true;
    }

    std::int64_t cost_of(const Blocks& blocks, const std::uint32_t* begins, const Borders& borders) const {
        const std::size_t n = borders.size() - 1;
        std::int64_t cost =
            blocks.structure_of(static_cast<std::int64_t>(n)) + (values_.head ? bin_cost(0, 1) : 0);
        for (std::size_t i = 0; i < n; ++i)
            cost += bin_cost(begins[borders[i]], i + 1 < n ? begins[borders[i + 1]] : values_.n());
        return cost;
    }

    // Joins neighboring cells that have one class, the same: no optimal cut separates them. Where the blocks
    // begin. Classes: their number, 0 if it is known when running.
    template <int Classes>
    const std::uint32_t* join_pure(const Starts& starts, Blocks& blocks) const {
        const std::size_t n_classes = Classes > 0 ? Classes : static_cast<std::size_t>(values_.n_classes);
        const std::size_t n = starts.size();
        std::uint32_t* const begins = room_.begins;
        std::int64_t* const joined = room_.sums;
        const std::int64_t* const all = values_.sums;
        const std::int64_t* const base = all + starts[values_.head] * n_classes;
        int last_class = -1;
        std::size_t k = 0;
        for (std::size_t i = values_.head; i < n; ++i) {
            const std::int64_t* low = all + starts[i] * n_classes;
            const std::int64_t* high = all + (i + 1 < n ? starts[i + 1] : values_.n()) * n_classes;
            std::int64_t* sums = joined + k * n_classes;
            int n_present = 0, present = 0;
            for (std::size_t c = 0; c < n_classes; ++c) {
                sums[c] = low[c] - base[c];
                const int occurs = high[c] > low[c] ? 1 : 0;
                n_present += occurs;
                present += occurs * static_cast<int>(c);  // of one class, which it is
            }
            begins[k] = starts[i];
            const int pure = n_present == 1 ? present : -1;
            k += static_cast<std::size_t>((pure < 0) | (pure != last_class));
            last_class = pure;
        }
        blocks.n = k;
        blocks.sums = joined;
        for (std::size_t c = 0; c < n_classes; ++c)
            joined[k * n_classes + c] = all[values_.n() * n_classes + c] - base[c];
        return begins;
    }

    // States the cuts at the coarsest granularity that has them, above the one searched before the winner's.
    void coarsen(FoundIntervals& found) const {
        const std::int64_t n_bins = static_cast<std::int64_t>(found.cuts.size()) + 1;
        int g = found.granularity;
        for (; g > floor_ + 1 && n_bins <= limit(g - 1); --g) {
            const Starts starts = cells(g - 1);
            if (!std::includes(starts.begin(), starts.end(), found.cuts.begin(), found.cuts.end())) break;
        }
        if (g == found.granularity) return;
        found.cost += IntervalStructure(prior_, g, wholes_).of(n_bins) -
                      IntervalStructure(prior_, found.granularity, wholes_).of(n_bins);
        found.granularity = g;
    }

    Values values_;
    const IntervalRules& rules_;
    const Factorials &factorials_, &wholes_;
    Room& room_;
    Prior prior_;
    int floor_ = 0;
};

}  // namespace

std::vector<FoundIntervals> find_intervals(const IntervalTables& tables, const IntervalRules& rules,
                                           int n_threads, const std::function<void()>& poll) {
    std::vector<FoundIntervals> found(tables.n_tables);
    std::int64_t longest = 0;
    for (std::size_t t = 0; t < tables.n_tables; ++t)
        longest = std::max(longest, tables.offsets[t + 1] - tables.offsets[t]);
    const Factorials factorials(tables.unit, tables.n_classes, worth_tabulating(tables));
    // Log-factorials of whole numbers are those of weights where the unit is 1.
    const Factorials others(1.0, 1, tables.unit == 1.0 ? 0 : longest);
    const Factorials& wholes = tables.unit == 1.0 ? factorials : others;
    const std::function<void()> nothing = [] {};
    std::vector<std::unique_ptr<Room>> rooms(static_cast<std::size_t>(std::max(1, n_threads)));
    const auto task = [&](std::size_t begin, std::size_t end, int thread) {
        std::unique_ptr<Room>& room = rooms[static_cast<std::size_t>(thread)];
        if (!room) room = std::make_unique<Room>(longest, static_cast<std::size_t>(tables.n_classes));
        for (std::size_t t = begin; t < end; ++t)
            found[t] = Search(tables, t, rules, factorials, wholes, *room).run(thread == 0 ? poll : nothing);
    };
    run_blocks(tables.n_tables, 1, n_threads, task, poll);
    return found;
}

}  // namespace bayesieve::modl
