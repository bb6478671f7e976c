// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/coding/modl/average.hpp"

#include <algorithm>
#include <vector>

#include "bayesieve/coding/modl/cost.hpp"
#include "bayesieve/elementary.hpp"
#include "bayesieve/kernels/kernels.hpp"
#include "bayesieve/pool.hpp"
#include "bin_cost.hpp"

namespace bayesieve::modl {
namespace {

constexpr std::int64_t kTabulatedCounts = std::int64_t{1} << 20;
constexpr std::size_t kFewest = 8;                      // numbers of bins that are always summed
constexpr double kNegligible = 1e-9, kLeast = 0x1p-50;  // of all partitions; of all that hold a bin

// log ((m + a p) / p) of every whole m, where rows weigh one: the tables of one call have the same classes.
struct LogTable {
    double share = 0.0;
    std::vector<double> values;

    void fill(double class_share, double pseudo, std::int64_t largest) {
        share = class_share;
        values.resize(static_cast<std::size_t>(largest) + 1);
        const double extra = pseudo * share, base = log_positive(share);
        for (std::size_t m = 0; m < values.size(); ++m)
            values[m] = log_positive(static_cast<double>(m) + extra) - base;
    }
};

// log ((m - lost + a p) / p) of a class: looked up where it can be.
class LogRatio {
  public:
    LogRatio() = default;
    LogRatio(const LogTable& table, double share, double unit, double pseudo)
        : values_(table.share == share ? table.values.data() : nullptr),
          unit_(unit),
          extra_(pseudo * share),
          base_(share > 0.0 ? log_positive(share) : 0.0) {}

    double operator()(std::int64_t rows, std::int64_t lost) const {
        if (values_ != nullptr) return values_[std::max<std::int64_t>(rows - lost, 0)];
        const double mass = static_cast<double>(rows) * unit_ - static_cast<double>(lost);
        return log_positive(std::max(mass, 0.0) + extra_) - base_;
    }

  private:
    const double* values_ = nullptr;
    double unit_ = 1.0, extra_ = 0.0, base_ = 0.0;
};

// Sums over partitions of one column. A block is the bins s .. t-1, with the weight
//     a(s,t) = exp(-(potential(s) + cost(s,t) - potential(t))),
// potential(t) being the cheapest way to divide the first t bins. So no weight exceeds 1, and the product
// over a partition is exp(-(its cost - the cheapest)).
class Column {
  public:
    void open(const AverageTables& tables, std::size_t t, const Factorials& factorials) {
        begin_ = tables.offsets[t];
        n_ = static_cast<std::size_t>(tables.offsets[t + 1] - begin_);
        n_classes_ = static_cast<std::size_t>(tables.n_classes);
        prior_ = tables.priors + begin_;
        sum_classes(tables.counts + begin_ * tables.n_classes);
        weigh_blocks(factorials);
    }

    // log Bayes factor of several bins against one
    double evidence() {
        sum_forward();
        return log_positive(total_) + static_cast<double>(null_ - potential_[n_]) * (1.0 / kCostOne);
    }

    // The share of each block (s,t) in all partitions of several bins.
    void weigh_shares() {
        sum_backward();
        shares_.resize(n_ * width());  // of which only those of t > s are used
        for (std::size_t s = 0; s < n_; ++s) {
            double* row = &shares_[s * width()];
            std::fill(row + s + 1, row + width(), 0.0);
            for (std::size_t k = 0; k < n_levels_; ++k) {
                add_scaled_(&rest_[k * width() + s + 1], forward_[k * width() + s], n_ - s, row + s + 1);
            }
            const double* weight = &weights_[s * width()];
            for (std::size_t t = s + 1; t <= n_; ++t) row[t] = row[t] * weight[t] / total_;
        }
    }

