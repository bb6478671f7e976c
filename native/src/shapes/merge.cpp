// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/shapes/merge.hpp"

#include <limits>
#include <vector>

namespace bayesieve {

void merge_scores(const double* scores, const double* weights, std::size_t n, double price,
                  std::int64_t* bin) {
    std::vector<double> mass(n + 1), first(n + 1), second(n + 1), best(n + 1);
    std::vector<std::size_t> begin(n + 1);
    for (std::size_t v = 0; v < n; ++v) {
        mass[v + 1] = mass[v] + weights[v];
        first[v + 1] = first[v] + weights[v] * scores[v];
        second[v + 1] = second[v] + weights[v] * scores[v] * scores[v];
    }
    for (std::size_t j = 1; j <= n; ++j) {
        best[j] = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < j; ++i) {
            const double sum = first[j] - first[i];
            const double squares = second[j] - second[i] - sum * sum / (mass[j] - mass[i]);
            const double cost = best[i] + 0.5 * (squares > 0.0 ? squares : 0.0) + price;
            if (cost < best[j]) best[j] = cost, begin[j] = i;
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
