// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/coding/mdlp.hpp"

#include <algorithm>
#include <cstddef>

#include "bayesieve/elementary.hpp"
#include "bayesieve/pool.hpp"
#include "coding/modl/values.hpp"

namespace bayesieve {
namespace {

using modl::kCostOne;
using modl::to_cost;
using modl::Values;

// x log x of weights in units, as integers: multiples of 2^-28 nats.
class Entropies {
  public:
    Entropies(double unit, std::int64_t tabulated) : unit_(unit) {
        for (std::int64_t m = 0; m <= tabulated; ++m) table_.push_back(compute(m));
    }

    std::int64_t of(std::int64_t units) const {
        return units < static_cast<std::int64_t>(table_.size()) ? table_[units] : compute(units);
    }

  private:
    std::int64_t compute(std::int64_t units) const {
        const double x = static_cast<double>(units) * unit_;
        return units == 0 ? 0 : to_cost(x * log_positive(x));
    }

    double unit_;
    std::vector<std::int64_t> table_;
};

// log(3^k - 2): among how many labelings of both sides a code must choose.
double log_labelings(int n_classes) {
    if (n_classes > 33) return static_cast<double>(n_classes) * log_positive(3.0);
    double power = 1.0;
    for (int k = 0; k < n_classes; ++k) power = power * 3.0;
    return log_positive(power - 2.0);
}

// A stretch of values with its best cut.
struct Segment {
    std::size_t begin, end, cut;
    std::int64_t gain;  // N times the information gain
    bool accepted;
};

class Splitting {
  public:
    Splitting(const Values& values, const Entropies& entropies, double unit, std::int64_t least)
        : values_(values), entropies_(entropies), unit_(unit), least_(least) {
        join_pure();
    }

    std::vector<std::int64_t> run(std::int64_t limit) {
        const std::size_t n = starts_.size() - 1;
        std::vector<std::size_t> borders;
        std::vector<Segment> open;
        std::int64_t n_bins = 1;
        if (values_.head) {  // the head is a bin from the start
            ++n_bins;
            borders.push_back(1);
        }
        if (n_bins <= limit) enter(values_.head, n, open);
        while (!open.empty() && n_bins < limit) {
            // The largest gain first, of equal ones the leftmost: a limit keeps the best.
            const auto best =
                std::min_element(open.begin(), open.end(), [](const Segment& a, const Segment& b) {
                    return a.gain != b.gain ? a.gain > b.gain : a.begin < b.begin;
                });
            const Segment segment = *best;
            open.erase(best);
            borders.push_back(segment.cut);
            ++n_bins;
            enter(segment.begin, segment.cut, open);
            enter(segment.cut, segment.end, open);
        }
        // A head alone must earn its cut.
        if (values_.head && borders.size() == 1 && !(limit >= 2 && test_cut(0, 1, n).accepted))
            borders.clear();
        std::sort(borders.begin(), borders.end());
        std::vector<std::int64_t> cuts;
        for (const std::size_t border : borders) cuts.push_back(values_.begins[starts_[border]]);
        return cuts;
    }

  private:
    const std::int64_t* sums(std::size_t border) const {
        return &values_.sums[starts_[border] * values_.n_classes];
    }

    // Neighbors of one class, the same, are one block: a best cut never separates them.
    void join_pure() {
        int last_class = -1;
        for (std::size_t i = 0; i < values_.n(); ++i) {
            int n_present = 0, present = 0;
            for (int c = 0; c < values_.n_classes; ++c)
                if (values_.sums[(i + 1) * values_.n_classes + c] > values_.sums[i * values_.n_classes + c]) {
                    ++n_present;
                    present = c;
                }
            const int pure = n_present == 1 ? present : -1;
            const bool apart = values_.head && i == 1;
            if (pure < 0 || pure != last_class || apart) starts_.push_back(i);
            last_class = pure;
        }
        starts_.push_back(values_.n());
    }

