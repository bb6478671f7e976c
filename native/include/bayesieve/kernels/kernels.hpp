// SPDX-License-Identifier: BSD-3-Clause
// The loops over rows, in three builds: for any processor, and for those with AVX2 or AVX-512, chosen when
// first used.
//
// Exact kernels give identical bits in all builds. The scan is float32 and differs in the last bits; its
// caller has a bound of its error and confirms what matters with the exact kernels.
#pragma once
#include <cstddef>
#include <cstdint>

#include "bayesieve/kernels/difference.hpp"

namespace bayesieve {

// The smoothed log loss has exact kernels only. Linear has scans only: the sum of second x table[code] (see
// row_model.hpp).
enum class Loss { error, error_probability, brier, log_loss, smoothed_log_loss, linear, none };

constexpr std::size_t kChunk = 256;      // rows that the exact kernels take at a time, at most
constexpr std::size_t kTile = 2048;      // rows that stay in the cache while candidates pass over them
constexpr std::size_t kPadding = 256;    // beliefs of a block are padded to a multiple of this many rows
constexpr std::size_t kSmallTable = 16;  // codes of a column whose ratios fit two registers

// Rows of one class in one segment, as the scan sees them. With q_c proportional to the belief in class c,
// role 0 is the true class and the others follow in class order. Real is float, or double for a second look.
template <typename Real>
struct BlockOf {
    const Real* beliefs;  // IN (n_classes, stride), padded with 1 for role 0 and 0 for the others
    std::size_t stride;
    const Real* weights;  // IN (stride), padded with 0; nullptr if every weight is 1
    std::size_t n_rows;
    int n_classes;
};

// A candidate on such a block: r_m = q_m * ratio_m[code] replaces q_m. Columns of at most 16 codes are packed
// as well, in words of 8 x 32 bits: lane l of a word holds the codes of its rows l, l + 8, l + 16 ...; with 1
// bit per row (two codes) from the highest bit down, with 4 bits per row from the lowest up. So unpacking is
// one shift.
template <typename Real>
struct ColumnOf {
    const std::uint8_t* narrow;
    const std::uint16_t* wide;
    const std::uint32_t* packed;  // IN, nullptr if not packed
    int bits;                     // 1 or 4
    const Real* ratios;           // IN (n_classes - 1, table_stride)
    std::size_t table_stride;
    int n_used;
};

using ScanBlock = BlockOf<float>;
using ScanColumn = ColumnOf<float>;
using FineBlock = BlockOf<double>;
using FineColumn = ColumnOf<double>;

// What the scan adds up. For the error: weight of the rows that are surely wrong, and possibly wrong.
// Otherwise `low` is the sum of losses; for the log loss without the part that no candidate changes, and
// `high` is a sum of magnitudes that bounds its error.
struct ScanSum {
    double low = 0.0, high = 0.0;

