#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "bayesieve/engine.hpp"
#include "bayesieve/layout.hpp"
#include "bayesieve/weighing.hpp"

namespace bayesieve_python {
namespace {

using bayesieve::Engine;
using bayesieve::Weighing;

bool has_column(const Engine& engine, std::int32_t column) {
    return column >= 0 && static_cast<std::size_t>(column) < engine.n_columns();
}

// Python's arrays of one segment, in the order of src/bayesieve/engine/memory.py.
bayesieve::RawSegment raw_segment(const nb::tuple& parts) {
    constexpr std::size_t n_arrays = 13;
    require(parts.size() == n_arrays, "a segment must have thirteen arrays");
    std::vector<Array> arrays;
    for (std::size_t i = 0; i < n_arrays; ++i) arrays.push_back(nb::cast<Array>(parts[i]));
    bayesieve::RawSegment raw{};
    raw.narrow = matrix_of<std::uint8_t>(arrays[0], "narrow must be a contiguous uint8 matrix");
    raw.wide = matrix_of<std::uint16_t>(arrays[1], "wide must be a contiguous uint16 matrix");
    raw.n_narrow = arrays[0].shape(0);
    raw.n_wide = arrays[1].shape(0);
    raw.n_rows = arrays[0].shape(1);
    require(arrays[1].shape(1) == raw.n_rows, "narrow and wide must have the same rows");
    raw.n_sparse = arrays[2].size();
    raw.n_entries = arrays[4].size();
    raw.common =
        vector_of<std::uint16_t>(arrays[2], raw.n_sparse, "common must be a contiguous uint16 vector");
    raw.begins =
        vector_of<std::int64_t>(arrays[3], raw.n_sparse + 1, "begins must have one entry more than common");
    raw.entry_rows =
        vector_of<std::int32_t>(arrays[4], raw.n_entries, "rows must be a contiguous int32 vector");
    raw.entry_codes = vector_of<std::uint16_t>(arrays[5], raw.n_entries, "codes must have one entry a row");
    raw.n_columns = arrays[6].size();
    raw.place = vector_of<std::int64_t>(arrays[6], raw.n_columns, "place must be a contiguous int64 vector");
    raw.offsets = vector_of<std::int64_t>(arrays[7], raw.n_columns + 1,
                                          "offsets must have one entry more than columns");
    raw.entries = matrix_of<std::int64_t>(arrays[8], "entries must be a contiguous int64 matrix");
    raw.n_classes = static_cast<int>(arrays[8].shape(1));
    require(raw.offsets[raw.n_columns] == static_cast<std::int64_t>(arrays[8].shape(0)),
            "entries must fit offsets");
    raw.start = vector_of<std::int64_t>(arrays[9], arrays[8].shape(1), "start must have one entry a class");
    raw.target = vector_of<std::int32_t>(arrays[10], raw.n_rows, "target must be a contiguous int32 vector");
    raw.weights =
        vector_of<std::int64_t>(arrays[11], raw.n_rows, "weights must be a contiguous int64 vector");
    raw.n_slopes = arrays[12].size();
    raw.slopes = vector_of<double>(arrays[12], raw.n_slopes, "slopes must be a contiguous float64 vector");
    raw.lasting = true;
    return raw;
}

// Checked, with rows in class order. A segment's slopes must be as many as `n_slopes` tells for its number of
// classes.
template <typename F>
std::vector<bayesieve::Segment> segments_of(const nb::tuple& segments, F&& n_slopes) {
    require(segments.size() > 0, "at least one segment is needed");
    std::vector<bayesieve::Segment> laid_out;
    std::size_t n_columns = 0;
    for (std::size_t s = 0; s < segments.size(); ++s) {
        const bayesieve::RawSegment raw = raw_segment(nb::cast<nb::tuple>(segments[s]));
        require(raw.n_slopes == n_slopes(raw.n_classes), "slopes must have one entry a measure");
        require(s == 0 || (raw.n_columns == n_columns && raw.n_classes == laid_out[0].n_classes),
                "segments must have the same columns and classes");
        n_columns = raw.n_columns;
        nb::gil_scoped_release release;
        const std::string fault = bayesieve::find_fault(raw);
        if (!fault.empty()) {
            nb::gil_scoped_acquire gil;
            throw nb::value_error(fault.c_str());
        }
        laid_out.push_back(bayesieve::lay_out(raw));
    }
    return laid_out;
}

std::unique_ptr<Engine> make_engine(const std::string& kernel, double argument, const nb::tuple& segments,
                                    int n_threads) {
    using bayesieve::Loss;
    static const std::map<std::string, Loss> losses{{"error", Loss::error},
                                                    {"error_probability", Loss::error_probability},
                                                    {"brier", Loss::brier},
                                                    {"log_loss", Loss::log_loss},
                                                    {"smoothed_log_loss", Loss::smoothed_log_loss}};
    const bool pairs = kernel == "pairs";
    require(pairs || losses.count(kernel) == 1, "no such kernel");
    require(kernel != "smoothed_log_loss" || (argument > 0.0 && std::isfinite(argument)),
            "the smoothed log loss takes a weight of rows");
    auto laid_out = segments_of(segments, [&](int n_classes) {
        return pairs && n_classes == 2 ? std::size_t{1} : static_cast<std::size_t>(n_classes);
    });
    nb::gil_scoped_release release;
    return std::make_unique<Engine>(std::move(laid_out),
                                    pairs ? bayesieve::Measure::pairs : bayesieve::Measure::losses,
                                    pairs ? Loss::error : losses.at(kernel), argument, n_threads);
}

// Changes of column weights, and where each move's begin; the arrays are checked and borrowed.
bayesieve::Moves moves_of(const Engine& engine, const Array& columns, const Array& before, const Array& after,
                          const Array& starts) {
    const std::size_t n = columns.size();
    require(starts.size() > 0, "starts must have one entry more than moves");
    const bayesieve::Moves moves{
        vector_of<std::int32_t>(columns, n, "columns must be a contiguous int32 vector"),
        vector_of<double>(before, n, "before must be a contiguous float64 vector"),
        vector_of<double>(after, n, "after must be a contiguous float64 vector"),
        vector_of<std::int64_t>(starts, starts.size(), "starts must be a contiguous int64 vector"),
        starts.size() - 1};
    require(moves.starts[0] == 0 && moves.starts[moves.n] == static_cast<std::int64_t>(n),
            "starts must run from 0 to the number of changes");
    for (std::size_t i = 0; i < moves.n; ++i)
        require(moves.starts[i] <= moves.starts[i + 1], "starts must not decrease");
    for (std::size_t k = 0; k < n; ++k) require(has_column(engine, moves.columns[k]), "no such column");
    return moves;
}

void apply(Engine& engine, const Array& columns, const Array& before, const Array& after, bool from_nothing) {
    const std::size_t n = columns.size();
    const auto* j = vector_of<std::int32_t>(columns, n, "columns must be a contiguous int32 vector");
    const auto* old_weights = vector_of<double>(before, n, "before must be a contiguous float64 vector");
    const auto* new_weights = vector_of<double>(after, n, "after must be a contiguous float64 vector");
    std::vector<bayesieve::Change> changes;
    for (std::size_t k = 0; k < n; ++k) {
        require(has_column(engine, j[k]), "no such column");
        changes.push_back({j[k], old_weights[k], new_weights[k]});
    }
    nb::gil_scoped_release release;
    if (from_nothing) engine.reset();
    engine.apply(changes);
}

static_assert(sizeof(bayesieve::Wide) == 16, "a measure is two 64-bit words");

nb::object measure_state(const Engine& engine) {
    std::uint64_t* words;
    nb::object result = zeros(nb::make_tuple(engine.n_segments(), engine.n_measures(), 2), "uint64", words);
    nb::gil_scoped_release release;
    engine.measure(reinterpret_cast<bayesieve::Wide*>(words));
    return result;
}

nb::object measure_moves(const Engine& engine, const Array& columns, const Array& before, const Array& after,
                         const Array& starts) {
    const auto moves = moves_of(engine, columns, before, after, starts);
    std::uint64_t* words;
    nb::object result =
        zeros(nb::make_tuple(moves.n, engine.n_segments(), engine.n_measures(), 2), "uint64", words);
    nb::gil_scoped_release release;
    Interruption interruption;
    engine.measure(moves, reinterpret_cast<bayesieve::Wide*>(words), [&] { interruption.poll(); });
    return result;
}

static_assert(sizeof(bayesieve::Estimate) == 16, "an estimate is two doubles");

nb::object estimate(Engine& engine, const Array& columns, const Array& before, const Array& after,
                    const Array& starts, int effort) {
    const auto moves = moves_of(engine, columns, before, after, starts);
    require(engine.can_estimate(), "this criterion is measured exactly only");
    for (std::size_t i = 0; i < moves.n; ++i)
        require(moves.starts[i + 1] - moves.starts[i] == 1, "only moves of one column can be estimated");
    double* numbers;
    nb::object result = zeros(nb::make_tuple(moves.n, 2), "float64", numbers);
    nb::gil_scoped_release release;
    Interruption interruption;
    engine.refresh(effort);
    engine.estimate(moves, effort, reinterpret_cast<bayesieve::Estimate*>(numbers),
                    [&] { interruption.poll(); });
    return result;
}

nb::object snapshot(const Engine& engine) {
    const std::vector<std::int64_t> state = engine.snapshot();
    std::int64_t* data;
    nb::object result = zeros(nb::make_tuple(state.size()), "int64", data);
    std::copy(state.begin(), state.end(), data);
    return result;
}

void restore(Engine& engine, const Array& token) {
    const auto* data = vector_of<std::int64_t>(token, engine.state_size(), "the token is of another engine");
    engine.restore(std::vector<std::int64_t>(data, data + token.size()));
}

std::unique_ptr<Weighing> make_weighing(const nb::tuple& segments, double unit, int n_threads) {
    require(unit > 0.0, "unit must be positive");
    auto laid_out = segments_of(segments, [](int n_classes) { return static_cast<std::size_t>(n_classes); });
    nb::gil_scoped_release release;
    return std::make_unique<Weighing>(std::move(laid_out), unit, std::max(1, n_threads));
}

void reset_weighing(Weighing& weighing, const Array& start, const Array& weights) {
    const auto* begin =
        vector_of<std::int64_t>(start, weighing.n_classes(), "start must have one entry a class");
    const auto* each =
        vector_of<double>(weights, weighing.n_columns(), "weights must have one entry a column");
    nb::gil_scoped_release release;
    Interruption interruption;
    weighing.reset(begin, each, [&] { interruption.poll(); });
}

const std::int32_t* columns_of(const Weighing& weighing, const Array& columns) {
    const auto* j =
        vector_of<std::int32_t>(columns, columns.size(), "columns must be a contiguous int32 vector");
    for (std::size_t k = 0; k < columns.size(); ++k)
        require(j[k] >= 0 && static_cast<std::size_t>(j[k]) < weighing.n_columns(), "no such column");
    return j;
}

nb::object slopes(Weighing& weighing, const Array& columns) {
    const auto* j = columns_of(weighing, columns);
    double *slopes, *curvatures;
    nb::object shown_slopes = zeros(nb::make_tuple(columns.size()), "float64", slopes);
    nb::object shown_curvatures = zeros(nb::make_tuple(columns.size()), "float64", curvatures);
    {
        nb::gil_scoped_release release;
        Interruption interruption;
        weighing.slopes(j, columns.size(), slopes, curvatures, [&] { interruption.poll(); });
    }
    return nb::make_tuple(shown_slopes, shown_curvatures);
}

int descend(Weighing& weighing, const Array& columns, const Array& penalties, double tolerance,
            int most_rounds) {
    const auto* j = columns_of(weighing, columns);
    const auto* each = vector_of<double>(penalties, columns.size(), "penalties must have one entry a column");
    nb::gil_scoped_release release;
    Interruption interruption;
    return weighing.descend(j, each, columns.size(), tolerance, most_rounds, [&] { interruption.poll(); });
}

template <typename Scalar>
nb::object copied(const std::vector<Scalar>& values, const char* dtype) {
    Scalar* data;
    nb::object result = zeros(nb::make_tuple(values.size()), dtype, data);
    std::copy(values.begin(), values.end(), data);
    return result;
}

nb::object losses_of(const Weighing& weighing) {
    std::uint64_t* words;
    nb::object result =
        zeros(nb::make_tuple(weighing.n_segments(), weighing.n_classes(), 2), "uint64", words);
    nb::gil_scoped_release release;
    weighing.losses(reinterpret_cast<bayesieve::Wide*>(words));
    return result;
}

}  // namespace

void bind_weighing(nb::module_& module) {
    nb::class_<Weighing>(module, "Weighing",
                         "Weights of columns, and how the log-likelihood changes with each.")
        .def(
            "__init__",
            [](Weighing* self, const nb::tuple& segments, double unit, int n_threads) {
                new (self) Weighing(std::move(*make_weighing(segments, unit, n_threads)));
            },
            nb::arg("segments"), nb::arg("unit"), nb::arg("n_threads"), nb::keep_alive<1, 2>())
        .def("reset", &reset_weighing, nb::arg("start"), nb::arg("weights"))
        .def("slopes", &slopes, nb::arg("columns"))
        .def("descend", &descend, nb::arg("columns"), nb::arg("penalties"), nb::arg("tolerance"),
             nb::arg("most_rounds"))
        .def("start", [](const Weighing& self) { return copied(self.start(), "int64"); })
        .def("weights", [](const Weighing& self) { return copied(self.weights(), "float64"); })
        .def("losses", &losses_of);
}

void bind_engine(nb::module_& module) {
    nb::class_<Engine>(module, "Engine",
                       "Beliefs about all rows of all segments, and what every move would make of them.")
        .def(
            "__init__",
            [](Engine* self, const std::string& kernel, double argument, const nb::tuple& segments,
               int n_threads) {
                new (self) Engine(std::move(*make_engine(kernel, argument, segments, n_threads)));
            },
            nb::arg("kernel"), nb::arg("argument"), nb::arg("segments"), nb::arg("n_threads"),
            nb::keep_alive<1, 4>())  // codes of rows in class order are not copied
        .def_prop_ro("can_estimate", &Engine::can_estimate)
        .def("apply", &apply, nb::arg("columns"), nb::arg("before"), nb::arg("after"),
             nb::arg("from_nothing"))
        .def("measure_state", &measure_state)
        .def("measure_moves", &measure_moves, nb::arg("columns"), nb::arg("before"), nb::arg("after"),
             nb::arg("starts"))
        .def("estimate", &estimate, nb::arg("columns"), nb::arg("before"), nb::arg("after"),
             nb::arg("starts"), nb::arg("effort"))
        .def("snapshot", &snapshot)
        .def("restore", &restore, nb::arg("token"));
    module.def("uses_avx2", &bayesieve::uses_avx2,
               "Whether the AVX2 kernels are in use (BAYESIEVE_SIMD=portable forbids).");
}

}  // namespace bayesieve_python
