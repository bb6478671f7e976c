// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/additive/pair_algebra.hpp"

#include <algorithm>
#include <array>
#include <utility>

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

std::size_t padded(std::size_t n) { return (n + kRowLanes - 1) / kRowLanes * kRowLanes; }

// The unknowns of a quadratic form.
class Quadratic {
  public:
    void resize(std::size_t n) {
        n_ = n, stride_ = padded(n);
        if (high_.size() < n * stride_) high_.resize(n * stride_), rows_.resize(4 * stride_);
        slope_.resize(n);
        for (std::size_t i = 0; i < n; ++i) {  // what kernels change outside the upper triangle
            std::fill(row(i) + i / kRowLanes * kRowLanes, row(i) + i, 0.0);
            std::fill(row(i) + n, row(i) + stride_, 0.0);
        }
    }

    double* row(std::size_t i) { return high_.data() + i * stride_; }
    double& slope(std::size_t i) { return slope_[i]; }

    // Those from unknown `first` on.
    SymmetricForm rest(std::size_t first) {
        return {row(first) + first, slope_.data() + first, n_ - first, stride_};
    }

    // Takes the first `end` unknowns out of the others, one after the other; their rows then hold the
    // factors right of the pivot, and slope(k) is that of unknown k given those after it.
    void eliminate(std::size_t end) { kernels().eliminate(rest(0), end, rows_.data()); }

    // After all have been eliminated: the maximum, in place of the slopes.
    void substitute() {
        for (std::size_t k = 0; k < n_; ++k) slope_[k] = slope_[k] / row(k)[k];
        for (std::size_t i = n_; i-- > 0;)
            for (std::size_t k = 0; k < i; ++k) slope_[k] = slope_[k] - row(k)[i] * slope_[i];
    }

  private:
    std::size_t n_ = 0, stride_ = 0;
    std::vector<double> high_, slope_, rows_;
};

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
    std::vector<double> totals(design.n_b);
    for (std::size_t u = 0; u < design.n_a; ++u) {
        std::fill(totals.begin(), totals.end(), 0.0);
        for (std::size_t i = 0; i < r.k_a; ++i)
            add_row(scratch + i * design.n_b, r.a[u * r.k_a + i], design.n_b, totals.data());
        add_row(totals.data(), 1.0, design.n_b, cells + u * design.n_b);
    }
}

// Memory that is kept from table to table: the system would clear its pages again for each call.
struct TableRoom {
    Quadratic margins, joint;
    std::vector<double> weighted, forms, by_bin, projected;

    static TableRoom& of_thread() {
        thread_local TableRoom room;
        return room;
    }
};

void make_room(std::vector<double>& room, std::size_t n) {
    if (room.size() < n) room.resize(n);
}

class TableFit {
  public:
    explicit TableFit(const PairDesign& design)
        : design_(design),
          room_(TableRoom::of_thread()),
          n_cells_(design.n_a * design.n_b),
          precision_(design.n_margins * design.width),
          effects_(n_cells_),
          scratch_(n_cells_) {
        make_room(room_.weighted, n_cells_ * design.width);
        for (std::size_t t = 0; t < design.squared_scales.size(); t += kFormLanes) {
            std::array<double, kFormLanes> variances{};  // those beyond are of no effects
            std::copy(design.squared_scales.begin() + static_cast<std::ptrdiff_t>(t),
                      design.squared_scales.begin() +
                          static_cast<std::ptrdiff_t>(std::min(t + kFormLanes, design.squared_scales.size())),
                      variances.begin());
            variances_.push_back(variances);
        }
        for (const PairResolution& r : design.resolutions)
            solutions_.emplace_back(variances_.size() * kFormLanes * r.n());
    }

