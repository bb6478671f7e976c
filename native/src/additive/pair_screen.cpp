// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/additive/pair_screen.hpp"

#include <algorithm>

#include "bayesieve/pool.hpp"
#include "screen_algebra.hpp"

namespace bayesieve {
namespace {

constexpr std::size_t kDoubleBins = kScreenBins * kScreenBins, kDoubleCells = kDoubleBins * kDoubleBins;
constexpr std::size_t kRights = 4;  // double columns on the right at a time: their additions overlap
// Gradients of 2048 rows, up to 2^20 in size, and curvatures, up to 2^20, share a word without carry.
constexpr std::size_t kRowsPerWord = 2048;
constexpr std::int64_t kLargest = std::int64_t{1} << 20;
constexpr int kCurvatureBits = 31;

struct CellTotals {
    std::int64_t gradient[kDoubleCells], curvature[kDoubleCells];
};

// Derivatives of rows: in one word each if they are small.
class SlopeWords {
  public:
    SlopeWords(const RowSlopes& slopes, std::size_t n_rows) : slopes_(slopes), n_rows_(n_rows) {
        for (std::size_t i = 0; i < n_rows; ++i) {
            const std::int64_t g = slopes.gradient[i], h = slopes.curvature[i];
            if (g > kLargest || g < -kLargest || h < 0 || h >= kLargest) return;
        }
        words_.resize(n_rows);
        for (std::size_t i = 0; i < n_rows; ++i)
            words_[i] = slopes.gradient[i] * (std::int64_t{1} << kCurvatureBits) + slopes.curvature[i];
    }

    template <std::size_t N>
    void add(const std::uint8_t* left, const std::uint8_t* const* rights, CellTotals* totals) const {
        if (words_.size() == n_rows_)
            add_words<N>(left, rights, totals);
        else
            add_pairs<N>(left, rights, totals);
    }

  private:
    template <std::size_t N>
    void add_words(const std::uint8_t* left, const std::uint8_t* const* rights, CellTotals* totals) const {
        for (std::size_t begin = 0; begin < n_rows_; begin += kRowsPerWord) {
            std::int64_t cells[N][kDoubleCells] = {};
            const std::size_t end = std::min(n_rows_, begin + kRowsPerWord);
            for (std::size_t i = begin; i < end; ++i) {
                const std::size_t row = std::size_t{left[i]} * kDoubleBins;
                for (std::size_t k = 0; k < N; ++k) cells[k][row + rights[k][i]] += words_[i];
            }
            for (std::size_t k = 0; k < N; ++k)
                for (std::size_t c = 0; c < kDoubleCells; ++c) {
                    const std::int64_t curvature = cells[k][c] & ((std::int64_t{1} << kCurvatureBits) - 1);
                    totals[k].curvature[c] += curvature;
                    totals[k].gradient[c] += (cells[k][c] - curvature) / (std::int64_t{1} << kCurvatureBits);
                }
        }
    }

    template <std::size_t N>
    void add_pairs(const std::uint8_t* left, const std::uint8_t* const* rights, CellTotals* totals) const {
        for (std::size_t i = 0; i < n_rows_; ++i) {
            const std::size_t row = std::size_t{left[i]} * kDoubleBins;
            for (std::size_t k = 0; k < N; ++k) {
                totals[k].gradient[row + rights[k][i]] += slopes_.gradient[i];
                totals[k].curvature[row + rights[k][i]] += slopes_.curvature[i];
            }
        }
    }

    RowSlopes slopes_;
    std::size_t n_rows_;
    std::vector<std::int64_t> words_;
};

// The 16 cells of one column of each double column: which one is `first`.
void margins(const std::int64_t* cells, bool first_left, bool first_right,
             std::int64_t (&out)[kScreenBins][kScreenBins]) {
    std::int64_t rows[kScreenBins][kDoubleBins] = {};
    for (std::size_t q = 0; q < kDoubleBins; ++q) {
        std::int64_t* row = rows[first_left ? q / kScreenBins : q % kScreenBins];
        for (std::size_t c = 0; c < kDoubleBins; ++c) row[c] += cells[q * kDoubleBins + c];
    }
    for (std::size_t u = 0; u < kScreenBins; ++u)
        for (std::size_t v = 0; v < kScreenBins; ++v) {
            out[u][v] = 0;
            for (std::size_t w = 0; w < kScreenBins; ++w)
                out[u][v] += rows[u][first_right ? v * kScreenBins + w : w * kScreenBins + v];
        }
}

}  // namespace

// All pairs of one double column with those on its right.
class PairScreen::Task {
  public:
    // `factors` begins with the pair of this number, `origin`.
    Task(const PairScreen& screen, const SlopeWords& words, double unit, double* factors, std::size_t origin)
        : screen_(screen),
          words_(words),
          unit_(unit),
          factors_(factors),
          origin_(origin),
          algebra_(screen.basis_) {}

    void run(std::size_t left) {
        const std::size_t n = screen_.n_doubles();
        std::size_t right = left;
        for (; right + kRights <= n; right += kRights) count<kRights>(left, right);
        for (; right < n; ++right) count<1>(left, right);
        finish();
    }

  private:
    const std::uint8_t* codes(std::size_t k) const { return screen_.doubles_.data() + k * screen_.n_rows_; }

