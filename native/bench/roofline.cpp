// SPDX-License-Identifier: BSD-3-Clause
// Prints the time of one float32 division lane in nanoseconds: the unit in which scans are measured.
#include <algorithm>
#include <chrono>
#include <cstdio>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace {

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

#if defined(__AVX2__)
constexpr int kLanes = 8;
// Eight independent chains, so that throughput is measured and not latency.
double once(int rounds) {
    __m256 x[8];
    for (int i = 0; i < 8; ++i) x[i] = _mm256_set1_ps(1.0f + 0.01f * static_cast<float>(i));
    const __m256 divisor = _mm256_set1_ps(1.0000001f);
    const double begin = now();
    for (int r = 0; r < rounds; ++r)
        for (__m256& lane : x) {
            lane = _mm256_div_ps(lane, divisor);
            asm volatile("" : "+x"(lane));
        }
    return now() - begin;
}
#else
constexpr int kLanes = 1;
double once(int rounds) {
    volatile float x = 1.0f;
    const double begin = now();
    for (int r = 0; r < 8 * rounds; ++r) x = x / 1.0000001f;
    return now() - begin;
}
#endif

}  // namespace

int main() {
    constexpr int rounds = 200000;
    double best = 1e9;
    for (int i = 0; i < 15; ++i) best = std::min(best, once(rounds));
    std::printf("%.6f\n", best / rounds / 8 / kLanes * 1e9);
}
