// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/pairs/pair_algebra.hpp"

#include <algorithm>

#include "bayesieve/elementary.hpp"
#include "bayesieve/pool.hpp"

namespace bayesieve {
namespace {

// A symmetric matrix by its lower triangle, and a vector: the unknowns of a quadratic form.
class Quadratic {
  public:
    void resize(std::size_t n) {
        n_ = n;
        low_.resize(n * n), slope_.resize(n), column_.resize(n);
    }

    double* row(std::size_t i) { return low_.data() + i * n_; }
    double& slope(std::size_t i) { return slope_[i]; }

    // Takes unknown k out of the rows below it; its column then holds the factors.
    void eliminate(std::size_t k, double pivot) {
        for (std::size_t i = k + 1; i < n_; ++i) column_[i] = row(i)[k];
        for (std::size_t i = k + 1; i < n_; ++i) {
            const double factor = column_[i] / pivot;
            double* out = row(i);
            for (std::size_t j = k + 1; j <= i; ++j) out[j] = out[j] - factor * column_[j];
            out[k] = factor;
            slope_[i] = slope_[i] - factor * slope_[k];
        }
    }

    // After all have been eliminated: the maximum, in place of the slopes.
    void substitute() {
        for (std::size_t k = 0; k < n_; ++k) slope_[k] = slope_[k] / row(k)[k];
        for (std::size_t i = n_; i-- > 0;) {
            const double* factors = row(i);
            for (std::size_t k = 0; k < i; ++k) slope_[k] = slope_[k] - factors[k] * slope_[i];
        }
    }

  private:
    std::size_t n_ = 0;
    std::vector<double> low_, slope_, column_;
};

// out (k_a, k_b) = A' cells B
void project(const PairDesign& design, const PairResolution& r, const double* cells, double* scratch,
             double* out) {
    for (std::size_t u = 0; u < design.n_a; ++u)
        for (std::size_t j = 0; j < r.k_b; ++j) {
            double total = 0.0;
            for (std::size_t v = 0; v < design.n_b; ++v)
                total = total + cells[u * design.n_b + v] * r.b[v * r.k_b + j];
            scratch[u * r.k_b + j] = total;
        }
    for (std::size_t i = 0; i < r.k_a; ++i)
        for (std::size_t j = 0; j < r.k_b; ++j) {
            double total = 0.0;
            for (std::size_t u = 0; u < design.n_a; ++u)
                total = total + r.a[u * r.k_a + i] * scratch[u * r.k_b + j];
            out[i * r.k_b + j] = total;
        }
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
          scratch_(n_cells_) {
        for (const PairResolution& r : design.resolutions)
            solutions_.emplace_back(design.squared_scales.size() * r.k_a * r.k_b);
    }

    double fit(const double* gradient, const double* curvature, double* mean) {
        weigh(gradient, curvature);
        factors_.clear();
        for (std::size_t r = 0; r < design_.resolutions.size(); ++r) {
            const PairResolution& resolution = design_.resolutions[r];
            join(resolution, gradient, curvature);
            for (std::size_t k = 0; k < design_.n_margins; ++k) joint_.eliminate(k, joint_.row(k)[k]);
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

  private:
    // X'H, X'HX + I and X'g
    void weigh(const double* gradient, const double* curvature) {
        const std::size_t m = design_.n_margins;
        margins_.resize(m);
        for (std::size_t p = 0; p < m; ++p) {
            const double* x = design_.margins.data() + p * n_cells_;
            double *row = margins_.row(p), *weighted = weighted_.data() + p * n_cells_, slope = 0.0;
            for (std::size_t c = 0; c < n_cells_; ++c) {
                weighted[c] = x[c] * curvature[c];
                slope = slope + x[c] * gradient[c];
            }
            for (std::size_t q = 0; q <= p; ++q) {
                const double* other = design_.margins.data() + q * n_cells_;
                double total = 0.0;
                for (std::size_t c = 0; c < n_cells_; ++c) total = total + weighted[c] * other[c];
                row[q] = total;
            }
            row[p] = row[p] + 1.0;
            margins_.slope(p) = slope;
        }
    }

    // The quadratic form of margins (first) and effects of one resolution.
    void join(const PairResolution& r, const double* gradient, const double* curvature) {
        const std::size_t m = design_.n_margins, n = r.k_a * r.k_b;
        joint_.resize(m + n);
        for (std::size_t p = 0; p < m; ++p) {
            std::copy_n(margins_.row(p), p + 1, joint_.row(p));
            joint_.slope(p) = margins_.slope(p);
            project(design_, r, weighted_.data() + p * n_cells_, scratch_.data(), effects_.data());
            for (std::size_t e = 0; e < n; ++e) joint_.row(m + e)[p] = effects_[e];
        }
        project(design_, r, gradient, scratch_.data(), effects_.data());
        for (std::size_t e = 0; e < n; ++e) joint_.slope(m + e) = effects_[e];
        fill(r, curvature);
    }

    // R'HR: the product of two effects (i, j) and (k, l) is that of i and k times that of j and l.
    void fill(const PairResolution& r, const double* curvature) {
        const std::size_t m = design_.n_margins;
        for (std::size_t j = 0; j < r.k_b; ++j)
            for (std::size_t l = 0; l <= j; ++l) {
                for (std::size_t u = 0; u < design_.n_a; ++u) {
                    double total = 0.0;
                    for (std::size_t v = 0; v < design_.n_b; ++v)
                        total = total +
                                (r.b[v * r.k_b + j] * r.b[v * r.k_b + l]) * curvature[u * design_.n_b + v];
                    scratch_[u] = total;
                }
                for (std::size_t i = 0; i < r.k_a; ++i)
                    for (std::size_t k = 0; k <= i; ++k) {
                        double total = 0.0;
                        for (std::size_t u = 0; u < design_.n_a; ++u)
                            total = total + (r.a[u * r.k_a + i] * r.a[u * r.k_a + k]) * scratch_[u];
                        joint_.row(m + i * r.k_b + j)[m + k * r.k_b + l] = total;
                        joint_.row(m + i * r.k_b + l)[m + k * r.k_b + j] = total;
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
            for (std::size_t j = 0; j <= i; ++j) out[j] = t2 * in[j];
            out[i] = out[i] + 1.0;
            scaled_.slope(i) = joint_.slope(m + i);
        }
        double quadratic = 0.0, log_determinant = 0.0;
        for (std::size_t k = 0; k < n; ++k) {
            const double pivot = scaled_.row(k)[k], slope = scaled_.slope(k);
            quadratic = quadratic + slope * slope / pivot;
            log_determinant = log_determinant + log_positive(pivot);
            scaled_.eliminate(k, pivot);
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
        for (std::size_t k = 0; k < m; ++k) margins_.eliminate(k, margins_.row(k)[k]);
        margins_.substitute();
        for (std::size_t p = 0; p < m; ++p)
            for (std::size_t c = 0; c < n_cells_; ++c)
                mean[c] = mean[c] - design_.margins[p * n_cells_ + c] * margins_.slope(p);
    }

    const PairDesign& design_;
    std::size_t n_cells_;
    Quadratic margins_, joint_, scaled_;
    std::vector<double> weighted_, effects_, scratch_, factors_;
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

}  // namespace bayesieve
