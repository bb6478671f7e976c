// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/filters/relieff.hpp"

#include <algorithm>
#include <limits>

#include "bayesieve/kernels/kernels.hpp"
#include "bayesieve/pool.hpp"

namespace bayesieve {
namespace {

constexpr std::size_t kColumns = 128;  // of two tiles: 32 KiB, which stay in the cache

// The nearest rows of each class, of every row; of equally near ones the first.
class Nearest {
  public:
    explicit Nearest(const ReliefProblem& p)
        : most_(p.n_neighbors),
          n_classes_(p.n_classes),
          found_(p.n_rows * p.n_classes),
          farthest_(found_.size(), std::numeric_limits<double>::infinity()),
          rows_(found_.size() * most_),
          distances_(rows_.size()) {}

    void see(std::size_t i, std::size_t c, std::int32_t row, double distance) {
        const std::size_t list = i * n_classes_ + c;
        if (distance > farthest_[list]) return;
        std::uint32_t& found = found_[list];
        double* distances = distances_.data() + list * most_;
        std::int32_t* rows = rows_.data() + list * most_;
        const auto before = [&](std::size_t at) {
            return distance < distances[at] || (distance == distances[at] && row < rows[at]);
        };
        if (found == most_) {
            if (!before(most_ - 1)) return;
        } else {
            ++found;
        }
        std::size_t at = found - 1;
        for (; at > 0 && before(at - 1); --at) {
            distances[at] = distances[at - 1];
            rows[at] = rows[at - 1];
        }
        distances[at] = distance;
        rows[at] = row;
        if (found == most_) farthest_[list] = distances[most_ - 1];
    }

    void see_all(const Nearest& other) {
        for (std::size_t list = 0; list < found_.size(); ++list)
            for (std::size_t k = list * most_; k < list * most_ + other.found_[list]; ++k)
                see(list / n_classes_, list % n_classes_, other.rows_[k], other.distances_[k]);
    }

    std::size_t found(std::size_t i, std::size_t c) const { return found_[i * n_classes_ + c]; }
    const std::int32_t* rows(std::size_t i, std::size_t c) const {
        return rows_.data() + (i * n_classes_ + c) * most_;
    }

  private:
    std::size_t most_, n_classes_;
    std::vector<std::uint32_t> found_;
    std::vector<double> farthest_;  // of a full list; rows farther away are not neighbors
    std::vector<std::int32_t> rows_;
    std::vector<double> distances_;
};

class Relief {
  public:
    explicit Relief(const ReliefProblem& problem, const Threads& threads)
        : p_(problem), n_tiles_((problem.n_rows + kPeers - 1) / kPeers) {
        tiles_.resize(n_tiles_ * p_.n_columns * kPeers);
        rows_.resize(p_.n_rows * p_.n_columns);
        run_blocks(
            n_tiles_, 1, threads.n_threads,
            [&](std::size_t begin, std::size_t end, int) {
                for (std::size_t tile = begin; tile < end; ++tile) lay_out(tile);
            },
            threads.poll);
    }

    std::size_t n_tiles() const { return n_tiles_; }

    // Shows the rows of a tile to those of the same and of later tiles, and these to them.
    void meet(std::size_t tile, Nearest& nearest) const {
        double distances[kPeers * kPeers];
        for (std::size_t other = tile; other < n_tiles_; ++other) {
            std::fill(distances, distances + kPeers * kPeers, 0.0);
            measure(tiles_.data() + tile * p_.n_columns * kPeers,
                    tiles_.data() + other * p_.n_columns * kPeers, distances);
            const std::size_t end = std::min(p_.n_rows, (tile + 1) * kPeers);
            const std::size_t other_end = std::min(p_.n_rows, (other + 1) * kPeers);
            for (std::size_t i = tile * kPeers; i < end; ++i)
                for (std::size_t j = std::max(i + 1, other * kPeers); j < other_end; ++j) {
                    const double distance = distances[i % kPeers * kPeers + j % kPeers];
                    nearest.see(i, static_cast<std::size_t>(p_.target[j]), static_cast<std::int32_t>(j),
                                distance);
                    nearest.see(j, static_cast<std::size_t>(p_.target[i]), static_cast<std::int32_t>(i),
                                distance);
                }
        }
    }

