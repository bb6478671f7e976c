// SPDX-License-Identifier: BSD-3-Clause
#include "evidence.hpp"

#include <algorithm>
#include <cmath>

#include "bayesieve/elementary.hpp"
#include "bayesieve/ranks/ranking.hpp"
#include "kernels/constants.hpp"
#include "sparse_column.hpp"

namespace bayesieve {
namespace {

// Writes the ratios of the codes that occur, wrong class by wrong class; returns whether one is beyond the
// limit. Beliefs below 2^-126 of the largest are 0 in float32. Two wrong classes may move apart by the square
// of the limit, so that with 2^40 what was taken for 0 stays below 2^-46 of the sum.
template <typename Real>
bool write_ratios(const std::int64_t* table, int n_classes, int n_used, int y, std::size_t stride,
                  Real* out) {
    const double limit = (sizeof(Real) == sizeof(float) && n_classes > 2 ? 40 : 60) * kLn2;
    bool extreme = false;
    for (int c = 0, m = 0; c < n_classes; ++c) {
        if (c == y) continue;
        for (int v = 0; v < n_used; ++v) {
            const std::int64_t* entry = table + static_cast<std::size_t>(v) * n_classes;
            const double log_ratio = static_cast<double>(entry[c] - entry[y]) / kFixedOne;
            extreme = extreme || std::fabs(log_ratio) > limit;
            out[m * stride + v] = static_cast<Real>(std::exp(std::max(-limit, std::min(limit, log_ratio))));
        }
        for (std::size_t v = n_used; v < stride; ++v) out[m * stride + v] = Real{0};
        ++m;
    }
    return extreme;
}

// Adds up how often each code occurs. Of two codes the sum is the number of ones, which is vectorized. Of
// more, neighbors often are equal, and each addition would wait for the last: four tables take turns.
void count_bytes(const std::uint8_t* codes, std::size_t n, std::vector<std::int64_t>& counts) {
    if (counts.size() <= 2) {
        if (n == 0) return;
        constexpr std::size_t block = 1 << 16;  // whose sum fits 32 bits
        std::int64_t ones = 0;
        for (std::size_t begin = 0; begin < n; begin += block) {
            std::uint32_t sum = 0;
            for (std::size_t i = begin; i < std::min(n, begin + block); ++i) sum += codes[i];
            ones += sum;
        }
        counts[0] += static_cast<std::int64_t>(n) - ones;
        if (counts.size() == 2) counts[1] += ones;
        return;
    }
    std::int64_t tables[4][256] = {};
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (std::size_t t = 0; t < 4; ++t) ++tables[t][codes[i + t]];
    for (; i < n; ++i) ++tables[0][codes[i]];
    for (std::size_t v = 0; v < counts.size(); ++v)
        for (const auto& table : tables) counts[v] += table[v];
}

constexpr int kCachedClasses = 5;

// How far apart the tables of two wrong classes are.
std::size_t scan_stride(const CodeColumn& column) {
    const bool small = column.n_used <= static_cast<int>(kSmallTable);
    return small ? RatioCache::table_stride(column.n_used) : static_cast<std::size_t>(column.n_used);
}

}  // namespace

void code_weights(const Segment& segment, const CodeColumn& column, int y,
                  std::vector<std::int64_t>& weights) {
    weights.assign(static_cast<std::size_t>(column.n_used), 0);
    if (column.is_sparse()) {
        weigh_entries(segment, column.entries, y, weights);
        return;
    }
    const std::size_t begin = segment.class_begin[y], end = segment.class_begin[y + 1];
    if (column.narrow != nullptr && segment.weights.empty()) {
        count_bytes(column.narrow + begin, end - begin, weights);
        return;
    }
    for (std::size_t i = begin; i < end; ++i)
        weights[column.code(i)] += segment.weights.empty() ? 1 : segment.weights[i];
}

void add_losses(const std::int64_t* losses, const std::int64_t* weights, std::size_t n, Wide& sum) {
    if (weights != nullptr) {
        for (std::size_t i = 0; i < n; ++i)
            sum.add_product(static_cast<std::uint64_t>(losses[i]), static_cast<std::uint64_t>(weights[i]));
        return;
    }
    std::uint64_t low = 0, high = 0;  // a log loss has up to 62 bits: halves are added apart
    for (std::size_t i = 0; i < n; ++i) {
        low += static_cast<std::uint64_t>(losses[i]) & 0xffffffff;
        high += static_cast<std::uint64_t>(losses[i]) >> 32;
    }
    sum.add(low);
    sum.add_product(high, std::uint64_t{1} << 32);
}

void rank_keys(const std::int64_t* evidence, int n_classes, int c, std::size_t n, std::int64_t* keys) {
    for (std::size_t i = 0; i < n; ++i) {
        const auto at = [&](int k) { return evidence[k * kChunk + i]; };
        int first = c == 0 ? 1 : 0;
        std::int64_t top = at(first);
        for (int k = first + 1; k < n_classes; ++k)
            if (k != c) top = std::max(top, at(k));
        double total = exp_nonpositive(unfix(at(first) - top));
        for (int k = first + 1; k < n_classes; ++k)
            if (k != c) total += exp_nonpositive(unfix(at(k) - top));
        keys[i] = rank_key(at(c) - top - nearest_integer(log_positive(total) * kFixedOne));
    }
}

double true_class_evidence(const Segment& segment, const std::int64_t* evidence, int y) {
    double sum = 0.0;
    for (std::size_t i = segment.class_begin[y]; i < segment.class_begin[y + 1]; ++i) {
        std::int64_t top = evidence[i];
        for (int c = 1; c < segment.n_classes; ++c) top = std::max(top, evidence[c * segment.n_rows + i]);
        const double shortfall = static_cast<double>(evidence[y * segment.n_rows + i] - top) / kFixedOne;
        sum += segment.weights.empty() ? shortfall : shortfall * static_cast<double>(segment.weights[i]);
    }
    return sum;
}

void RatioCache::build(const Segment& segment) {
    const std::size_t n = segment.columns.size();
    place_.assign(n, -1);
    extreme_.assign(n, 0);
    size_.assign(n, 0);
    if (segment.n_classes > kCachedClasses) return;
    std::size_t total = 0;
    for (std::size_t j = 0; j < n; ++j) {
        const int n_used = segment.columns[j].n_used;
        if (n_used > static_cast<int>(kSmallTable)) continue;
        place_[j] = static_cast<std::int64_t>(total);
        size_[j] = (segment.n_classes - 1) * table_stride(n_used);
        total += size_[j] * segment.n_classes;
    }
    added_.resize(total);
    dropped_.resize(total);
    std::vector<std::int64_t> scratch;
    for (std::size_t j = 0; j < n; ++j) {
        if (place_[j] < 0) continue;
        const CodeColumn& column = segment.columns[j];
        const std::size_t stride = table_stride(column.n_used);
        const std::int64_t* drop = change_table(segment, {static_cast<std::int32_t>(j), 1.0, 0.0}, scratch);
        for (int y = 0; y < segment.n_classes; ++y) {
            const std::size_t at = place_[j] + y * size_[j];
            if (write_ratios(column.table, segment.n_classes, column.n_used, y, stride, added_.data() + at))
                extreme_[j] = 1;  // and so are the inverses
            write_ratios(drop, segment.n_classes, column.n_used, y, stride, dropped_.data() + at);
        }
    }
}

const float* RatioCache::find(const Change& change, int y) const {
    const std::int64_t place = place_[change.column];
    const bool added = change.before == 0.0 && change.after == 1.0;
    if (place < 0 || !(added || (change.before == 1.0 && change.after == 0.0))) return nullptr;
    return (added ? added_ : dropped_).data() + place + y * size_[change.column];
}

void PackedCodes::build(const Segment& segment) {
    place_.assign(segment.columns.size(), -1);
    bits_.assign(segment.columns.size(), 0);
    if (segment.n_classes > kCachedClasses) return;
    // A class's words follow the other's; a word is 8 lanes of 32 bits.
    std::size_t words_of_bits[5] = {};
    for (int bits : {1, 4}) {
        first_word_[bits].assign(segment.n_classes, 0);
        for (int y = 0; y < segment.n_classes; ++y) {
            const std::size_t rows = segment.class_begin[y + 1] - segment.class_begin[y], a_word = 256 / bits;
            first_word_[bits][y] = words_of_bits[bits];
            words_of_bits[bits] += (rows + a_word - 1) / a_word;
        }
    }
    std::size_t total = 0;
    for (std::size_t j = 0; j < segment.columns.size(); ++j) {
        const CodeColumn& column = segment.columns[j];
        if (column.narrow == nullptr || column.n_used > static_cast<int>(kSmallTable)) continue;
        bits_[j] = column.n_used <= 2 ? 1 : 4;
        place_[j] = static_cast<std::int64_t>(total);
        total += 8 * words_of_bits[bits_[j]];
    }
    lanes_.assign(total, 0);
    for (std::size_t j = 0; j < segment.columns.size(); ++j)
        for (int y = 0; y < segment.n_classes && place_[j] >= 0; ++y) pack(segment, j, y);
}

void PackedCodes::pack(const Segment& segment, std::size_t j, int y) {
    const std::size_t first = segment.class_begin[y], rows = segment.class_begin[y + 1] - first;
    const auto bits = static_cast<std::size_t>(bits_[j]);
    const std::size_t a_word = 256 / bits;
    const std::uint8_t* codes = segment.columns[j].narrow + first;
    std::uint32_t* lanes = lanes_.data() + place_[j] + 8 * first_word_[bits][y];
    const std::size_t n_turns = a_word / 8, whole = rows / a_word * a_word;
    // A word takes eight codes at a turn, one per lane: the first turn's bit is the highest, of four bits the
    // lowest.
    for (std::size_t i = 0; i < whole; i += a_word) {
        std::uint32_t word[8] = {};
        for (std::size_t turn = 0; turn < n_turns; ++turn) {
            const std::uint8_t* eight = codes + i + 8 * (bits == 1 ? turn : n_turns - 1 - turn);
            for (std::size_t lane = 0; lane < 8; ++lane) word[lane] = word[lane] << bits | eight[lane];
        }
        std::copy_n(word, 8, lanes + i / a_word * 8);
    }
    for (std::size_t i = whole; i < rows; ++i) {
        const std::size_t turn = i % a_word / 8, shift = bits == 1 ? 31 - turn : turn * bits;
        lanes[i / a_word * 8 + i % 8] |= static_cast<std::uint32_t>(codes[i]) << shift;
    }
}

void PackedCodes::find(std::int32_t column, int y, ScanColumn& out) const {
    if (place_.empty() || place_[column] < 0) return;
    out.bits = bits_[column];
    out.packed = lanes_.data() + place_[column] + 8 * first_word_[out.bits][y];
}

std::size_t ratio_room(const Segment& segment, const std::int32_t* columns, std::size_t n) {
    std::size_t room = 0;
    for (std::size_t j = 0; j < n; ++j) {
        const int n_used = segment.columns[columns[j]].n_used;
        room += (segment.n_classes - 1) * std::max<std::size_t>(kSmallTable, n_used);
    }
    return room;
}

template <typename Real>
ColumnOf<Real> plain_column(const Segment& segment, std::int32_t j, int y, const Real* ratios) {
    const CodeColumn& column = segment.columns[j];
    const std::size_t first = segment.class_begin[y];
    return {column.narrow == nullptr ? nullptr : column.narrow + first,
            column.wide == nullptr ? nullptr : column.wide + first,
            nullptr,
            0,
            ratios,
            scan_stride(column),
            column.n_used};
}

template ScanColumn plain_column(const Segment&, std::int32_t, int, const float*);
template FineColumn plain_column(const Segment&, std::int32_t, int, const double*);

ScanColumn ratio_column(const Segment& segment, const RatioCache& cache, const Change& change, int y,
                        float*& room, std::vector<std::int64_t>& scratch, bool& extreme) {
    const CodeColumn& column = segment.columns[change.column];
    const std::size_t stride = scan_stride(column);
    const float* ratios = cache.find(change, y);
    extreme = ratios != nullptr && cache.extreme(change.column);
    if (ratios == nullptr) {
        const std::int64_t* table = change_table(segment, change, scratch);
        extreme = write_ratios(table, segment.n_classes, column.n_used, y, stride, room);
        ratios = room;
        room += (segment.n_classes - 1) * stride;
    }
    return plain_column(segment, change.column, y, ratios);
}

FineColumn fine_ratio_column(const Segment& segment, const Change& change, int y, std::vector<double>& ratios,
                             std::vector<std::int64_t>& scratch, bool& extreme) {
    const CodeColumn& column = segment.columns[change.column];
    const std::size_t stride = scan_stride(column);
    ratios.resize((segment.n_classes - 1) * stride);
    extreme = write_ratios(change_table(segment, change, scratch), segment.n_classes, column.n_used, y,
                           stride, ratios.data());
    return plain_column<double>(segment, change.column, y, ratios.data());
}

Interval loss_interval(Loss loss, const ScanSum& sum, const ScanBound& bound, double mass, double base) {
    if (loss == Loss::error)
        return {(sum.low + sum.high) / 2, (sum.high - sum.low) / 2 + bound.relative * sum.high};
    const double exact_rounding = mass * 0x1p-40;
    if (loss == Loss::log_loss) {
        const double radius =
            bound.absolute * mass + bound.relative * kLn2 * sum.high + std::fabs(base) * 0x1p-40;
        return {sum.low - base, radius + exact_rounding};
    }
    return {sum.low, bound.relative * sum.low * (1 + 0x1p-10) + bound.absolute * mass + exact_rounding};
}

}  // namespace bayesieve
