// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/additive/cross_fit.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace bayesieve {
namespace {

constexpr int kHalvings = 6;
constexpr double kTolerance = 0.1;  // nats

// Derivatives per cell and log-likelihood of the training rows of each table.
struct TableSums {
    std::vector<double> gradient, curvature, log_likelihood;
};

class NewtonTables {
  public:
    NewtonTables(const AdditiveLoss& loss, const PairDesign& design, const FoldRows& rows,
                 const DerivativeSteps& steps, const NewtonSteps& newton, std::size_t n_tables,
                 const Threads& threads)
        : loss_(loss),
          design_(design),
          rows_(rows),
          steps_(steps),
          newton_(newton),
          n_tables_(n_tables),
          n_scores_(rows.scored.n_scores),
          n_cells_(design.n_a * design.n_b),
          n_entries_(n_cells_ * n_scores_),
          threads_(threads),
          integers_(2 * n_tables * n_entries_),
          losses_(n_tables) {}

    void run(double* tables) {
        std::vector<double> step(n_tables_ * n_entries_), after(step.size());
        TableSums sums = sums_of(tables);
        for (std::size_t s = 0; s < newton_.n; ++s) {
            set_step(sums, tables, step);
            TableSums update;
            for (int halving = 0; halving < kHalvings; ++halving) {
                for (std::size_t i = 0; i < step.size(); ++i) after[i] = tables[i] + step[i];
                update = sums_of(after.data());
                if (!shorten(sums, update.log_likelihood, step)) break;
            }
            for (std::size_t i = 0; i < step.size(); ++i) tables[i] = tables[i] + step[i];
            sums = std::move(update);
        }
    }

  private:
    TableSums sums_of(const double* tables) {
        std::fill(integers_.begin(), integers_.end(), 0), std::fill(losses_.begin(), losses_.end(), 0);
        fold_sums(loss_, rows_, {tables, n_tables_, design_.n_a, design_.n_b, steps_}, integers_.data(),
                  losses_.data(), threads_);
        TableSums sums{std::vector<double>(n_tables_ * n_entries_),
                       std::vector<double>(n_tables_ * n_entries_), std::vector<double>(n_tables_)};
        for (std::size_t i = 0; i < n_tables_ * n_entries_; ++i) {
            sums.gradient[i] = static_cast<double>(integers_[2 * i]) * newton_.gradient_unit;
            sums.curvature[i] = static_cast<double>(integers_[2 * i + 1]) * newton_.gradient_unit;
        }
        for (std::size_t k = 0; k < n_tables_; ++k)
            sums.log_likelihood[k] = static_cast<double>(losses_[k]) * -newton_.loss_unit;
        return sums;
    }

    // To the posterior means, for each score as if the others were known; cells without training rows have
    // none.
    void set_step(const TableSums& sums, const double* tables, std::vector<double>& step) {
        std::vector<double> linear(step.size()), curvature(step.size()), means(step.size()),
            factors(n_tables_ * n_scores_);
        for_entries([&](std::size_t i, std::size_t by_score) {
            linear[by_score] = sums.gradient[i] + sums.curvature[i] * tables[i];
            curvature[by_score] = sums.curvature[i];
        });
        fit_pair_tables(design_,
                        {linear.data(), curvature.data(), factors.size(), factors.data(), means.data()},
                        threads_);
        for_entries([&](std::size_t i, std::size_t by_score) {
            const double mean = sums.curvature[i] == 0.0 && !design_.fills ? 0.0 : means[by_score];
            // Rows of a huge weight whose probability is almost 0 have a slope without a curvature.
            step[i] = std::min(std::max(mean, -kLargestLogOdds), kLargestLogOdds) - tables[i];
        });
    }

    // Visits the places of entries in tables (n_tables, n_cells, n_scores), and in (n_tables, n_scores,
    // n_cells).
    template <typename Visit>
    void for_entries(Visit visit) const {
        std::size_t i = 0;
        for (std::size_t k = 0; k < n_tables_; ++k)
            for (std::size_t c = 0; c < n_cells_; ++c)
                for (std::size_t q = 0; q < n_scores_; ++q) visit(i++, (k * n_scores_ + q) * n_cells_ + c);
    }

    // Halves the steps of tables whose log-likelihood changes far less favorably than its quadratic form;
    // returns whether there are any.
    bool shorten(const TableSums& sums, const std::vector<double>& log_likelihood,
                 std::vector<double>& step) const {
        bool any = false;
        for (std::size_t k = 0; k < n_tables_; ++k) {
            double* own = step.data() + k * n_entries_;
            double forecast = 0.0;
            for (std::size_t c = 0; c < n_entries_; ++c) {
                const std::size_t i = k * n_entries_ + c;
                forecast =
                    forecast + (sums.gradient[i] * own[c] - 0.5 * (sums.curvature[i] * own[c] * own[c]));
            }
            const double least = forecast - 0.5 * std::abs(forecast) - kTolerance;
            if (!(log_likelihood[k] - sums.log_likelihood[k] < least)) continue;
            any = true;
            for (std::size_t c = 0; c < n_entries_; ++c) own[c] = own[c] / 2.0;
        }
        return any;
    }

    const AdditiveLoss& loss_;
    const PairDesign& design_;
    const FoldRows& rows_;
    DerivativeSteps steps_;
    NewtonSteps newton_;
    std::size_t n_tables_, n_scores_, n_cells_, n_entries_;  // entries of a table
    const Threads& threads_;
    std::vector<std::int64_t> integers_, losses_;
};

}  // namespace

void cross_fit(const AdditiveLoss& loss, const PairDesign& design, const FoldRows& rows,
               const DerivativeSteps& steps, const NewtonSteps& newton, double* tables, std::size_t n_tables,
               const Threads& threads) {
    NewtonTables(loss, design, rows, steps, newton, n_tables, threads).run(tables);
}

}  // namespace bayesieve
