// SPDX-License-Identifier: BSD-3-Clause
// The kernels for processors with AVX2 and FMA. Reached only after a test of the processor, so every function
// here is internal: a weak symbol of this file could replace a baseline one elsewhere.
#include "bayesieve/kernels/kernels.hpp"

#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "bayesieve/elementary.hpp"
#include "constants.hpp"
#include "subnormals.hpp"

namespace bayesieve {
namespace {

#include "buckets.inc"
#include "class_lanes_avx2.inc"
#include "class_lanes_eight.inc"
#include "class_rows.inc"
#include "code_entries.inc"
#include "distances.inc"
#include "elimination.inc"
#include "exact.inc"
#include "exponentials.inc"
#include "gradients.inc"
#include "lane_sums.inc"
#include "lanes_avx2.inc"
#include "lead_counter_avx2.inc"
#include "log_factorials.inc"
#include "packed_adder.inc"
#include "pair_derivatives.inc"
#include "planes.inc"
#include "products.inc"
#include "scan_any.inc"
#include "scan_leads.inc"
#include "scan_packed.inc"
#include "score_gradients.inc"
#include "sums.inc"

// Entries of at most 8 codes in one register, of at most 16 in two.
template <bool kLarge>
std::size_t buckets_of_few(const std::int32_t* base, const std::uint8_t* codes, const std::int32_t* table,
                           int bits, std::size_t n, std::uint16_t* out) {
    const __m256i first = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(table));
    const __m256i second = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(table + 8));
    const __m256i last = _mm256_set1_epi32((std::int32_t{1} << bits) - 1);
    const __m128i shift = _mm_cvtsi32_si128(bits);
    __m256i close = _mm256_setzero_si256();
    const auto eight = [&](std::size_t i) {
        const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(codes + i));
        const __m256i code = _mm256_cvtepu8_epi32(bytes);
        __m256i entry = _mm256_permutevar8x32_epi32(first, code);
        if constexpr (kLarge) {
            const __m256i upper = _mm256_permutevar8x32_epi32(second, code);
            entry = _mm256_blendv_epi8(entry, upper, _mm256_cmpgt_epi32(code, _mm256_set1_epi32(7)));
        }
        const __m256i rows = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(base + i));
        const __m256i sum = _mm256_add_epi32(rows, entry);
        close = _mm256_sub_epi32(close, _mm256_cmpeq_epi32(_mm256_and_si256(sum, last), last));
        return _mm256_srl_epi32(sum, shift);
    };
    std::size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        const __m256i packed = _mm256_packus_epi32(eight(i), eight(i + 8));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i), _mm256_permute4x64_epi64(packed, 0xd8));
    }
    return static_cast<std::size_t>(Lanes::total(close)) +
           buckets_any(base + i, codes + i, table, bits, n - i, out + i);
}

std::size_t buckets(const std::int32_t* base, const std::uint8_t* codes, const std::int32_t* table,
                    int n_codes, int bits, std::size_t n, std::uint16_t* out) {
    if (n_codes <= 8) return buckets_of_few<false>(base, codes, table, bits, n, out);
    if (n_codes <= 16) return buckets_of_few<true>(base, codes, table, bits, n, out);
    return buckets_any(base, codes, table, bits, n, out);
}

std::size_t count_errors(const std::uint8_t* codes, const std::int64_t* table, int n_used, int n_classes,
                         int y, std::size_t n, const std::int64_t* evidence, std::size_t stride) {
    return count_errors_any(codes, table, n_used, n_classes, y, n, evidence, stride);
}

void fill_planes(const std::uint8_t* codes, std::size_t n, std::size_t n_planes, std::size_t stride,
                 std::uint64_t* planes) {
    std::size_t i = 0;
    for (; i + 64 <= n; i += 64) {
        const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(codes + i));
        const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(codes + i + 32));
        for (std::size_t p = 0; p < n_planes; ++p) {
            const __m256i code = _mm256_set1_epi8(static_cast<char>(p));
            const auto first = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, code)));
            const auto last = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, code)));
            planes[p * stride + i / 64] = first | static_cast<std::uint64_t>(last) << 32;
        }
    }
    fill_planes_any(codes + i, n - i, n_planes, stride, planes + i / 64);
}

// Two rows against all of the other tile: their sums stay in eight registers. Additions are in the order of
// add_tile.
void add_complete(const double* left, const double* right, std::size_t begin, std::size_t end,
                  double* distances) {
    static_assert(kPeers == 16, "four vectors a row");
    const __m256d sign = _mm256_set1_pd(-0.0);
    for (std::size_t i = 0; i < kPeers; i += 2) {
        __m256d sums[8];
        for (std::size_t k = 0; k < 8; ++k) sums[k] = _mm256_loadu_pd(distances + i * kPeers + 4 * k);
        for (std::size_t f = begin; f < end; ++f) {
            const __m256d first = _mm256_broadcast_sd(left + f * kPeers + i);
            const __m256d second = _mm256_broadcast_sd(left + f * kPeers + i + 1);
            for (std::size_t k = 0; k < 4; ++k) {
                const __m256d y = _mm256_loadu_pd(right + f * kPeers + 4 * k);
                sums[k] = _mm256_add_pd(sums[k], _mm256_andnot_pd(sign, _mm256_sub_pd(first, y)));
                sums[k + 4] = _mm256_add_pd(sums[k + 4], _mm256_andnot_pd(sign, _mm256_sub_pd(second, y)));
            }
        }
        for (std::size_t k = 0; k < 8; ++k) _mm256_storeu_pd(distances + i * kPeers + 4 * k, sums[k]);
    }
}

void add_distances(Trait trait, const double* penalties, const double* left, const double* right,
                   std::size_t begin, std::size_t end, double* distances) {
    if (trait == Trait::complete) {
        add_complete(left, right, begin, end, distances);
    } else {
        add_distances_any(trait, penalties, left, right, begin, end, distances);
    }
}

}  // namespace

const Kernels* avx2_kernels() {
#include "all_kernels.inc"
    return &kernels;
}

}  // namespace bayesieve

#else

namespace bayesieve {
const Kernels* avx2_kernels() { return nullptr; }
}  // namespace bayesieve

#endif
