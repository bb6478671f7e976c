// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/pairs/pair_algebra.hpp"

#include <algorithm>

#include "bayesieve/elementary.hpp"
#include "bayesieve/kernels/kernels.hpp"
#include "bayesieve/pool.hpp"

namespace bayesieve {
namespace {

// out[i] += factor * row[i]: sums that run along the rows of a matrix are independent of each other, each
// from its first term to its last.
inline void add_row(const double* row, double factor, std::size_t n, double* out) {
    for (std::size_t i = 0; i < n; ++i) out[i] = out[i] + factor * row[i];
}

// A symmetric matrix by its upper triangle, and a vector: the unknowns of a quadratic form.
class Quadratic {
  public:
    void resize(std::size_t n) {
        n_ = n;
        high_.resize(n * n), slope_.resize(n), rows_.resize(4 * n);
    }

    double* row(std::size_t i) { return high_.data() + i * n_; }
    double& slope(std::size_t i) { return slope_[i]; }

    // Takes the first `end` unknowns out of the others, one after the other; their rows then hold the
    // factors right of the pivot, and slope(k) is that of unknown k beside those after it.
    void eliminate(std::size_t end) {
        kernels().eliminate(high_.data(), slope_.data(), n_, end, rows_.data());
    }

    // After all have been eliminated: the maximum, in place of the slopes.
    void substitute() {
        for (std::size_t k = 0; k < n_; ++k) slope_[k] = slope_[k] / row(k)[k];
        for (std::size_t i = n_; i-- > 0;)
            for (std::size_t k = 0; k < i; ++k) slope_[k] = slope_[k] - row(k)[i] * slope_[i];
    }

  private:
    std::size_t n_ = 0;
    std::vector<double> high_, slope_, rows_;
};

// out (k_a, k_b) = A' cells B
void project(const PairDesign& design, const PairResolution& r, const double* cells, double* scratch,
             double* out) {
    std::fill_n(scratch, design.n_a * r.k_b, 0.0);
    for (std::size_t u = 0; u < design.n_a; ++u)
        for (std::size_t v = 0; v < design.n_b; ++v)
            add_row(r.b.data() + v * r.k_b, cells[u * design.n_b + v], r.k_b, scratch + u * r.k_b);
    std::fill_n(out, r.k_a * r.k_b, 0.0);
    for (std::size_t i = 0; i < r.k_a; ++i)
        for (std::size_t u = 0; u < design.n_a; ++u)
            add_row(scratch + u * r.k_b, r.a[u * r.k_a + i], r.k_b, out + i * r.k_b);
}

// cells += A effects B'
void spread(const PairDesign& design, const PairResolution& r, const double* effects, double* scratch,
            double* cells) {
    for (std::size_t i = 0; i < r.k_a; ++i)
        for (std::size_t v = 0; v < design.n_b; ++v) {
            double total = 0.0;
            for (std::size_t j = 0; j < r.k_b; ++j)
                total = total + effects[i * r.k_b + j] * r.b[v * r.k_b + j];
            scratch[i * design.n_b + v] = total;
        }
    for (std::size_t u = 0; u < design.n_a; ++u)
        for (std::size_t v = 0; v < design.n_b; ++v) {
            double total = 0.0;
            for (std::size_t i = 0; i < r.k_a; ++i)
                total = total + r.a[u * r.k_a + i] * scratch[i * design.n_b + v];
            cells[u * design.n_b + v] = cells[u * design.n_b + v] + total;
        }
}

class TableFit {
  public:
    explicit TableFit(const PairDesign& design)
        : design_(design),
          n_cells_(design.n_a * design.n_b),
          weighted_(design.n_margins * n_cells_),
          effects_(n_cells_),
          scratch_(n_cells_),
          by_cell_(design.n_margins * n_cells_) {
        for (const PairResolution& r : design.resolutions)
            solutions_.emplace_back(design.squared_scales.size() * r.k_a * r.k_b);
    }

