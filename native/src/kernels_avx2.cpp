// The kernels for processors with AVX2 and FMA. Reached only after a test of the processor, so every function
// here is internal: a weak symbol of this file could replace a baseline one elsewhere.
//
// A table of at most 8 ratios lives in one register (vpermps), of at most 16 in two. Two rows share one
// division: t/s + v/z = (t z + v s) / (s z); beliefs and ratios are such that s z stays between 2^-120 and
// 2^125.
#include "bayesieve/kernels.hpp"

#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "bayesieve/elementary.hpp"
#include "constants.hpp"
#include "subnormals.hpp"

namespace bayesieve {
namespace {

#include "buckets.inc"
#include "distances.inc"
#include "exact.inc"
#include "planes.inc"
#include "pulls.inc"
#include "scan_any.inc"
#include "sums.inc"

inline double add_lanes(__m256 v) {
    const __m256d d = _mm256_add_pd(_mm256_cvtps_pd(_mm256_castps256_ps128(v)),
                                    _mm256_cvtps_pd(_mm256_extractf128_ps(v, 1)));
    const __m128d e = _mm_add_pd(_mm256_castpd256_pd128(d), _mm256_extractf128_pd(d, 1));
    return _mm_cvtsd_f64(_mm_add_sd(e, _mm_unpackhi_pd(e, e)));
}

// A tile's counts and exponents are far below 2^31.
inline double add_lanes(__m256i v) {
    __m128i sum = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0x4e));
    sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0xb1));
    return static_cast<double>(_mm_cvtsi128_si32(sum));
}

// The ratios of one wrong class: two, at most 8, or at most 16.
template <int kBits, bool kLarge>
struct Table {
    __m256 first, second;

    void load(const float* ratios) {
        first = kBits == 1 ? _mm256_set1_ps(ratios[0]) : _mm256_loadu_ps(ratios);
        if constexpr (kBits == 1) second = _mm256_set1_ps(ratios[1]);
        if constexpr (kLarge) second = _mm256_loadu_ps(ratios + 8);
    }
    // Of each lane the highest bit counts, or the lowest three or four.
    __m256 operator()(__m256i codes) const {
        if constexpr (kBits == 1) return _mm256_blendv_ps(first, second, _mm256_castsi256_ps(codes));
        const __m256 low = _mm256_permutevar8x32_ps(first, codes);
        if constexpr (!kLarge) return low;
        const __m256 high = _mm256_permutevar8x32_ps(second, codes);
        return _mm256_blendv_ps(low, high, _mm256_castsi256_ps(_mm256_slli_epi32(codes, 28)));
    }
};

// Adds up the losses of 16 rows at a time: `a` and `b` are two vectors of 8 rows.
template <Loss kLoss, int kWrong, bool kWeighted>
struct Adder {
    __m256 sum0 = _mm256_setzero_ps(), sum1 = _mm256_setzero_ps(), size0 = sum0, size1 = sum0;
    __m256i count0 = _mm256_setzero_si256(), count1 = count0;

    void add(const __m256 (&a)[kWrong], const __m256 (&b)[kWrong], __m256 qa, __m256 qb, __m256 wa,
             __m256 wb) {
        if constexpr (kLoss == Loss::error) {
            add_errors(a, wa);
            add_errors(b, wb);
        } else if constexpr (kLoss == Loss::linear) {
            sum0 = kWeighted ? _mm256_fmadd_ps(a[0], wa, sum0) : _mm256_add_ps(sum0, a[0]);
            sum1 = kWeighted ? _mm256_fmadd_ps(b[0], wb, sum1) : _mm256_add_ps(sum1, b[0]);
        } else {
            const __m256 t = total(a), v = total(b);
            const __m256 s = _mm256_add_ps(t, qa), z = _mm256_add_ps(v, qb);
            if constexpr (kLoss == Loss::log_loss && !kWeighted) {
                add_log(_mm256_mul_ps(s, z), wa, sum0, count0, size0);  // log s + log z
            } else if constexpr (kLoss == Loss::log_loss) {
                add_log(s, wa, sum0, count0, size0);
                add_log(z, wb, sum1, count1, size1);
            } else {
                const __m256 inverse = _mm256_div_ps(_mm256_set1_ps(1.0f), _mm256_mul_ps(s, z));
                if constexpr (kLoss == Loss::error_probability) {
                    const __m256 tw = kWeighted ? _mm256_mul_ps(t, wa) : t,
                                 vw = kWeighted ? _mm256_mul_ps(v, wb) : v;
                    sum0 = _mm256_fmadd_ps(_mm256_fmadd_ps(vw, s, _mm256_mul_ps(tw, z)), inverse, sum0);
                } else {
                    add_brier(a, t, _mm256_mul_ps(inverse, z), wa, sum0);
                    add_brier(b, v, _mm256_mul_ps(inverse, s), wb, sum1);
                }
            }
        }
    }

