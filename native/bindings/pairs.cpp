// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <utility>
#include <vector>

#include "additive_arrays.hpp"
#include "arrays.hpp"
#include "bayesieve/additive/cell_sums.hpp"
#include "bayesieve/additive/cross_fit.hpp"
#include "bayesieve/additive/pair_algebra.hpp"
#include "bayesieve/additive/pair_screen.hpp"

namespace bayesieve_python {
namespace {

bayesieve::PairCodes pair_codes(const Array& codes) {
    const auto* values = matrix_of<std::uint8_t>(codes, "codes must be a contiguous uint8 matrix");
    return {values, codes.shape(0), codes.shape(1)};
}

bayesieve::RowSlopes row_slopes(const Array& gradient, const Array& curvature, std::size_t n_rows) {
    return {vector_of<std::int64_t>(gradient, n_rows, "gradient must have one int64 per row"),
            vector_of<std::int64_t>(curvature, n_rows, "curvature must have one int64 per row")};
}

nb::object pair_sums(const Array& codes, const Array& pairs, const Array& gradient, const Array& curvature,
                     int n_threads) {
    const bayesieve::PairCodes columns = pair_codes(codes);
    const auto* positions = matrix_of<std::int64_t>(pairs, "pairs must be a contiguous int64 matrix");
    require(pairs.shape(1) == 2, "pairs must have two columns");
    const std::size_t n_pairs = pairs.shape(0), n_rows = columns.n_rows;
    for (std::size_t i = 0; i < 2 * n_pairs; ++i) {
        require(0 <= positions[i] && positions[i] < static_cast<std::int64_t>(columns.n_columns),
                "pairs must hold positions of columns");
        const std::uint8_t* column = columns.codes + static_cast<std::size_t>(positions[i]) * n_rows;
        require(bayesieve::all_below(column, n_rows, bayesieve::kPairBins), "codes must be below 8");
    }
    const bayesieve::RowSlopes slopes = row_slopes(gradient, curvature, n_rows);
    std::int64_t* sums = nullptr;
    nb::object out =
        zeros(nb::make_tuple(n_pairs, bayesieve::kPairBins, bayesieve::kPairBins, 2), "int64", sums);
    nb::gil_scoped_release release;
    Interruption interruption;
    bayesieve::pair_sums(columns, positions, n_pairs, slopes, sums,
                         {n_threads, [&] { interruption.poll(); }});
    return out;
}

bayesieve::ScoredRows scored_rows(const Array& scores, const Array& target, const Array& weights) {
    const auto* z = matrix_of<double>(scores, "scores must be a contiguous float64 matrix");
    const std::size_t n = scores.shape(0), n_scores = scores.shape(1);
    const auto* truth = vector_of<double>(target, n, "target must be a float64 vector, an entry per row");
    require(n_scores > 0, "scores must have a column");
    require_classes(truth, n, n_scores);
    return {z, truth, vector_of<std::int64_t>(weights, n, "weights must be a contiguous int64 vector"), n,
            n_scores};
}

// rows: scores, classes, weights.
nb::tuple row_derivatives(const char* loss, const nb::tuple& rows, double gradient_steps, double loss_steps) {
    require(rows.size() == 3, "rows must be three arrays");
    const auto scores = nb::cast<Array>(rows[0]), target = nb::cast<Array>(rows[1]),
               weights = nb::cast<Array>(rows[2]);
    const bayesieve::ScoredRows checked = scored_rows(scores, target, weights);
    const auto kept = loss_of(loss, checked.n_scores);
    const bayesieve::AdditiveLoss& own = *kept;
    std::int64_t *gradient = nullptr, *curvature = nullptr, *losses = nullptr;
    nb::object first = zeros(nb::make_tuple(checked.n_scores, checked.n_rows), "int64", gradient);
    nb::object second = zeros(nb::make_tuple(checked.n_scores, checked.n_rows), "int64", curvature);
    nb::object third = zeros(nb::make_tuple(checked.n_rows), "int64", losses);
    {
        nb::gil_scoped_release release;
        bayesieve::row_derivatives(own, checked, {gradient_steps, loss_steps}, gradient, curvature, losses);
    }
    return nb::make_tuple(first, second, third);
}

// Codes of the two columns, scores, classes, weights, folds.
class CheckedFoldRows {
  public:
    explicit CheckedFoldRows(const nb::tuple& rows) {
        constexpr std::size_t n_arrays = 6;
        require(rows.size() == n_arrays, "rows must be six arrays");
        for (std::size_t i = 0; i < n_arrays; ++i) kept_.push_back(nb::cast<Array>(rows[i]));
        const std::size_t n = kept_[0].size();
        raw = {vector_of<std::uint8_t>(kept_[0], n, "codes must be contiguous uint8 vectors"),
               vector_of<std::uint8_t>(kept_[1], n, "codes must be contiguous uint8 vectors"),
               scored_rows(kept_[2], kept_[3], kept_[4]),
               vector_of<std::uint8_t>(kept_[5], n, "folds must be a contiguous uint8 vector")};
        require(raw.scored.n_rows == n, "scores must have a row per code");
    }