    // z(v) = sum over the blocks that hold v of share x value, from the sums of the blocks that begin at v
    // and of those that end there; for each class, and for each with one of its rows taken out. All in one
    // pass, so that the sums do not wait for each other.
    void average(double unit, double pseudo, const std::vector<LogTable>& tables, double* curves,
                 double* lowered) {
        const std::size_t n_sums = 2 * n_classes_;
        std::int64_t total = 0;
        for (std::size_t c = 0; c < n_classes_; ++c) total += mass(c);
        log_ratios_.resize(n_classes_);
        for (std::size_t c = 0; c < n_classes_; ++c)
            log_ratios_[c] =
                LogRatio(tables[c], static_cast<double>(mass(c)) / static_cast<double>(total), unit, pseudo);
        begins_.assign(n_sums * width(), 0.0);
        ends_.assign(n_sums * width(), 0.0);
        for (std::size_t s = 0; s < n_; ++s) {
            double* begin = &begins_[s * n_sums];
            for (std::size_t t = s + 1; t <= n_; ++t) {
                const double share = shares_[s * width() + t];
                if (share < kLeast) continue;
                double* end = &ends_[t * n_sums];
                for (std::size_t c = 0; c < n_classes_; ++c) {
                    if (mass(c) == 0) continue;  // a class without rows has no evidence
                    const std::int64_t rows = sums_[t * n_classes_ + c] - sums_[s * n_classes_ + c];
                    for (std::int64_t lost = 0; lost < 2; ++lost) {
                        const std::size_t k = 2 * c + static_cast<std::size_t>(lost);
                        const double value = share * log_ratios_[c](rows, lost);
                        begin[k] = begin[k] + value;
                        end[k] = end[k] + value;
                    }
                }
            }
        }
        for (std::size_t c = 0; c < n_classes_; ++c) {
            double level = 0.0, lower = 0.0;
            for (std::size_t v = 0; v < n_; ++v) {
                const std::size_t k = v * n_sums + 2 * c;
                level = (level + begins_[k]) - ends_[k];
                lower = (lower + begins_[k + 1]) - ends_[k + 1];
                curves[v * n_classes_ + c] = level;
                lowered[v * n_classes_ + c] = lower;
            }
        }
    }

  private:
    std::int64_t mass(std::size_t c) const { return sums_[n_ * n_classes_ + c]; }
    std::size_t width() const { return n_ + 1; }

    void sum_classes(const std::int64_t* counts) {
        sums_.assign(width() * n_classes_, 0);
        for (std::size_t i = 0; i < n_ * n_classes_; ++i) sums_[i + n_classes_] = sums_[i] + counts[i];
    }

    void weigh_blocks(const Factorials& factorials) {
        costs_.resize(n_ * width());
        potential_.assign(width(), INT64_MAX);
        potential_[0] = 0;
        std::int64_t total = 0;
        for (std::size_t c = 0; c < n_classes_; ++c) total += mass(c);
        with_bin_cost(factorials, total, [&](const auto& bin_cost) { cost_blocks(bin_cost); });
        null_ = costs_[n_];
        weights_.resize(n_ * width());  // of which only those of t > s are used
        for (std::size_t s = 0; s < n_; ++s) {
            for (std::size_t t = s + 1; t <= n_; ++t) {
                const std::int64_t excess = potential_[s] + costs_[s * width() + t] - potential_[t];
                weights_[s * width() + t] = static_cast<double>(-excess) * (1.0 / kCostOne);
            }
            kernels().exponentials(n_ - s, &weights_[s * width() + s + 1]);
        }
        transpose();
    }

    // Some columns at a time, so that whole cache lines are written.
    void transpose() {
        constexpr std::size_t together = 8;
        transposed_.resize(width() * width());
        for (std::size_t begin = 0; begin < n_; begin += together)
            for (std::size_t t = begin + 1; t <= n_; ++t)
                for (std::size_t s = begin; s < std::min(t, begin + together); ++s)
                    transposed_[t * width() + s] = weights_[s * width() + t];
    }

    // The ways that end at s are all known before those that go on from there.
    template <typename BinCost>
    void cost_blocks(const BinCost& bin_cost) {
        const auto n_classes = static_cast<std::size_t>(bin_cost.classes());
        for (std::size_t s = 0; s < n_; ++s) {
            const std::int64_t* low = &sums_[s * n_classes];
            const std::int64_t way = potential_[s];
            std::int64_t* costs = &costs_[s * width()];
            for (std::size_t t = s + 1; t <= n_; ++t) {
                std::int64_t mass;
                costs[t] = bin_cost.between(low, &sums_[t * n_classes], mass);
                potential_[t] = std::min(potential_[t], way + costs[t]);
            }
        }
    }

    // forward(k, t): all ways to divide the first t bins into k blocks; until more blocks add nothing.
    void sum_forward() {
        forward_.assign(width(), 0.0);
        forward_[0] = 1.0;
        total_ = 0.0;
        n_levels_ = 1;
        while (n_levels_ <= n_) {
            forward_.resize((n_levels_ + 1) * width(), 0.0);
            const double* before = &forward_[(n_levels_ - 1) * width()];
            double* after = &forward_[n_levels_ * width()];
            for (std::size_t s = n_levels_ - 1; s < n_; ++s) {
                add_scaled_(&weights_[s * width() + s + 1], before[s], n_ - s, after + s + 1);
            }
            const double term = n_levels_ > 1 ? after[n_] * prior_[n_levels_ - 1] : 0.0;
            total_ = total_ + term;
            ++n_levels_;
            if (n_levels_ > kFewest && total_ > 0.0 && term < kNegligible * total_) break;
        }
        --n_levels_;  // the most blocks of a partition
    }