    // What was added since the last call; at most kChunk rows, so that a lane has at most 16 terms.
    ScanSum flush() {
        const ScanSum sum = result();
        *this = Adder();
        return sum;
    }

  private:
    ScanSum result() const {
        if constexpr (kLoss == Loss::error) {
            return kWeighted ? ScanSum{add_lanes(sum0), add_lanes(sum1)}
                             : ScanSum{add_lanes(count0), add_lanes(count1)};
        } else if constexpr (kLoss == Loss::log_loss) {
            const double whole =
                kWeighted ? add_lanes(_mm256_castsi256_ps(count0)) + add_lanes(_mm256_castsi256_ps(count1))
                          : add_lanes(count0) + add_lanes(count1);
            return {add_lanes(sum0) + add_lanes(sum1) + kLn2 * whole,
                    kWeighted ? add_lanes(size0) + add_lanes(size1) : 0.0};
        } else {
            const double sum = add_lanes(sum0) + add_lanes(sum1);
            return {kLoss == Loss::brier && kWrong == 1 ? 2.0 * sum : sum, 0.0};
        }
    }

    static __m256 total(const __m256 (&r)[kWrong]) {
        __m256 t = r[0];
        for (int m = 1; m < kWrong; ++m) t = _mm256_add_ps(t, r[m]);
        return t;
    }

    void add_errors(const __m256 (&r)[kWrong], __m256 w) {
        __m256 largest = r[0];
        for (int m = 1; m < kWrong; ++m) largest = _mm256_max_ps(largest, r[m]);
        const __m256 sure = _mm256_cmp_ps(largest, _mm256_set1_ps(kSurelyWrong), _CMP_GT_OQ);
        const __m256 open = _mm256_cmp_ps(largest, _mm256_set1_ps(kPossiblyWrong), _CMP_GT_OQ);
        if constexpr (kWeighted) {
            sum0 = _mm256_add_ps(sum0, _mm256_and_ps(sure, w));
            sum1 = _mm256_add_ps(sum1, _mm256_and_ps(open, w));
        } else {
            count0 = _mm256_sub_epi32(count0, _mm256_castps_si256(sure));
            count1 = _mm256_sub_epi32(count1, _mm256_castps_si256(open));
        }
    }

    static void add_brier(const __m256 (&r)[kWrong], __m256 t, __m256 inverse, __m256 w, __m256& sum) {
        if constexpr (kWrong == 1) {
            const __m256 p = _mm256_mul_ps(t, inverse);
            sum = _mm256_fmadd_ps(kWeighted ? _mm256_mul_ps(p, w) : p, p, sum);
        } else {
            __m256 squares = _mm256_mul_ps(t, t);
            for (int m = 0; m < kWrong; ++m) squares = _mm256_fmadd_ps(r[m], r[m], squares);
            const __m256 scale = kWeighted ? _mm256_mul_ps(_mm256_mul_ps(inverse, w), inverse)
                                           : _mm256_mul_ps(inverse, inverse);
            sum = _mm256_fmadd_ps(squares, scale, sum);
        }
    }