    double fit(const double* gradient, const double* curvature, double* mean) {
        weigh(gradient, curvature);
        factors_.clear();
        for (std::size_t r = 0; r < design_.resolutions.size(); ++r) {
            const PairResolution& resolution = design_.resolutions[r];
            join(resolution, gradient, curvature);
            joint_.eliminate(design_.n_margins);
            for (std::size_t t = 0; t < design_.squared_scales.size(); ++t)
                factors_.push_back(scale(resolution.k_a * resolution.k_b, t,
                                         mean == nullptr ? nullptr : solutions_[r].data()));
        }
        const double top = *std::max_element(factors_.begin(), factors_.end());
        double total = 0.0;
        for (double& factor : factors_) {
            factor = exp_nonpositive(factor - top);
            total = total + factor;
        }
        if (mean != nullptr) average(total, mean);
        return top + log_positive(total / static_cast<double>(factors_.size()));
    }

    // The posterior mean of margins alone.
    void margins(const double* gradient, const double* curvature, double* mean) {
        weigh(gradient, curvature);
        margins_.eliminate(design_.n_margins);
        margins_.substitute();
        for (std::size_t p = 0; p < design_.n_margins; ++p)
            add_row(design_.margins.data() + p * n_cells_, margins_.slope(p), n_cells_, mean);
    }

  private:
    // X'H, X'HX + I and X'g
    void weigh(const double* gradient, const double* curvature) {
        const std::size_t m = design_.n_margins;
        margins_.resize(m);
        for (std::size_t c = 0; c < n_cells_; ++c)
            for (std::size_t p = 0; p < m; ++p)
                by_cell_[c * m + p] = weighted_[p * n_cells_ + c] =
                    design_.margins[p * n_cells_ + c] * curvature[c];
        for (std::size_t p = 0; p < m; ++p) {
            const double* x = design_.margins.data() + p * n_cells_;
            double *row = margins_.row(p) + p, slope = 0.0;
            for (std::size_t c = 0; c < n_cells_; ++c) slope = slope + x[c] * gradient[c];
            std::fill_n(row, m - p, 0.0);
            for (std::size_t c = 0; c < n_cells_; ++c) add_row(by_cell_.data() + c * m + p, x[c], m - p, row);
            row[0] = row[0] + 1.0;
            margins_.slope(p) = slope;
        }
    }

    // The quadratic form of margins (first) and effects of one resolution.
    void join(const PairResolution& r, const double* gradient, const double* curvature) {
        const std::size_t m = design_.n_margins, n = r.k_a * r.k_b;
        joint_.resize(m + n);
        for (std::size_t p = 0; p < m; ++p) {
            std::copy_n(margins_.row(p) + p, m - p, joint_.row(p) + p);
            joint_.slope(p) = margins_.slope(p);
            project(design_, r, weighted_.data() + p * n_cells_, scratch_.data(), effects_.data());
            std::copy_n(effects_.data(), n, joint_.row(p) + m);
        }
        project(design_, r, gradient, scratch_.data(), effects_.data());
        for (std::size_t e = 0; e < n; ++e) joint_.slope(m + e) = effects_[e];
        fill(r, curvature);
    }

    // R'HR: the product of two effects (i, j) and (k, l) is that of i and k times that of j and l.
    void fill(const PairResolution& r, const double* curvature) {
        const std::size_t m = design_.n_margins, n_pairs = r.k_a * (r.k_a + 1) / 2;
        products_.resize(design_.n_a * n_pairs), totals_.resize(n_pairs);
        for (std::size_t u = 0, at = 0; u < design_.n_a; ++u)
            for (std::size_t i = 0; i < r.k_a; ++i)
                for (std::size_t k = 0; k <= i; ++k)
                    products_[at++] = r.a[u * r.k_a + i] * r.a[u * r.k_a + k];
        for (std::size_t j = 0; j < r.k_b; ++j)
            for (std::size_t l = 0; l <= j; ++l) {
                std::fill(totals_.begin(), totals_.end(), 0.0);
                for (std::size_t u = 0; u < design_.n_a; ++u) {
                    double total = 0.0;
                    for (std::size_t v = 0; v < design_.n_b; ++v)
                        total = total +
                                (r.b[v * r.k_b + j] * r.b[v * r.k_b + l]) * curvature[u * design_.n_b + v];
                    add_row(products_.data() + u * n_pairs, total, n_pairs, totals_.data());
                }
                for (std::size_t i = 0, at = 0; i < r.k_a; ++i)
                    for (std::size_t k = 0; k <= i; ++k, ++at) {
                        joint_.row(m + k * r.k_b + l)[m + i * r.k_b + j] = totals_[at];
                        joint_.row(m + k * r.k_b + j)[m + i * r.k_b + l] = totals_[at];
                    }
            }
    }