    void require_cells(std::size_t n_a, std::size_t n_b) const {
        const std::size_t n = raw.scored.n_rows;
        require(bayesieve::all_below(raw.a, n, n_a) && bayesieve::all_below(raw.b, n, n_b),
                "codes must be cells of the tables");
    }

    bayesieve::FoldRows raw{};

  private:
    std::vector<Array> kept_;
};

nb::tuple fold_sums(const char* loss, const nb::tuple& rows, const Array& tables, double gradient_steps,
                    double loss_steps, int n_threads) {
    const CheckedFoldRows checked(rows);
    require(tables.ndim() == 4 && tables.dtype() == nb::dtype<double>() && c_contiguous(tables),
            "tables must be a contiguous float64 array of four dimensions");
    require(tables.shape(3) == checked.raw.scored.n_scores,
            "tables must have the scores of a row in each cell");
    const auto kept = loss_of(loss, checked.raw.scored.n_scores);
    const bayesieve::AdditiveLoss& own = *kept;
    const bayesieve::FoldTables shapes = {static_cast<const double*>(tables.data()),
                                          tables.shape(0),
                                          tables.shape(1),
                                          tables.shape(2),
                                          {gradient_steps, loss_steps}};
    checked.require_cells(shapes.n_a, shapes.n_b);
    std::int64_t *sums = nullptr, *losses = nullptr;
    nb::object of_cells =
        zeros(nb::make_tuple(shapes.n_tables, shapes.n_a, shapes.n_b, tables.shape(3), 2), "int64", sums);
    nb::object of_tables = zeros(nb::make_tuple(shapes.n_tables), "int64", losses);
    {
        nb::gil_scoped_release release;
        Interruption interruption;
        bayesieve::fold_sums(own, checked.raw, shapes, sums, losses,
                             {n_threads, [&] { interruption.poll(); }});
    }
    return nb::make_tuple(of_cells, of_tables);
}

class PairScreen {
  public:
    PairScreen(const Array& codes, const Array& n_bins, const Array& contrasts, const Array& halves,
               const Array& squared_scales, double ridge)
        : n_rows_(codes.shape(1)),
          screen_(checked(codes, n_bins, contrasts, halves, squared_scales, ridge)) {}

    nb::object factors(const nb::tuple& slopes, double unit, std::size_t first, std::size_t last,
                       int n_threads) const {
        require(slopes.size() == 2, "slopes must be two arrays");
        const auto gradient = nb::cast<Array>(slopes[0]), curvature = nb::cast<Array>(slopes[1]);
        const bayesieve::RowSlopes of_rows = row_slopes(gradient, curvature, n_rows_);
        require(first <= last && last <= screen_.n_doubles(), "first and last must be double columns");
        double* factors = nullptr;
        nb::object out = zeros(nb::make_tuple(screen_.n_pairs(first, last)), "float64", factors);
        nb::gil_scoped_release release;
        Interruption interruption;
        screen_.factors(of_rows, unit, first, last, factors, {n_threads, [&] { interruption.poll(); }});
        return out;
    }