    // The vector form of split_log. Whole powers of two are counted as integers; with weights as floats, with
    // their size.
    static void add_log(__m256 s, __m256 w, __m256& sum, __m256i& count, __m256& size) {
        __m256i bits = _mm256_castps_si256(s);
        const __m256i e = _mm256_srai_epi32(_mm256_sub_epi32(bits, _mm256_set1_epi32(0x3f400000)), 23);
        bits = _mm256_sub_epi32(bits, _mm256_slli_epi32(e, 23));
        const __m256 t = _mm256_sub_ps(_mm256_castsi256_ps(bits), _mm256_set1_ps(1.0f));
        __m256 p = _mm256_set1_ps(-0x1.0908p-4f);
        p = _mm256_fmadd_ps(p, t, _mm256_set1_ps(0x1.1f1cfep-3f));
        p = _mm256_fmadd_ps(p, t, _mm256_set1_ps(-0x1.64108ep-3f));
        p = _mm256_fmadd_ps(p, t, _mm256_set1_ps(0x1.9c1848p-3f));
        p = _mm256_fmadd_ps(p, t, _mm256_set1_ps(-0x1.ff84d2p-3f));
        p = _mm256_fmadd_ps(p, t, _mm256_set1_ps(0x1.554b76p-2f));
        p = _mm256_fmadd_ps(p, t, _mm256_set1_ps(-0x1.00004ep-1f));
        const __m256 rest = _mm256_fmadd_ps(_mm256_mul_ps(t, t), p, t);
        if constexpr (kWeighted) {
            const __m256 whole = _mm256_cvtepi32_ps(e);
            sum = _mm256_fmadd_ps(w, rest, sum);
            count = _mm256_castps_si256(_mm256_fmadd_ps(w, whole, _mm256_castsi256_ps(count)));
            size = _mm256_fmadd_ps(w, _mm256_andnot_ps(_mm256_set1_ps(-0.0f), whole), size);
        } else {
            sum = _mm256_add_ps(sum, rest);
            count = _mm256_add_epi32(count, e);
        }
    }
};

template <Loss kLoss, int kWrong, int kBits, bool kLarge, bool kWeighted>
void scan_column(const ScanBlock& block, std::size_t begin, std::size_t end, const ScanColumn& column,
                 ScanSum& sum) {
    constexpr std::size_t rows_a_word = 256 / kBits;
    constexpr bool kCounts = kLoss == Loss::error && !kWeighted;  // integers: exact however many
    Table<kBits, kLarge> tables[kWrong];
    for (int m = 0; m < kWrong; ++m) tables[m].load(column.ratios + m * column.table_stride);
    Adder<kLoss, kWrong, kWeighted> adder;
    const __m256 one = _mm256_set1_ps(1.0f);
    // The last word may reach beyond `end`, where padding counts nothing: role 0 alone believes.
    for (std::size_t word = begin; word < end; word += rows_a_word) {
        if (!kCounts && word % kChunk == 0) sum.add(adder.flush());
        const auto* packed = reinterpret_cast<const __m256i*>(column.packed + word / rows_a_word * 8);
        __m256i codes = _mm256_loadu_si256(packed);
        for (std::size_t i = word; i < word + rows_a_word; i += 16) {
            const __m256i next =
                kBits == 1 ? _mm256_add_epi32(codes, codes) : _mm256_srli_epi32(codes, kBits);
            __m256 a[kWrong], b[kWrong];
            for (int m = 0; m < kWrong; ++m) {
                const float* q = block.beliefs + (m + 1) * block.stride + i;
                a[m] = _mm256_mul_ps(tables[m](codes), _mm256_loadu_ps(q));
                b[m] = _mm256_mul_ps(tables[m](next), _mm256_loadu_ps(q + 8));
            }
            adder.add(a, b, _mm256_loadu_ps(block.beliefs + i), _mm256_loadu_ps(block.beliefs + i + 8),
                      kWeighted ? _mm256_loadu_ps(block.weights + i) : one,
                      kWeighted ? _mm256_loadu_ps(block.weights + i + 8) : one);
            codes = kBits == 1 ? _mm256_slli_epi32(codes, 2) : _mm256_srli_epi32(codes, 2 * kBits);
        }
    }
    sum.add(adder.flush());
}

