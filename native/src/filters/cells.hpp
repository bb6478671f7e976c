// SPDX-License-Identifier: BSD-3-Clause
// Cells of a contingency table while rows are counted: an array if it is small relative to the rows, else a
// hash table.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bayesieve {
namespace {

class Cells {
  public:
    // Prepares an empty table of so many cells for so many rows; returns whether it is an array.
    bool open(std::size_t n_cells, std::size_t n_rows) {
        dense_ = n_cells <= 4 * n_rows + 1024;
        if (dense_) {
            if (counts_.size() < n_cells) counts_.resize(n_cells, 0);
            n_cells_ = n_cells;
        } else {
            std::size_t capacity = 16;
            while (capacity < 2 * n_rows) capacity *= 2;
            if (counts_.size() < capacity) counts_.resize(capacity, 0);
            if (keys_.size() < capacity) keys_.resize(capacity);
            mask_ = capacity - 1;
            n_cells_ = capacity;
        }
        return dense_;
    }

    void add(std::uint64_t cell, std::int64_t weight) {
        if (dense_) {
            counts_[cell] += weight;
            return;
        }
        std::size_t slot = (cell * 0x9e3779b97f4a7c15u >> 20) & mask_;
        while (counts_[slot] != 0 && keys_[slot] != cell) slot = (slot + 1) & mask_;
        keys_[slot] = cell;
        counts_[slot] += weight;
    }

    // Gives every count that is not 0 to `see`, and empties the table.
    template <typename See>
    void drain(const See& see) {
        for (std::size_t i = 0; i < n_cells_; ++i) {
            if (counts_[i] == 0) continue;
            see(counts_[i]);
            counts_[i] = 0;
        }
    }

    // The same for an array, whose counts are added to `sums` as well.
    template <typename See>
    void drain_into(std::int64_t* sums, const See& see) {
        for (std::size_t i = 0; i < n_cells_; ++i) {
            if (counts_[i] == 0) continue;
            see(counts_[i]);
            sums[i] += counts_[i];
            counts_[i] = 0;
        }
    }

  private:
    bool dense_ = true;
    std::size_t n_cells_ = 0, mask_ = 0;
    std::vector<std::int64_t> counts_;
    std::vector<std::uint64_t> keys_;
};

}  // namespace
}  // namespace bayesieve
