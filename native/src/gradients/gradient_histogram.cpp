#include "bayesieve/gradients/gradient_histogram.hpp"

#include <vector>

#include "bayesieve/pool.hpp"
#include "gradients_by_code.hpp"

namespace bayesieve {
namespace {

CodeEntries entries_of(const RawCodes& codes, std::size_t k) {
    const std::int64_t begin = codes.begins[k];
    return {codes.rows + begin, codes.codes + begin, static_cast<std::size_t>(codes.begins[k + 1] - begin),
            codes.common[k]};
}

std::vector<std::int64_t> totals_of(const Pulls& pulls, std::size_t n_rows) {
    std::vector<std::int64_t> totals(pulls.width, 0);
    for (std::size_t i = 0; i < n_rows; ++i)
        for (std::size_t k = 0; k < pulls.width; ++k) totals[k] += pulls.values[i * pulls.width + k];
    return totals;
}

}  // namespace

void sum_pulls(const RawCodes& codes, const std::int64_t* columns, std::size_t n, const Pulls& pulls,
               std::int64_t* sums, const Crew& crew) {
    const std::size_t n_rows = codes.n_rows, n_dense = codes.n_narrow + codes.n_wide;
    const std::vector<std::int64_t> totals =
        codes.n_sparse > 0 ? totals_of(pulls, n_rows) : std::vector<std::int64_t>();
    std::vector<std::int64_t*> begins(n);
    for (std::size_t k = 0; k < n; ++k) {
        begins[k] = sums;
        sums += static_cast<std::size_t>(codes.n_codes[columns[k]]) * pulls.width;
    }
    const auto add = [&](std::size_t k) {
        const auto place = static_cast<std::size_t>(codes.place[columns[k]]);
        if (place < codes.n_narrow) {
            add_pulls(codes.narrow + place * n_rows, pulls.values, pulls.width, 0, n_rows, begins[k]);
        } else if (place < n_dense) {
            add_pulls(codes.wide + (place - codes.n_narrow) * n_rows, pulls.values, pulls.width, 0, n_rows,
                      begins[k]);
        } else {
            add_entry_pulls(entries_of(codes, place - n_dense), pulls.values, totals.data(), pulls.width,
                            begins[k]);
        }
    };
    run_blocks(
        n, 1, crew.n_threads,
        [&](std::size_t begin, std::size_t end, int) {
            for (std::size_t k = begin; k < end; ++k) add(k);
        },
        crew.poll);
}

}  // namespace bayesieve