    double fit(const double* gradient, const double* curvature, double* mean) {
        const std::size_t n_scales = design_.squared_scales.size();
        weigh(gradient, curvature);
        factors_.clear();
        for (std::size_t r = 0; r < design_.resolutions.size(); ++r) {
            join(design_.resolutions[r], curvature);
            room_.joint.eliminate(design_.n_margins);
            const SymmetricForm rest = room_.joint.rest(design_.n_margins);
            make_room(room_.forms, kFormLanes * (rest.n + 5) * rest.n);
            for (std::size_t g = 0; g < variances_.size(); ++g) {
                double factors[kFormLanes],
                    *means = mean == nullptr ? nullptr : solutions_[r].data() + g * kFormLanes * rest.n;
                kernels().fit_scales(rest, variances_[g].data(), room_.forms.data(), factors, means);
                factors_.insert(factors_.end(), factors,
                                factors + std::min(kFormLanes, n_scales - g * kFormLanes));
            }
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
        set_margins(room_.margins);
        room_.margins.eliminate(design_.n_margins);
        room_.margins.substitute();
        for (std::size_t p = 0; p < design_.n_margins; ++p)
            add_row(design_.margins.data() + p * n_cells_, room_.margins.slope(p), n_cells_, mean);
    }

  private:
    // HX and g of each cell, and X' times them
    void weigh(const double* gradient, const double* curvature) {
        const std::size_t m = design_.n_margins, width = design_.width;
        for (std::size_t c = 0; c < n_cells_; ++c) {
            double* own = room_.weighted.data() + c * width;
            for (std::size_t p = 0; p < width; ++p) own[p] = design_.by_cell[c * width + p] * curvature[c];
            own[m] = gradient[c];
        }
        kernels().multiply({design_.margins.data(), m, n_cells_, n_cells_, 1}, room_.weighted.data(), width,
                           precision_.data());
    }

    void set_margins(Quadratic& form) {
        form.resize(design_.n_margins);
        copy_margins(form);
    }

    // The first unknowns of a quadratic form: X'HX + I and X'g.
    void copy_margins(Quadratic& form) {
        const std::size_t m = design_.n_margins;
        for (std::size_t p = 0; p < m; ++p) {
            const double* own = precision_.data() + p * design_.width;
            std::copy(own + p, own + m, form.row(p) + p);
            form.row(p)[p] = own[p] + 1.0;
            form.slope(p) = own[m];
        }
    }

    // The quadratic form of margins (first) and effects of one resolution.
    void join(const PairResolution& r, const double* curvature) {
        const std::size_t m = design_.n_margins, width = design_.width, n = r.n();
        room_.joint.resize(m + n);
        copy_margins(room_.joint);
        make_room(room_.by_bin, design_.n_a * r.k_b * width), make_room(room_.projected, n * width);
        for (std::size_t u = 0; u < design_.n_a; ++u)
            kernels().multiply({r.b.data(), r.k_b, design_.n_b, 1, r.k_b},
                               room_.weighted.data() + u * design_.n_b * width, width,
                               room_.by_bin.data() + u * r.k_b * width);
        kernels().multiply({r.a.data(), r.k_a, design_.n_a, 1, r.k_a}, room_.by_bin.data(), r.k_b * width,
                           room_.projected.data());
        for (std::size_t e = 0; e < n; ++e) {
            const double* own = room_.projected.data() + e * width;
            for (std::size_t p = 0; p < m; ++p) room_.joint.row(p)[m + e] = own[p];
            room_.joint.slope(m + e) = own[m];
        }
        fill(r, curvature);
    }

    // R'HR: the product of two effects (i, j) and (k, l) is that of i and k times that of j and l.
    void fill(const PairResolution& r, const double* curvature) {
        const std::size_t m = design_.n_margins, width = r.width;
        make_room(room_.by_bin, design_.n_a * width), make_room(room_.projected, r.n_products * width);
        kernels().multiply({curvature, design_.n_a, design_.n_b, design_.n_b, 1}, r.of_b.data(), width,
                           room_.by_bin.data());
        kernels().multiply({r.of_a.data(), r.n_products, design_.n_a, 1, r.n_products}, room_.by_bin.data(),
                           width, room_.projected.data());
        const double* own = room_.projected.data();
        for (std::size_t i = 0; i < r.k_a; ++i)
            for (std::size_t k = 0; k <= i; ++k, own += width)
                for (std::size_t l = 0; l < r.k_b; ++l) {
                    const std::size_t first = k == i ? l : 0;
                    std::copy(own + l * r.k_b + first, own + (l + 1) * r.k_b,
                              room_.joint.row(m + k * r.k_b + l) + m + i * r.k_b + first);
                }
    }

    // The mean over scales and resolutions, less the posterior mean of its margins.
    void average(double total, double* mean) {
        const std::size_t n_scales = design_.squared_scales.size(), m = design_.n_margins;
        std::fill_n(mean, n_cells_, 0.0);
        for (std::size_t r = 0; r < design_.resolutions.size(); ++r) {
            const PairResolution& resolution = design_.resolutions[r];
            std::fill_n(effects_.begin(), resolution.n(), 0.0);
            for (std::size_t t = 0; t < n_scales; ++t) {
                const double share = factors_[r * n_scales + t] / total;
                const double* own =
                    solutions_[r].data() + t / kFormLanes * kFormLanes * resolution.n() + t % kFormLanes;
                for (std::size_t e = 0; e < resolution.n(); ++e)
                    effects_[e] = effects_[e] + share * own[e * kFormLanes];
            }
            spread(design_, resolution, effects_.data(), scratch_.data(), mean);
        }
        set_margins(room_.margins);
        slopes_.assign(design_.width, 0.0);
        for (std::size_t c = 0; c < n_cells_; ++c)
            add_row(room_.weighted.data() + c * design_.width, mean[c], m, slopes_.data());
        for (std::size_t p = 0; p < m; ++p) room_.margins.slope(p) = slopes_[p];
        room_.margins.eliminate(m);
        room_.margins.substitute();
        for (std::size_t p = 0; p < m; ++p)
            for (std::size_t c = 0; c < n_cells_; ++c)
                mean[c] = mean[c] - design_.margins[p * n_cells_ + c] * room_.margins.slope(p);
    }

    const PairDesign& design_;
    TableRoom& room_;
    std::size_t n_cells_;
    std::vector<double> precision_, effects_, scratch_, factors_, slopes_;
    std::vector<std::array<double, kFormLanes>> variances_;
    std::vector<std::vector<double>> solutions_;
};

}  // namespace

