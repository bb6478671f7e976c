// SPDX-License-Identifier: BSD-3-Clause
// The kernels for processors with AVX-512, as of 2019. Reached only after a test of the processor, so every
// function here is internal: a weak symbol of this file could replace a baseline one elsewhere.
#include "bayesieve/kernels/kernels.hpp"

#if defined(__AVX512F__) && defined(__AVX512VPOPCNTDQ__)
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
#include "class_lanes_eight_avx512.inc"
#include "class_rows.inc"
#include "code_entries_avx512.inc"
#include "distances.inc"
#include "elimination.inc"
#include "exact.inc"
#include "exponentials.inc"
#include "gradients.inc"
#include "lane_sums.inc"
#include "lanes_avx512.inc"
#include "lead_counter_avx512.inc"
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

// Entries of at most 16 codes in one register.
std::size_t buckets(const std::int32_t* base, const std::uint8_t* codes, const std::int32_t* table,
                    int n_codes, int bits, std::size_t n, std::uint16_t* out) {
    if (n_codes > 16) return buckets_any(base, codes, table, bits, n, out);
    const __m512i entries = _mm512_loadu_si512(table);
    const __m512i last = _mm512_set1_epi32((std::int32_t{1} << bits) - 1);
    const __m128i shift = _mm_cvtsi32_si128(bits);
    std::size_t close = 0, i = 0;
    for (; i + 16 <= n; i += 16) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(codes + i));
        const __m512i entry = _mm512_permutexvar_epi32(_mm512_cvtepu8_epi32(bytes), entries);
        const __m512i sum = _mm512_add_epi32(_mm512_loadu_si512(base + i), entry);
        const __mmask16 on_edge = _mm512_cmpeq_epi32_mask(_mm512_and_si512(sum, last), last);
        close += static_cast<std::size_t>(__builtin_popcount(on_edge));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i),
                            _mm512_cvtepi32_epi16(_mm512_sra_epi32(sum, shift)));
    }
    return close + buckets_any(base + i, codes + i, table, bits, n - i, out + i);
}

// Eight rows against all classes at a time; the leads are those of count_errors_any.
std::size_t count_errors(const std::uint8_t* codes, const std::int64_t* table, int n_used, int n_classes,
                         int y, std::size_t n, const std::int64_t* evidence, std::size_t stride) {
    constexpr int kMost = 8;
    if (n_classes > kMost || n_used != 2)
        return count_errors_any(codes, table, n_used, n_classes, y, n, evidence, stride);
    __m512i first[kMost], second[kMost];  // lead of each class over the true one that each code adds
    for (int c = 0; c < n_classes; ++c) {
        const std::int64_t tie = c < y ? 1 : 0;
        first[c] = _mm512_set1_epi64(table[c] - table[y] + tie);
        second[c] = _mm512_set1_epi64(table[n_classes + c] - table[n_classes + y] + tie);
    }
    std::size_t count = 0, i = 0;
    for (; i + 8 <= n; i += 8) {
        const __m512i code =
            _mm512_cvtepu8_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(codes + i)));
        const __mmask8 has_second = _mm512_test_epi64_mask(code, code);
        const __m512i truth = _mm512_loadu_si512(evidence + y * stride + i);
        __mmask8 wrong = 0;
        for (int c = 0; c < n_classes; ++c) {
            const __m512i added = _mm512_mask_blend_epi64(has_second, first[c], second[c]);
            const __m512i lead = _mm512_sub_epi64(_mm512_loadu_si512(evidence + c * stride + i), truth);
            // The true class leads itself by nothing, before and after.
            wrong |= _mm512_cmpgt_epi64_mask(_mm512_add_epi64(lead, added), _mm512_setzero_si512());
        }
        count += static_cast<std::size_t>(__builtin_popcount(wrong));
    }
    return count + count_errors_any(codes + i, table, n_used, n_classes, y, n - i, evidence + i, stride);
}

void fill_planes(const std::uint8_t* codes, std::size_t n, std::size_t n_planes, std::size_t stride,
                 std::uint64_t* planes) {
    std::size_t i = 0;
    for (; i + 64 <= n; i += 64) {
        const __m512i rows = _mm512_loadu_si512(codes + i);
        for (std::size_t p = 0; p < n_planes; ++p)
            planes[p * stride + i / 64] =
                _mm512_cmpeq_epi8_mask(rows, _mm512_set1_epi8(static_cast<char>(p)));
    }
    fill_planes_any(codes + i, n - i, n_planes, stride, planes + i / 64);
}

// Four rows against all of the other tile: their sums stay in eight registers. Additions are in the order of
// add_tile.
void add_complete(const double* left, const double* right, std::size_t begin, std::size_t end,
                  double* distances) {
    static_assert(kPeers == 16, "two vectors a row");
    for (std::size_t i = 0; i < kPeers; i += 4) {
        __m512d sums[8];
        for (std::size_t k = 0; k < 8; ++k) sums[k] = _mm512_loadu_pd(distances + i * kPeers + 8 * k);
        for (std::size_t f = begin; f < end; ++f) {
            const __m512d low = _mm512_loadu_pd(right + f * kPeers);
            const __m512d high = _mm512_loadu_pd(right + f * kPeers + 8);
            for (std::size_t k = 0; k < 4; ++k) {
                const __m512d x = _mm512_set1_pd(left[f * kPeers + i + k]);
                sums[2 * k] = _mm512_add_pd(sums[2 * k], _mm512_abs_pd(_mm512_sub_pd(x, low)));
                sums[2 * k + 1] = _mm512_add_pd(sums[2 * k + 1], _mm512_abs_pd(_mm512_sub_pd(x, high)));
            }
        }
        for (std::size_t k = 0; k < 8; ++k) _mm512_storeu_pd(distances + i * kPeers + 8 * k, sums[k]);
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

const Kernels* avx512_kernels() {
#include "all_kernels.inc"
    return &kernels;
}

}  // namespace bayesieve

#else

namespace bayesieve {
const Kernels* avx512_kernels() { return nullptr; }
}  // namespace bayesieve

#endif