    // The log Bayes factor of one scale; the posterior mean of its effects, times the squared scale, goes to
    // solutions[t].
    double scale(std::size_t n, std::size_t t, double* solutions) {
        const std::size_t m = design_.n_margins;
        const double t2 = design_.squared_scales[t];
        scaled_.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            const double* in = joint_.row(m + i) + m;
            double* out = scaled_.row(i);
            for (std::size_t j = i; j < n; ++j) out[j] = t2 * in[j];
            out[i] = out[i] + 1.0;
            scaled_.slope(i) = joint_.slope(m + i);
        }
        double quadratic = 0.0, log_determinant = 0.0;
        scaled_.eliminate(n);
        for (std::size_t k = 0; k < n; ++k) {
            const double pivot = scaled_.row(k)[k], slope = scaled_.slope(k);
            quadratic = quadratic + slope * slope / pivot;
            log_determinant = log_determinant + log_positive(pivot);
        }
        if (solutions != nullptr) {
            scaled_.substitute();
            for (std::size_t k = 0; k < n; ++k) solutions[t * n + k] = t2 * scaled_.slope(k);
        }
        return 0.5 * (t2 * quadratic) - 0.5 * log_determinant;
    }

    // The mean over scales and resolutions, less the posterior mean of its margins.
    void average(double total, double* mean) {
        const std::size_t n_scales = design_.squared_scales.size(), m = design_.n_margins;
        std::fill_n(mean, n_cells_, 0.0);
        for (std::size_t r = 0; r < design_.resolutions.size(); ++r) {
            const PairResolution& resolution = design_.resolutions[r];
            const std::size_t n = resolution.k_a * resolution.k_b;
            std::fill_n(effects_.begin(), n, 0.0);
            for (std::size_t t = 0; t < n_scales; ++t) {
                const double share = factors_[r * n_scales + t] / total;
                for (std::size_t e = 0; e < n; ++e)
                    effects_[e] = effects_[e] + share * solutions_[r][t * n + e];
            }
            spread(design_, resolution, effects_.data(), scratch_.data(), mean);
        }
        for (std::size_t p = 0; p < m; ++p) {
            double slope = 0.0;
            for (std::size_t c = 0; c < n_cells_; ++c) slope = slope + weighted_[p * n_cells_ + c] * mean[c];
            margins_.slope(p) = slope;
        }
        margins_.eliminate(m);
        margins_.substitute();
        for (std::size_t p = 0; p < m; ++p)
            for (std::size_t c = 0; c < n_cells_; ++c)
                mean[c] = mean[c] - design_.margins[p * n_cells_ + c] * margins_.slope(p);
    }

    const PairDesign& design_;
    std::size_t n_cells_;
    Quadratic margins_, joint_, scaled_;
    std::vector<double> weighted_, effects_, scratch_, by_cell_, factors_, products_, totals_;
    std::vector<std::vector<double>> solutions_;
};

}  // namespace

void fit_pair_tables(const PairDesign& design, const PairTables& tables, const Threads& threads) {
    const std::size_t n_cells = design.n_a * design.n_b;
    const auto run = [&](std::size_t begin, std::size_t end, int) {
        TableFit fit(design);
        for (std::size_t k = begin; k < end; ++k)
            tables.factors[k] = fit.fit(tables.gradient + k * n_cells, tables.curvature + k * n_cells,
                                        tables.means == nullptr ? nullptr : tables.means + k * n_cells);
    };
    run_blocks(tables.n_tables, 4, threads.n_threads, run, threads.poll);
}

void fit_pair_margins(const PairDesign& design, const PairTables& tables) {
    const std::size_t n_cells = design.n_a * design.n_b;
    TableFit fit(design);
    for (std::size_t k = 0; k < tables.n_tables; ++k)
        fit.margins(tables.gradient + k * n_cells, tables.curvature + k * n_cells,
                    tables.means + k * n_cells);
}

}  // namespace bayesieve
