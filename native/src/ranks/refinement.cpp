// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/ranks/refinement.hpp"

#include <cmath>

namespace bayesieve {
namespace {

constexpr int kBits = 60;  // of the sum over all blocks

struct Block {
    std::uint64_t negative, positive;
};

// Whether the share of positives of the first is not below that of the second, exactly.
bool not_below(const Block& first, const Block& second) {
    Wide left, right;
    left.add_product(first.positive, second.negative);
    right.add_product(second.positive, first.negative);
    return left.high != right.high ? left.high > right.high : left.low >= right.low;
}

// Pools adjacent violators: shares of positives increase from block to block.
void push(std::vector<Block>& blocks, Block block) {
    while (!blocks.empty() && not_below(blocks.back(), block)) {
        block.negative += blocks.back().negative;
        block.positive += blocks.back().positive;
        blocks.pop_back();
    }
    blocks.push_back(block);
}

int bits_of(std::uint64_t value) {
    int bits = 0;
    for (; value != 0; value >>= 1) ++bits;
    return bits;
}

}  // namespace

Wide refinement_of_keys(std::vector<std::int64_t>& keys, std::size_t n_negative, const std::int64_t* weights,
                        std::uint64_t mass, RankScratch& scratch) {
    const std::size_t n = keys.size();
    const std::uint64_t* sorted = sort_keys(keys, n_negative, scratch);
    std::vector<Block> blocks;
    for (std::size_t first = 0, last = 0; first < n; first = last) {
        Block ties{0, 0};
        for (; last < n && sorted[last] >> 33 == sorted[first] >> 33; ++last) {
            const std::size_t row = sorted[last] & 0xffffffff;
            const std::uint64_t weight = weights == nullptr ? 1 : static_cast<std::uint64_t>(weights[row]);
            ((sorted[last] >> 32) & 1 ? ties.positive : ties.negative) += weight;
        }
        push(blocks, ties);
    }
    Wide sum;
    const int shift = kBits - bits_of(mass);
    for (const Block& block : blocks) {
        const auto p = static_cast<double>(block.positive), q = static_cast<double>(block.negative);
        if (p > 0.0 && q > 0.0)
            sum.add(static_cast<std::uint64_t>(std::nearbyint(std::ldexp((p * q) / (p + q), shift))));
    }
    return sum;
}

}  // namespace bayesieve