  private:
    static bayesieve::PairScreen checked(const Array& codes, const Array& n_bins, const Array& contrasts,
                                         const Array& halves, const Array& squared_scales, double ridge) {
        constexpr std::size_t n = bayesieve::kScreenBins;
        const bayesieve::PairCodes columns = pair_codes(codes);
        const auto* sizes = vector_of<std::int64_t>(n_bins, columns.n_columns, "n_bins must be int64");
        for (std::size_t j = 0; j < columns.n_columns; ++j) {
            require(1 <= sizes[j] && sizes[j] <= static_cast<std::int64_t>(n), "n_bins must be from 1 to 4");
            require(bayesieve::all_below(columns.codes + j * columns.n_rows, columns.n_rows,
                                         static_cast<std::size_t>(sizes[j])),
                    "codes must be below n_bins");
        }
        const bayesieve::ScreenBasis basis = {
            vector_of<double>(contrasts, (n + 1) * n * n, "contrasts must be a float64 vector of 80"),
            vector_of<double>(halves, (n + 1) * (n - 1), "halves must be a float64 vector of 15"),
            vector_of<double>(squared_scales, bayesieve::kScreenScales, "squared_scales must be four"),
            ridge};
        return bayesieve::PairScreen(columns, sizes, basis);
    }

    std::size_t n_rows_;
    bayesieve::PairScreen screen_;
};

// roots: two matrices (n_a, k_a) and (n_b, k_b) per resolution.
class PairAlgebra {
  public:
    PairAlgebra(std::size_t n_a, std::size_t n_b, const Array& margins, const nb::tuple& roots,
                const Array& squared_scales, bool fills)
        : design_(checked(n_a, n_b, margins, roots, squared_scales, fills)) {}

    nb::tuple fit(const Array& gradient, const Array& curvature, bool with_means, int n_threads) const {
        bayesieve::PairTables tables = of_sums(gradient, curvature);
        const std::size_t n = tables.n_tables;
        nb::object factors = zeros(nb::make_tuple(n), "float64", tables.factors);
        nb::object means = zeros(nb::make_tuple(with_means ? n : 0, n_cells()), "float64", tables.means);
        if (!with_means) tables.means = nullptr;
        {
            nb::gil_scoped_release release;
            Interruption interruption;
            bayesieve::fit_pair_tables(design_, tables, {n_threads, [&] { interruption.poll(); }});
        }
        return nb::make_tuple(factors, means);
    }

    nb::object margins(const Array& gradient, const Array& curvature) const {
        bayesieve::PairTables tables = of_sums(gradient, curvature);
        nb::object means = zeros(nb::make_tuple(tables.n_tables, n_cells()), "float64", tables.means);
        nb::gil_scoped_release release;
        bayesieve::fit_pair_margins(design_, tables);
        return means;
    }

    // rows: as those of fold_sums; steps: of derivatives and losses, and what one of each is worth.
    nb::object cross_fit(const char* loss, const nb::tuple& rows, const Array& start, const nb::tuple& steps,
                         std::size_t n_steps, int n_threads) const {
        const CheckedFoldRows checked(rows);
        require(steps.size() == 4, "steps must be four numbers");
        const auto step = [&](std::size_t i) { return nb::cast<double>(steps[i]); };
        const bayesieve::DerivativeSteps of_rows = {step(0), step(1)};
        const bayesieve::NewtonSteps newton = {step(2), step(3), n_steps};
        const auto* from = matrix_of<double>(start, "start must be a contiguous float64 matrix");
        const std::size_t n_scores = checked.raw.scored.n_scores;
        const auto kept = loss_of(loss, n_scores);
        const bayesieve::AdditiveLoss& own = *kept;
        require(start.shape(1) == n_cells() * n_scores, "start must have one column per cell and score");
        checked.require_cells(design_.n_a, design_.n_b);
        double* tables = nullptr;
        nb::object out = zeros(nb::make_tuple(start.shape(0), start.shape(1)), "float64", tables);
        std::copy(from, from + start.size(), tables);
        nb::gil_scoped_release release;
        Interruption interruption;
        bayesieve::cross_fit(own, design_, checked.raw, of_rows, newton, tables, start.shape(0),
                             {n_threads, [&] { interruption.poll(); }});
        return out;
    }

