// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/coding/merge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace bayesieve {

void merge_scores(const double* scores, const double* weights, std::size_t n, std::size_t n_scores,
                  double price, std::int64_t* bin) {
    std::vector<double> mass((n + 1) * n_scores), first(mass.size()), second(mass.size()), best(n + 1);
    std::vector<std::size_t> begin(n + 1);
    for (std::size_t v = 0; v < n * n_scores; ++v) {
        mass[v + n_scores] = mass[v] + weights[v];
        first[v + n_scores] = first[v] + weights[v] * scores[v];
        second[v + n_scores] = second[v] + weights[v] * scores[v] * scores[v];
    }
    // What the rounding of sums may take from squares, with some hundred times to spare up to 65,536 bins.
    double rounding = 0.0;
    for (std::size_t q = 0; q < n_scores; ++q) {
        double largest = 0.0;
        for (std::size_t v = q; v < n * n_scores; v += n_scores)
            largest = std::max(largest, std::fabs(scores[v]));
        rounding += 1e-8 * largest * largest * mass[n * n_scores + q];
    }
    double total = 0.0;  // of squares in the bin at hand, or of the first classes
    // Returns the cost of a last bin from i to j, or some cost above `most`: what squares are left can only
    // add to it, rounded sums included.
    const auto cost_between = [&](std::size_t i, std::size_t j, double most) {
        double cost = best[i] + price;
        total = 0.0;
        for (std::size_t q = 0; q < n_scores && cost <= most; ++q) {
            const std::size_t from = i * n_scores + q, to = j * n_scores + q;
            const double sum = first[to] - first[from];
            const double squares = second[to] - second[from] - sum * sum / (mass[to] - mass[from]);
            total += squares > 0.0 ? squares : 0.0;
            cost = best[i] + 0.5 * total + price;
        }
        return cost;
    };
    for (std::size_t j = 1; j <= n; ++j) {
        best[j] = std::numeric_limits<double>::infinity();
        // Short bins are the cheap ones; of equal costs the longest bin is taken.
        for (std::size_t i = j; i-- > 0;) {
            const double cost = cost_between(i, j, best[j]);
            if (cost <= best[j]) best[j] = cost, begin[j] = i;
            if (0.5 * total > best[j] + rounding) break;  // a longer bin has no smaller squares
        }
    }
    std::vector<std::size_t> begins;
    for (std::size_t j = n; j > 0; j = begin[j]) begins.push_back(begin[j]);
    std::int64_t number = -1;
    for (std::size_t v = 0; v < n; ++v) {
        if (!begins.empty() && begins.back() == v) ++number, begins.pop_back();
        bin[v] = number;
    }
}

}  // namespace bayesieve
