// SPDX-License-Identifier: BSD-3-Clause
// Sums of gradients per code of a column: integers, so that no sum depends on an order.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "add_pair.hpp"
#include "bayesieve/engine/segment.hpp"

namespace bayesieve {

// Sums per code of a column that is not sparse, added up some rows at a time. Neighbors often have one code,
// where each addition would wait for the last: of many rows, every second has a table of its own, and of few
// codes every fourth.
class CodeSums {
  public:
    // width: numbers per row; n_rows: about how many rows there will be
    CodeSums(const CodeColumn& column, std::size_t width, std::size_t n_rows)
        : column_(&column),
          width_(width),
          size_(width * static_cast<std::size_t>(column.n_codes)),
          n_tables_(tables_for(width, n_rows, static_cast<std::size_t>(column.n_codes))),
          sums_(n_tables_ * size_, 0) {}

    // sum of a row's code += its gradients, for the rows begin .. end - 1
    void add(const std::int64_t* gradients, std::size_t begin, std::size_t end) {
        if (column_->narrow != nullptr) {
            add_rows(column_->narrow, gradients, begin, end);
        } else {
            add_rows(column_->wide, gradients, begin, end);
        }
    }

    // sums (n_codes, width)
    void add_to(std::int64_t* sums) const {
        for (std::size_t t = 0; t < n_tables_; ++t)
            for (std::size_t k = 0; k < size_; ++k) sums[k] += sums_[t * size_ + k];
    }

  private:
    static std::size_t tables_for(std::size_t width, std::size_t n_rows, std::size_t n_codes) {
        constexpr std::size_t few = 32, worth = 16;
        return width != 2 || n_rows < worth * n_codes ? 1 : n_codes <= few ? 4 : 2;
    }

    template <typename Code>
    void add_rows(const Code* codes, const std::int64_t* gradients, std::size_t begin, std::size_t end) {
        std::size_t i = begin;
        if (n_tables_ > 1) {
            std::int64_t *first = sums_.data(), *second = first + size_;
            std::int64_t* third = n_tables_ == 4 ? second + size_ : first;
            std::int64_t* fourth = n_tables_ == 4 ? third + size_ : second;
            for (; i + 4 <= end; i += 4) {
                add_pair(gradients + 2 * i, first + 2 * static_cast<std::size_t>(codes[i]));
                add_pair(gradients + 2 * i + 2, second + 2 * static_cast<std::size_t>(codes[i + 1]));
                add_pair(gradients + 2 * i + 4, third + 2 * static_cast<std::size_t>(codes[i + 2]));
                add_pair(gradients + 2 * i + 6, fourth + 2 * static_cast<std::size_t>(codes[i + 3]));
            }
        }
        for (; i < end; ++i) {
            std::int64_t* sum = sums_.data() + width_ * static_cast<std::size_t>(codes[i]);
            if (width_ == 2) {
                add_pair(gradients + 2 * i, sum);
            } else {
                for (std::size_t k = 0; k < width_; ++k) sum[k] += gradients[width_ * i + k];
            }
        }
    }

    const CodeColumn* column_;
    std::size_t width_, size_, n_tables_;
    std::vector<std::int64_t> sums_;
};

// The rows with the common code have what the entries leave of the total.
inline void add_entry_gradients(const CodeEntries& column, const std::int64_t* gradients,
                                const std::int64_t* total, std::size_t width, std::int64_t* sums) {
    std::int64_t* common = sums + width * column.common;
    for (std::size_t k = 0; k < width; ++k) common[k] += total[k];
    for (std::size_t e = 0; e < column.n; ++e) {
        const std::int64_t* gradient = gradients + width * static_cast<std::size_t>(column.rows[e]);
        std::int64_t* sum = sums + width * column.codes[e];
        for (std::size_t k = 0; k < width; ++k) {
            sum[k] += gradient[k];
            common[k] -= gradient[k];
        }
    }
}

}  // namespace bayesieve