PairResolution::PairResolution(std::vector<double> a, std::vector<double> b, std::size_t k_a, std::size_t k_b)
    : a(std::move(a)),
      b(std::move(b)),
      k_a(k_a),
      k_b(k_b),
      n_products(k_a * (k_a + 1) / 2),
      width(padded(k_b * k_b)) {
    for (std::size_t u = 0; u < this->a.size(); u += k_a)
        for (std::size_t i = 0; i < k_a; ++i)
            for (std::size_t k = 0; k <= i; ++k) of_a.push_back(this->a[u + i] * this->a[u + k]);
    for (std::size_t v = 0; v < this->b.size(); v += k_b) {
        for (std::size_t l = 0; l < k_b; ++l)
            for (std::size_t j = 0; j < k_b; ++j) of_b.push_back(this->b[v + j] * this->b[v + l]);
        of_b.resize(of_b.size() + width - k_b * k_b, 0.0);
    }
}

PairDesign::PairDesign(std::size_t n_a, std::size_t n_b, std::size_t n_margins, std::vector<double> margins,
                       std::vector<PairResolution> resolutions, std::vector<double> squared_scales,
                       bool fills)
    : n_a(n_a),
      n_b(n_b),
      n_margins(n_margins),
      width(padded(n_margins + 1)),
      margins(std::move(margins)),
      by_cell(n_a * n_b * width, 0.0),
      resolutions(std::move(resolutions)),
      squared_scales(std::move(squared_scales)),
      fills(fills) {
    for (std::size_t p = 0; p < n_margins; ++p)
        for (std::size_t c = 0; c < n_a * n_b; ++c) by_cell[c * width + p] = this->margins[p * n_a * n_b + c];
}

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