    std::int64_t mass(std::size_t begin, std::size_t end) const {
        return values_.mass[starts_[end]] - values_.mass[starts_[begin]];
    }

    // N times the entropy: N log N - sum m_j log m_j
    std::int64_t entropy(std::size_t begin, std::size_t end) const {
        const std::int64_t *low = sums(begin), *high = sums(end);
        std::int64_t cost = entropies_.of(mass(begin, end));
        for (int c = 0; c < values_.n_classes; ++c) cost -= entropies_.of(high[c] - low[c]);
        return cost;
    }

    // How many classes are present, times their entropy.
    double described(std::size_t begin, std::size_t end, int& n_present) const {
        n_present = 0;
        for (int c = 0; c < values_.n_classes; ++c) n_present += sums(end)[c] > sums(begin)[c];
        const double weight = static_cast<double>(mass(begin, end)) * unit_;
        return static_cast<double>(n_present) *
               (static_cast<double>(entropy(begin, end)) / kCostOne / weight);
    }

    // Accepts if N gain > log(N - 1) + log(3^k - 2) - (k H - k1 H1 - k2 H2).
    Segment test_cut(std::size_t begin, std::size_t cut, std::size_t end) const {
        Segment segment{begin, end, cut, entropy(begin, end) - entropy(begin, cut) - entropy(cut, end),
                        false};
        int k, ignored;
        const double undivided = described(begin, end, k);
        const double divided = described(begin, cut, ignored) + described(cut, end, ignored);
        const double others = static_cast<double>(mass(begin, end)) * unit_ - 1.0;
        const double price =
            log_positive(others < 1.0 ? 1.0 : others) + (log_labelings(k) - (undivided - divided));
        segment.accepted = segment.gain > to_cost(price);
        return segment;
    }

    void enter(std::size_t begin, std::size_t end, std::vector<Segment>& open) const {
        std::int64_t best = std::int64_t{1} << 62;
        std::size_t best_cut = end;
        for (std::size_t cut = begin + 1; cut < end; ++cut) {
            if (std::min(mass(begin, cut), mass(cut, end)) < least_) continue;
            const std::int64_t cost = entropy(begin, cut) + entropy(cut, end);
            if (cost < best) {
                best = cost;
                best_cut = cut;
            }
        }
        if (best_cut == end) return;
        const Segment segment = test_cut(begin, best_cut, end);
        if (segment.accepted) open.push_back(segment);
    }

    const Values& values_;
    const Entropies& entropies_;
    double unit_;
    std::int64_t least_;
    std::vector<std::size_t> starts_;  // of blocks, among the values; their number last
};

}  // namespace

std::vector<std::vector<std::int64_t>> mdlp_intervals(const modl::IntervalTables& tables, std::int64_t least,
                                                      std::int64_t max_bins, int n_threads,
                                                      const std::function<void()>& poll) {
    std::vector<std::vector<std::int64_t>> found(tables.n_tables);
    const Entropies entropies(tables.unit, modl::worth_tabulating(tables));
    const auto task = [&](std::size_t begin, std::size_t end, int) {
        for (std::size_t t = begin; t < end; ++t) {
            const auto n_rows = static_cast<std::size_t>(tables.offsets[t + 1] - tables.offsets[t]);
            const auto n_classes = static_cast<std::size_t>(tables.n_classes);
            modl::Arena arena(modl::ValuesRoom::n_bytes(n_rows, n_classes));
            const Values values(tables, t, modl::ValuesRoom(arena, n_rows, n_classes));
            if (values.n() < 2) continue;
            const std::int64_t limit = max_bins > 0 ? max_bins : static_cast<std::int64_t>(values.n());
            found[t] = Splitting(values, entropies, tables.unit, least).run(limit);
        }
    };
    run_blocks(tables.n_tables, 1, n_threads, task, poll);
    return found;
}

}  // namespace bayesieve
