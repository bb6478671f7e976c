// SPDX-License-Identifier: BSD-3-Clause
// The kernels for any processor, and the choice between builds.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "bayesieve/elementary.hpp"
#include "bayesieve/kernels/kernels.hpp"
#include "constants.hpp"
#include "subnormals.hpp"

namespace bayesieve {
namespace {

#include "buckets.inc"
#include "class_lanes.inc"
#include "class_lanes_eight.inc"
#include "class_rows.inc"
#include "code_entries.inc"
#include "distances.inc"
#include "elimination.inc"
#include "exact.inc"
#include "exponentials.inc"
#include "gradients.inc"
#include "lane_sums.inc"
#include "log_factorials.inc"
#include "no_leads.inc"
#include "pair_derivatives.inc"
#include "planes.inc"
#include "products.inc"
#include "scan_any.inc"
#include "score_gradients.inc"
#include "sums.inc"

void scan(Loss loss, const ScanBlock& block, std::size_t begin, std::size_t end, const ScanColumn* columns,
          std::size_t n_columns, ScanSum* sums) {
    const FlushSubnormals flush;
    for (std::size_t j = 0; j < n_columns; ++j) scan_any(loss, block, begin, end, columns[j], sums[j]);
}

std::size_t buckets(const std::int32_t* base, const std::uint8_t* codes, const std::int32_t* table, int,
                    int bits, std::size_t n, std::uint16_t* out) {
    return buckets_any(base, codes, table, bits, n, out);
}

std::size_t count_errors(const std::uint8_t* codes, const std::int64_t* table, int n_used, int n_classes,
                         int y, std::size_t n, const std::int64_t* evidence, std::size_t stride) {
    return count_errors_any(codes, table, n_used, n_classes, y, n, evidence, stride);
}

void fill_planes(const std::uint8_t* codes, std::size_t n, std::size_t n_planes, std::size_t stride,
                 std::uint64_t* planes) {
    fill_planes_any(codes, n, n_planes, stride, planes);
}

void add_distances(Trait trait, const double* penalties, const double* left, const double* right,
                   std::size_t begin, std::size_t end, double* distances) {
    add_distances_any(trait, penalties, left, right, begin, end, distances);
}

// The most that BAYESIEVE_SIMD allows.
Build allowed_build() {
    const char* name = std::getenv("BAYESIEVE_SIMD");
    if (name != nullptr && std::strcmp(name, "portable") == 0) return Build::portable;
    return name != nullptr && std::strcmp(name, "avx2") == 0 ? Build::avx2 : Build::avx512;
}

bool has(Build build) {
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
    if (build == Build::avx512)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512vpopcntdq");
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    static_cast<void>(build);
    return false;
#endif
}

Build choose() {
    const Build allowed = allowed_build();
    if (allowed >= Build::avx512 && avx512_kernels() != nullptr && has(Build::avx512)) return Build::avx512;
    if (allowed >= Build::avx2 && avx2_kernels() != nullptr && has(Build::avx2)) return Build::avx2;
    return Build::portable;
}

}  // namespace

const Kernels& portable_kernels() {
#include "all_kernels.inc"
    return kernels;
}

Build build_in_use() {
    static const Build build = choose();
    return build;
}

const char* name_of(Build build) {
    return build == Build::avx512 ? "avx512" : build == Build::avx2 ? "avx2" : "portable";
}

const Kernels& kernels() {
    switch (build_in_use()) {
        case Build::avx512:
            return *avx512_kernels();
        case Build::avx2:
            return *avx2_kernels();
        default:
            return portable_kernels();
    }
}

// Beliefs below 2^-126 are treated as 0.
constexpr double kFlushed = 0x1p-45;

// With u = 2^-24: a belief and a ratio are rounded once each and multiplied (3u), K - 1 of them are added ((K
// - 1) u), the true class's belief is rounded (u). All terms are positive, so a quotient of two such sums has
// at most the sum of their relative errors, plus a few u for the quotient and the weight; a square has twice
// that. The logarithm turns a relative error into an absolute one. Adding up: at most 16 terms a lane, then
// in float64.
ScanBound scan_bound(Loss loss, int n_classes) {
    constexpr double u = 0x1p-24, adding = 18 * u;
    const double sum = (n_classes + 4) * u;
    switch (loss) {
        case Loss::error:
            return {adding, 0.0};
        case Loss::error_probability:
            return {2 * sum + 10 * u + adding, kFlushed};
        case Loss::brier:
            return {4 * sum + 16 * u + adding, kFlushed};
        case Loss::linear:
            return {8 * u + adding, kFlushed};
        default:
            return {adding, sum + 8 * u + adding + kFlushed};
    }
}

// The same with u = 2^-53, for which exp is not quite exact: a belief and a ratio are off by up to 4 u each.
// Adding up costs kChunk u.
ScanBound fine_bound(Loss loss, int n_classes) {
    constexpr double u = 0x1p-53, adding = 2 * kChunk * u;
    const double sum = (n_classes + 12) * u;
    if (loss == Loss::linear) return {8 * u + adding, 0x1p-100};
    return {loss == Loss::brier ? 4 * sum + 16 * u + adding : 2 * sum + 10 * u + adding, 0x1p-100};
}

}  // namespace bayesieve
