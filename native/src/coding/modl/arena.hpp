// SPDX-License-Identifier: BSD-3-Clause
// Memory of a search, in one piece: the system takes and gives pages by the piece, and a search that asked
// for many would spend a third of its time on new pages.
#pragma once
#include <cstddef>
#include <memory>
#include <type_traits>

namespace bayesieve::modl {

class Arena {
  public:
    explicit Arena(std::size_t n_bytes) : bytes_(new std::byte[n_bytes]), next_(bytes_.get()) {}

    // Room for n objects, as `bytes_for` counts it; their values are undefined.
    template <typename T>
    T* take(std::size_t n) {
        T* const begin = reinterpret_cast<T*>(next_);
        next_ += bytes_for<T>(n);
        return begin;
    }

    template <typename T>
    static constexpr std::size_t bytes_for(std::size_t n) {
        static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= kAligned);
        return (n * sizeof(T) + kAligned - 1) / kAligned * kAligned;
    }

  private:
    static constexpr std::size_t kAligned = alignof(std::max_align_t);

    std::unique_ptr<std::byte[]> bytes_;
    std::byte* next_;
};

}  // namespace bayesieve::modl