    void add(const ScanSum& part) {
        low += part.low;
        high += part.high;
    }
};

constexpr int kMostLeads = 4;

// Rows of one class by the lead of each wrong class over the true one, in 16-bit steps; see engine/leads.hpp.
struct LeadBlock {
    const std::int16_t* leads;  // IN (n_wrong, stride), padded with the smallest number
    std::size_t stride;         // a multiple of 64
    int n_wrong;                // at most kMostLeads
};

// A candidate of two codes on such a block: bit i % 64 of word i / 64 is the code of row i.
struct LeadColumn {
    const std::uint64_t* bits;
    const std::int16_t* table;  // IN (n_wrong, 2): what each code adds
};

// Bit-planes of a column, `stride` words apart: bit i of plane p is set if row i has code p.
struct PlaneSet {
    const std::uint64_t* words;
    std::size_t n;
};

// What is done with each of n rows of class probabilities p, the second after the first; codes may be
// nullptr.
struct ClassPass {
    const std::uint16_t*
        updated;  // (n) bins: p is multiplied by their factors (n_bins, width), and normalized
    const double* factors;
    const std::uint16_t*
        summed;           // (n) bins: scale x p and scale x p min(1, 2 (1 - p)), rounded, are added to
    const double* scale;  // their sums (n_bins, 2, width)
    std::int64_t* sums;
};

constexpr std::size_t kProductLanes = 8;  // numbers per row are padded to a multiple of this many
constexpr std::size_t kSideBySide = 8;    // numbers per row that are added together

// The bins of some rows in a column, in bytes or pairs of bytes; the other is nullptr.
struct LaneCodes {
    const std::uint8_t* narrow;
    const std::uint16_t* wide;
};

constexpr std::size_t kRowLanes = 4;   // rows of matrices are padded to a multiple of this many numbers
constexpr std::size_t kFormLanes = 4;  // forms that are solved together

// A quadratic form of n unknowns: the upper triangle of `high`, whose rows are `stride` numbers apart, and a
// slope each. Other numbers of a row from the four of its diagonal to its end must be numbers, and may
// change.
struct SymmetricForm {
    double* high;
    double* slope;
    std::size_t n, stride;
};

// Rows of numbers, or columns, some steps apart.
struct SmallMatrix {
    const double* entries;
    std::size_t n_rows, n_inner, row_step, inner_step;
};

struct Kernels {
    // adds a column's table (n_used, n_classes) to the evidence (n_classes, stride) of n rows
    void (*shift)(const std::uint8_t* codes, const std::int64_t* table, int n_used, int n_classes,
                  std::size_t n, std::int64_t* evidence, std::size_t stride);
    // beliefs of n <= kChunk rows of class y from their evidence (n_classes, stride): role-major, stride
    // `out_stride`; relative to the strongest class, for the error to the true one
    void (*beliefs)(Loss loss, const std::int64_t* evidence, std::size_t stride, int n_classes, int y,
                    std::size_t n, float* out, std::size_t out_stride);
    // the same in float64, relative to the strongest class
    void (*fine_beliefs)(const std::int64_t* evidence, std::size_t stride, int n_classes, int y,
                         std::size_t n, double* out, std::size_t out_stride);
    // exact losses of n <= kChunk rows of class y, in multiples of 2^-40; `argument` is the weight N of the
    // smoothed log loss; scratch holds (n_classes + 2) * kChunk doubles
    void (*losses)(Loss loss, double argument, const std::int64_t* evidence, std::size_t stride,
                   int n_classes, int y, std::size_t n, double* scratch, std::int64_t* out);
    // how many of n <= kChunk rows of class y are wrong after a column of at most two codes is added
    std::size_t (*count_errors)(const std::uint8_t* codes, const std::int64_t* table, int n_used,
                                int n_classes, int y, std::size_t n, const std::int64_t* evidence,
                                std::size_t stride);
    // adds the sums over rows begin .. end (begin is a multiple of kTile) of each candidate
    void (*scan)(Loss loss, const ScanBlock& block, std::size_t begin, std::size_t end,
                 const ScanColumn* columns, std::size_t n_columns, ScanSum* sums);
    // adds the sum over all rows of one candidate that is not packed, in float64: error probability, Brier
    // score and linear only
    void (*fine_scan)(Loss loss, const FineBlock& block, const FineColumn& column, ScanSum& sum);
    // adds how many of the rows begin .. end - 1 (begin is a multiple of kTile, end is at most kTile further)
    // are surely and possibly wrong: their largest sum exceeds 0, and -2; nullptr if there is no such scan
    void (*scan_leads)(const LeadBlock& block, std::size_t begin, std::size_t end, const LeadColumn& column,
                       ScanSum& sum);
    // out[i] = (evidence[i] - truth[i]) >> step_bits of n rows, cut to 16 bits; nullptr likewise
    void (*leads)(const std::int64_t* evidence, const std::int64_t* truth, int step_bits, std::size_t n,
                  std::int16_t* out);
    // out[i] = (base[i] + table[codes[i]]) >> bits for n <= kChunk rows, below 2^16; table has room for 16
    // entries. Returns for how many rows one more would have reached the next bucket.
    std::size_t (*buckets)(const std::int32_t* base, const std::uint8_t* codes, const std::int32_t* table,
                           int n_codes, int bits, std::size_t n, std::uint16_t* out);
    // gradient and negated hessian of the log-likelihood of n <= kChunk rows of class y, times scale (n),
    // rounded; one channel for two classes, of which `evidence` (n_channels, stride) is that of the second
    // less that of the first, else one per class: out (n, n_channels, 2); scratch holds
    // (n_classes + 1) * kChunk doubles, for two classes none
    void (*gradients)(const std::int64_t* evidence, std::size_t stride, int n_classes, int y, std::size_t n,
                      const double* scale, double* scratch, std::int64_t* out);
    // out[i] += factor * row[i] for n numbers
    void (*add_scaled)(const double* row, double factor, std::size_t n, double* out);
    // x <- exp(x) of n numbers that are not positive; exact
    void (*exponentials)(std::size_t n, double* x);
    // planes[p * stride + i / 64], bit i % 64: whether row i of n has code p; bits beyond n are 0
    void (*fill_planes)(const std::uint8_t* codes, std::size_t n, std::size_t n_planes, std::size_t stride,
                        std::uint64_t* planes);
    // cells[p * width + q] = number of rows of n words that both plane p and plane q have
    void (*count_planes)(const PlaneSet& left, const PlaneSet& right, std::size_t stride, std::size_t n,
                         std::uint32_t* cells, std::size_t width);
    // distances[i][j] += what the columns begin .. end - 1 add to the distance of row i of one tile and row j
    // of another; see relieff.hpp
    void (*add_distances)(Trait trait, const double* penalties, const double* left, const double* right,
                          std::size_t begin, std::size_t end, double* distances);
    // weights[f] += share times the difference of two rows in column f, in multiples of 2^-40, of columns
    // begin .. end - 1
    void (*add_differences)(Trait trait, const double* penalties, const double* x, const double* y,
                            std::size_t begin, std::size_t end, double share, std::int64_t* weights);
    // log x of n positive numbers, in multiples of 2^-40
    void (*fixed_logs)(const double* x, std::size_t n, std::int64_t* out);
    // gradient and negated hessian of the log-likelihood of two classes in the log-odds of n <= kChunk rows,
    // times scale, rounded, side by side: (n, 2); variances (of the log-odds) may be nullptr
    void (*score_gradients)(const double* scores, const double* variances, const double* target,
                            const double* scale, std::size_t n, std::int64_t* derivatives);
    // goes over the class probabilities of n rows, p (n, width); width is a multiple of 4
    void (*class_rows)(double* p, std::size_t width, const ClassPass& pass, std::size_t n);
    // takes the first `end` unknowns of a form out of the others; right of the diagonal, their rows then hold
    // the factors; `rows` has room for 4 rows
    void (*eliminate)(const SymmetricForm& form, std::size_t end, double* rows);
    // gradient, curvature and log loss of n <= kChunk rows of two classes, in steps, rounded
    void (*pair_derivatives)(const double* scores, const double* target, std::size_t n, double gradient_steps,
                             double loss_steps, std::int64_t* gradient, std::int64_t* curvature,
                             std::int64_t* losses);
    // rows (n, kSideBySide) += the entries of their bins in table (n_bins, kSideBySide)
    void (*add_lanes)(const LaneCodes& codes, std::size_t n, const double* table, double* rows);
    // sums (n_bins, kSideBySide) += rows (n, kSideBySide) of each bin
    void (*sum_lanes)(const LaneCodes& codes, std::size_t n, const std::int64_t* rows, std::int64_t* sums);
    // sum of x[i] y[i] of n numbers, each rounded; sizes are below 2^62
    std::uint64_t (*rounded_products)(const double* x, const double* y, std::size_t n);
    // costs of log x!, whole multiples of 2^-28 nats, of n numbers x of at least 16
    void (*log_factorials)(const double* numbers, std::size_t n, double* costs);
    // sums[j * width + k] += rows[i][j] rows[i][k] of n rows (n, width), for j <= k; width is a multiple of
    // kProductLanes, the numbers are integers, and the sums are below 2^53
    void (*add_products)(const double* rows, std::size_t n, std::size_t width, double* sums);
    // log Bayes factors of the unknowns of a form at kFormLanes prior variances, and, unless nullptr, their
    // posterior means (n, kFormLanes); `room` has kFormLanes (n + 5) n numbers
    void (*fit_scales)(const SymmetricForm& form, const double* variances, double* room, double* factors,
                       double* means);
    // out (n_rows, width) = a b, given b (n_inner, width); width is a multiple of kRowLanes. Products are
    // added from the first to the last.
    void (*multiply)(const SmallMatrix& a, const double* b, std::size_t width, double* out);
};

const Kernels& kernels();
const Kernels& portable_kernels();
const Kernels* avx2_kernels();    // nullptr if not compiled in
const Kernels* avx512_kernels();  // nullptr if not compiled in

// What this processor has and BAYESIEVE_SIMD (portable, avx2) allows. Vector builds scan packed columns.
enum class Build { portable, avx2, avx512 };
Build build_in_use();
const char* name_of(Build build);

// A computed sum of losses differs from the true one by at most `relative` times the sum plus `absolute` a
// row (for the error: nothing beyond the two bounds).
struct ScanBound {
    double relative, absolute;
};
ScanBound scan_bound(Loss loss, int n_classes);
ScanBound fine_bound(Loss loss, int n_classes);

}  // namespace bayesieve