    // backward(l, s): all ways to divide the bins from s on into l blocks.
    // rest(k, t): all ways to go on from t after k blocks and one that ends at t.
    void sum_backward() {
        backward_.assign(n_levels_ * width(), 0.0);
        backward_[n_] = 1.0;
        for (std::size_t l = 1; l < n_levels_; ++l) {
            const double* before = &backward_[(l - 1) * width()];
            double* after = &backward_[l * width()];
            for (std::size_t t = 1; t <= n_; ++t) {
                add_scaled_(&transposed_[t * width()], before[t], t, after);
            }
        }
        rest_.assign(n_levels_ * width(), 0.0);
        for (std::size_t k = 0; k < n_levels_; ++k) {
            double* rest = &rest_[k * width()];
            for (std::size_t l = k == 0 ? 1 : 0; k + l + 1 <= n_levels_; ++l) {
                add_scaled_(&backward_[l * width()], prior_[k + l], width(), rest);
            }
        }
    }

    std::int64_t begin_ = 0, null_ = 0;
    std::size_t n_ = 0, n_classes_ = 0, n_levels_ = 0;
    decltype(Kernels::add_scaled) add_scaled_ = kernels().add_scaled;
    const double* prior_ = nullptr;
    double total_ = 0.0;
    std::vector<std::int64_t> sums_, costs_, potential_;
    std::vector<LogRatio> log_ratios_;
    std::vector<double> weights_, transposed_, forward_, backward_, rest_, shares_, begins_, ends_;
};

// Logarithms for the class shares of the first table, if they pay.
std::vector<LogTable> tabulate(const AverageTables& tables, std::int64_t largest) {
    const auto n_classes = static_cast<std::size_t>(tables.n_classes);
    std::vector<LogTable> logs(n_classes);
    if (tables.unit != 1.0 || largest > kTabulatedCounts || tables.n_tables == 0) return logs;
    std::vector<std::int64_t> mass(n_classes, 0);
    std::int64_t total = 0;
    for (std::int64_t i = 0; i < tables.offsets[1] * tables.n_classes; ++i) {
        mass[static_cast<std::size_t>(i) % n_classes] += tables.counts[i];
        total += tables.counts[i];
    }
    for (std::size_t c = 0; c < n_classes; ++c)
        if (mass[c] > 0)
            logs[c].fill(static_cast<double>(mass[c]) / static_cast<double>(total), tables.pseudo, largest);
    return logs;
}

}  // namespace

void average_partitions(const AverageTables& tables, const Averages& averages, int n_threads,
                        const std::function<void()>& poll) {
    std::int64_t largest = 0, n_used = 0;  // log-factorials: of each class and of all, for each block of bins
    for (std::size_t t = 0; t < tables.n_tables; ++t) {
        const std::int64_t n_bins = tables.offsets[t + 1] - tables.offsets[t];
        n_used += n_bins * (n_bins + 1) / 2 * (tables.n_classes + 1);
        std::int64_t total = 0;
        for (std::int64_t i = tables.offsets[t] * tables.n_classes;
             i < tables.offsets[t + 1] * tables.n_classes; ++i)
            total += tables.counts[i];
        largest = std::max(largest, total);
    }
    const Factorials factorials(tables.unit, tables.n_classes,
                                std::min({largest, n_used, std::int64_t{1} << 22}));
    const auto n_classes = static_cast<std::size_t>(tables.n_classes);
    const std::vector<LogTable> logs = tabulate(tables, largest);
    run_blocks(
        tables.n_tables, 1, n_threads,
        [&](std::size_t begin, std::size_t end, int) {
            Column column;
            for (std::size_t t = begin; t < end; ++t) {
                averages.evidence[t] = 0.0;
                if (tables.offsets[t + 1] - tables.offsets[t] < 2) continue;
                column.open(tables, t, factorials);
                averages.evidence[t] = column.evidence();
                column.weigh_shares();
                const std::size_t place = static_cast<std::size_t>(tables.offsets[t]) * n_classes;
                column.average(tables.unit, tables.pseudo, logs, averages.curves + place,
                               averages.lowered + place);
            }
        },
        poll);
}

}  // namespace bayesieve::modl