using ColumnScan = void (*)(const ScanBlock&, std::size_t, std::size_t, const ScanColumn&, ScanSum&);

// How a column is packed: one bit, four bits and one register of ratios, four bits and two.
enum class Packing { bit, nibble, large };

template <Loss kLoss, int kWrong, bool kWeighted>
ColumnScan pick(Packing packing) {
    switch (packing) {
        case Packing::bit:
            return scan_column<kLoss, kWrong, 1, false, kWeighted>;
        case Packing::nibble:
            return scan_column<kLoss, kWrong, 4, false, kWeighted>;
        default:
            return scan_column<kLoss, kWrong, 4, true, kWeighted>;
    }
}

template <Loss kLoss, bool kWeighted>
ColumnScan pick(int n_wrong, Packing packing) {
    switch (n_wrong) {
        case 1:
            return pick<kLoss, 1, kWeighted>(packing);
        case 2:
            return pick<kLoss, 2, kWeighted>(packing);
        case 3:
            return pick<kLoss, 3, kWeighted>(packing);
        case 4:
            return pick<kLoss, 4, kWeighted>(packing);
        default:
            return nullptr;
    }
}

template <bool kWeighted>
ColumnScan pick(Loss loss, int n_wrong, Packing packing) {
    switch (loss) {
        case Loss::error:
            return pick<Loss::error, kWeighted>(n_wrong, packing);
        case Loss::error_probability:
            return pick<Loss::error_probability, kWeighted>(n_wrong, packing);
        case Loss::brier:
            return pick<Loss::brier, kWeighted>(n_wrong, packing);
        case Loss::linear:
            return pick<Loss::linear, 1, kWeighted>(packing);
        default:
            return pick<Loss::log_loss, kWeighted>(n_wrong, packing);
    }
}

void scan(Loss loss, const ScanBlock& block, std::size_t begin, std::size_t end, const ScanColumn* columns,
          std::size_t n_columns, ScanSum* sums) {
    const FlushSubnormals flush;
    ColumnScan scans[3];
    for (const Packing packing : {Packing::bit, Packing::nibble, Packing::large})
        scans[static_cast<int>(packing)] = block.weights != nullptr
                                               ? pick<true>(loss, block.n_classes - 1, packing)
                                               : pick<false>(loss, block.n_classes - 1, packing);
    for (std::size_t j = 0; j < n_columns; ++j) {
        const ScanColumn& column = columns[j];
        if (column.packed == nullptr || scans[0] == nullptr) {
            scan_any(loss, block, begin, end, column, sums[j]);
        } else {
            const Packing packing = column.bits == 1     ? Packing::bit
                                    : column.n_used <= 8 ? Packing::nibble
                                                         : Packing::large;
            scans[static_cast<int>(packing)](block, begin, end, column, sums[j]);
        }
    }
}

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
    return static_cast<std::size_t>(add_lanes(close)) +
           buckets_any(base + i, codes + i, table, bits, n - i, out + i);
}

std::size_t buckets(const std::int32_t* base, const std::uint8_t* codes, const std::int32_t* table,
                    int n_codes, int bits, std::size_t n, std::uint16_t* out) {
    if (n_codes <= 8) return buckets_of_few<false>(base, codes, table, bits, n, out);
    if (n_codes <= 16) return buckets_of_few<true>(base, codes, table, bits, n, out);
    return buckets_any(base, codes, table, bits, n, out);
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
    static const Kernels kernels{shift,        beliefs,      fine_beliefs,  losses,    count_errors,
                                 scan,         scan_fine,    buckets,       pulls,     add_scaled,
                                 exponentials, count_planes, add_distances, fixed_logs};
    return &kernels;
}

}  // namespace bayesieve

#else

namespace bayesieve {
const Kernels* avx2_kernels() { return nullptr; }
}  // namespace bayesieve

#endif