  private:
    static bayesieve::PairDesign checked(std::size_t n_a, std::size_t n_b, const Array& margins,
                                         const nb::tuple& roots, const Array& squared_scales, bool fills) {
        const auto* x = matrix_of<double>(margins, "margins must be a contiguous float64 matrix");
        require(n_a > 0 && n_b > 0 && margins.shape(1) == n_a * n_b, "margins must have one entry per cell");
        std::vector<bayesieve::PairResolution> resolutions;
        for (const nb::handle pair : roots) {
            const auto both = nb::cast<nb::tuple>(pair);
            require(both.size() == 2, "roots must be two matrices per resolution");
            const auto a = nb::cast<Array>(both[0]), b = nb::cast<Array>(both[1]);
            const auto *of_a = matrix_of<double>(a, "roots must be contiguous float64 matrices"),
                       *of_b = matrix_of<double>(b, "roots must be contiguous float64 matrices");
            require(a.shape(0) == n_a && b.shape(0) == n_b && a.shape(1) <= n_a && b.shape(1) <= n_b &&
                        a.size() > 0 && b.size() > 0,
                    "roots must have one row per bin and at most as many columns");
            resolutions.emplace_back(std::vector<double>{of_a, of_a + a.size()},
                                     std::vector<double>{of_b, of_b + b.size()}, a.shape(1), b.shape(1));
        }
        require(!resolutions.empty() && squared_scales.size() > 0, "roots and scales must not be empty");
        const auto* scales =
            vector_of<double>(squared_scales, squared_scales.size(), "squared_scales must be float64");
        return {n_a,
                n_b,
                margins.shape(0),
                {x, x + margins.size()},
                std::move(resolutions),
                {scales, scales + squared_scales.size()},
                fills};
    }

    std::size_t n_cells() const { return design_.n_a * design_.n_b; }

    bayesieve::PairTables of_sums(const Array& gradient, const Array& curvature) const {
        bayesieve::PairTables tables{};
        tables.gradient = matrix_of<double>(gradient, "gradient must be a contiguous float64 matrix");
        tables.curvature = matrix_of<double>(curvature, "curvature must be a contiguous float64 matrix");
        tables.n_tables = gradient.shape(0);
        require(gradient.shape(1) == n_cells() && curvature.shape(1) == n_cells() &&
                    curvature.shape(0) == tables.n_tables,
                "gradient and curvature must have one column per cell");
        return tables;
    }

    bayesieve::PairDesign design_;
};

}  // namespace

void bind_pairs(nb::module_& module) {
    module.def("pair_sums", &pair_sums, nb::arg("codes"), nb::arg("pairs"), nb::arg("gradient"),
               nb::arg("curvature"), nb::arg("n_threads"),
               "Sums of derivatives per cell of pairs of columns.");
    module.def("row_derivatives", &row_derivatives, nb::arg("loss"), nb::arg("rows"),
               nb::arg("gradient_steps"), nb::arg("loss_steps"),
               "Derivatives and losses of rows, times their weights.");
    module.def("fold_sums", &fold_sums, nb::arg("loss"), nb::arg("rows"), nb::arg("tables"),
               nb::arg("gradient_steps"), nb::arg("loss_steps"), nb::arg("n_threads"),
               "Sums of derivatives and losses of the training rows of tables of one pair.");
    nb::class_<PairAlgebra>(module, "PairAlgebra")
        .def(nb::init<std::size_t, std::size_t, const Array&, const nb::tuple&, const Array&, bool>(),
             nb::arg("n_a"), nb::arg("n_b"), nb::arg("margins"), nb::arg("roots"), nb::arg("squared_scales"),
             nb::arg("fills"))
        .def("fit", &PairAlgebra::fit, nb::arg("gradient"), nb::arg("curvature"), nb::arg("with_means"),
             nb::arg("n_threads"), "Log Bayes factors and posterior means of tables of one shape.")
        .def("cross_fit", &PairAlgebra::cross_fit, nb::arg("loss"), nb::arg("rows"), nb::arg("start"),
             nb::arg("steps"), nb::arg("n_steps"), nb::arg("n_threads"),
             "Posterior means of tables of one pair, by Newton steps.")
        .def("margins", &PairAlgebra::margins, nb::arg("gradient"), nb::arg("curvature"),
             "Posterior means of the margins of tables of one shape.");
    nb::class_<PairScreen>(module, "PairScreen")
        .def(nb::init<const Array&, const Array&, const Array&, const Array&, const Array&, double>(),
             nb::arg("codes"), nb::arg("n_bins"), nb::arg("contrasts"), nb::arg("halves"),
             nb::arg("squared_scales"), nb::arg("ridge"))
        .def("factors", &PairScreen::factors, nb::arg("slopes"), nb::arg("unit"), nb::arg("first"),
             nb::arg("last"), nb::arg("n_threads"), "Log Bayes factors of all pairs on at most 4 x 4 cells.");
}

}  // namespace bayesieve_python