    // Adds the differences of a row as a probe.
    void add(std::size_t i, const Nearest& nearest, std::int64_t* weights) const {
        const double* factors = p_.factors + static_cast<std::size_t>(p_.target[i]) * p_.n_classes;
        for (std::size_t c = 0; c < p_.n_classes; ++c) {
            const std::size_t found = nearest.found(i, c);
            const double* shares = p_.shares + found * p_.n_neighbors;
            for (std::size_t r = 0; r < found; ++r)
                add_row(rows_.data() + i * p_.n_columns,
                        rows_.data() + static_cast<std::size_t>(nearest.rows(i, c)[r]) * p_.n_columns,
                        factors[c] * shares[r], weights);
        }
    }

  private:
    void lay_out(std::size_t tile) {
        const std::size_t first = tile * kPeers, n = std::min(kPeers, p_.n_rows - first);
        double* out = tiles_.data() + tile * p_.n_columns * kPeers;
        for (std::size_t f = 0; f < p_.n_columns; ++f)
            for (std::size_t i = 0; i < n; ++i) {
                const double value = p_.values[f * p_.n_rows + first + i];
                out[f * kPeers + i] = value;
                rows_[(first + i) * p_.n_columns + f] = value;
            }
    }

    void measure(const double* left, const double* right, double* distances) const {
        for (int t = 0; t < 3; ++t)
            for (std::size_t begin = p_.begins[t]; begin < p_.begins[t + 1]; begin += kColumns)
                kernels().add_distances(static_cast<Trait>(t), p_.penalties, left, right, begin,
                                        std::min(begin + kColumns, p_.begins[t + 1]), distances);
    }

    void add_row(const double* x, const double* y, double share, std::int64_t* weights) const {
        for (int t = 0; t < 3; ++t)
            kernels().add_differences(static_cast<Trait>(t), p_.penalties, x, y, p_.begins[t],
                                      p_.begins[t + 1], share, weights);
    }

    const ReliefProblem& p_;
    std::size_t n_tiles_;
    std::vector<double> tiles_;  // (n_tiles, n_columns, kPeers), zeros after the last row
    std::vector<double> rows_;   // (n_rows, n_columns)
};

}  // namespace

std::vector<std::int64_t> relieff(const ReliefProblem& problem, const Threads& threads) {
    const Relief relief(problem, threads);
    const auto n_threads = static_cast<std::size_t>(std::max(1, threads.n_threads));
    std::vector<Nearest> nearest;
    for (std::size_t t = 0; t < n_threads; ++t) nearest.emplace_back(problem);
    run_blocks(
        relief.n_tiles(), 1, threads.n_threads,
        [&](std::size_t begin, std::size_t end, int thread) {
            for (std::size_t tile = begin; tile < end; ++tile)
                relief.meet(tile, nearest[static_cast<std::size_t>(thread)]);
        },
        threads.poll);
    for (std::size_t t = 1; t < n_threads; ++t) nearest[0].see_all(nearest[t]);
    std::vector<std::int64_t> weights(n_threads * problem.n_columns, 0);
    run_blocks(
        problem.n_rows, kPeers, threads.n_threads,
        [&](std::size_t begin, std::size_t end, int thread) {
            std::int64_t* own = weights.data() + static_cast<std::size_t>(thread) * problem.n_columns;
            for (std::size_t i = begin; i < end; ++i) relief.add(i, nearest[0], own);
        },
        threads.poll);
    for (std::size_t t = 1; t < n_threads; ++t)
        for (std::size_t f = 0; f < problem.n_columns; ++f) weights[f] += weights[t * problem.n_columns + f];
    weights.resize(problem.n_columns);
    return weights;
}

}  // namespace bayesieve