    template <std::size_t N>
    void count(std::size_t left, std::size_t right) {
        const std::uint8_t* rights[N];
        for (std::size_t k = 0; k < N; ++k) rights[k] = codes(right + k);
        std::fill_n(totals_, N, CellTotals{});
        words_.add<N>(codes(left), rights, totals_);
        for (std::size_t k = 0; k < N; ++k) {
            for (std::size_t a = 2 * left; a < 2 * left + 2; ++a)
                for (std::size_t b = 2 * (right + k); b < 2 * (right + k) + 2; ++b)
                    if (a < b && b < screen_.n_columns_) push(totals_[k], a, b);
        }
    }

    void push(const CellTotals& totals, std::size_t a, std::size_t b) {
        std::int64_t gradient[kScreenBins][kScreenBins], curvature[kScreenBins][kScreenBins];
        margins(totals.gradient, a % 2 == 0, b % 2 == 0, gradient);
        margins(totals.curvature, a % 2 == 0, b % 2 == 0, curvature);
        const std::size_t l = n_waiting_, n_a = screen_.n_bins_[a], n_b = screen_.n_bins_[b];
        const double* of_a = screen_.basis_.contrasts + n_a * kDoubleBins;
        const double* of_b = screen_.basis_.contrasts + n_b * kDoubleBins;
        for (std::size_t u = 0; u < kScreenBins; ++u)
            for (std::size_t v = 0; v < kScreenBins; ++v) {
                cells_.gradient[u][v].v[l] = static_cast<double>(gradient[u][v]) * unit_;
                cells_.curvature[u][v].v[l] = static_cast<double>(curvature[u][v]) * unit_;
                cells_.a[u][v].v[l] = of_a[u * kScreenBins + v];
                cells_.b[u][v].v[l] = of_b[u * kScreenBins + v];
            }
        for (std::size_t i = 0; i + 1 < kScreenBins; ++i) {
            cells_.halves_a[i].v[l] = screen_.basis_.halves[n_a * (kScreenBins - 1) + i];
            cells_.halves_b[i].v[l] = screen_.basis_.halves[n_b * (kScreenBins - 1) + i];
        }
        // Pairs of columns before a: sum over i < a of n_columns - 1 - i.
        places_[n_waiting_++] = a * (2 * screen_.n_columns_ - a - 1) / 2 + (b - a - 1) - origin_;
        if (n_waiting_ == kLanes) finish();
    }

    void finish() {
        if (n_waiting_ == 0) return;
        const Lanes result = algebra_.factors(cells_);
        for (std::size_t l = 0; l < n_waiting_; ++l) factors_[places_[l]] = result.v[l];
        n_waiting_ = 0;
    }

    const PairScreen& screen_;
    const SlopeWords& words_;
    double unit_;
    double* factors_;
    std::size_t origin_;
    ScreenAlgebra algebra_;
    CellTotals totals_[kRights];
    ScreenCells cells_{};
    std::size_t n_waiting_ = 0, places_[kLanes];
};

PairScreen::PairScreen(const PairCodes& codes, const std::int64_t* n_bins, const ScreenBasis& basis)
    : n_columns_(codes.n_columns), n_rows_(codes.n_rows), n_bins_(n_bins, n_bins + codes.n_columns) {
    constexpr std::size_t n_contrasts = (kScreenBins + 1) * kDoubleBins,
                          n_halves = (kScreenBins + 1) * (kScreenBins - 1);
    constants_.assign(basis.contrasts, basis.contrasts + n_contrasts);
    constants_.insert(constants_.end(), basis.halves, basis.halves + n_halves);
    constants_.insert(constants_.end(), basis.squared_scales, basis.squared_scales + kScreenScales);
    basis_ = {constants_.data(), constants_.data() + n_contrasts, constants_.data() + n_contrasts + n_halves,
              basis.ridge};
    doubles_.resize(n_doubles() * n_rows_);
    for (std::size_t j = 0; j < n_columns_; ++j) {
        std::uint8_t* out = doubles_.data() + (j / 2) * n_rows_;
        const std::uint8_t* in = codes.codes + j * n_rows_;
        const int factor = j % 2 == 0 ? static_cast<int>(kScreenBins) : 1;
        for (std::size_t i = 0; i < n_rows_; ++i) out[i] = static_cast<std::uint8_t>(out[i] + factor * in[i]);
    }
}

std::size_t PairScreen::n_pairs(std::size_t first, std::size_t last) const {
    const auto before = [&](std::size_t a) { return a * (2 * n_columns_ - a - 1) / 2; };
    return before(std::min(2 * last, n_columns_)) - before(std::min(2 * first, n_columns_));
}

void PairScreen::factors(const RowSlopes& slopes, double unit, std::size_t first, std::size_t last,
                         double* factors, const Threads& threads) const {
    const SlopeWords words(slopes, n_rows_);
    const auto run = [&](std::size_t begin, std::size_t end, int) {
        Task task(*this, words, unit, factors, n_pairs(0, first));
        for (std::size_t k = begin; k < end; ++k) task.run(first + k);
    };
    run_blocks(last - first, 1, threads.n_threads, run, threads.poll);
}

}  // namespace bayesieve
