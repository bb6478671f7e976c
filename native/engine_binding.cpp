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

namespace bayesieve_python {
namespace {

using bayesieve::Engine;

bool has_column(const Engine& engine, std::int32_t column) {
    return column >= 0 && static_cast<std::size_t>(column) < engine.n_columns();
}

// Python's arrays of one segment, in the order of src/bayesieve/engine/memory.py.
bayesieve::RawSegment raw_segment(const nb::tuple& parts) {
    require(parts.size() == 9, "a segment must have nine arrays");
    std::vector<Array> arrays;
    for (std::size_t i = 0; i < 9; ++i) arrays.push_back(nb::cast<Array>(parts[i]));
    bayesieve::RawSegment raw{};
    raw.narrow = matrix_of<std::uint8_t>(arrays[0], "narrow must be a contiguous uint8 matrix");
    raw.wide = matrix_of<std::uint16_t>(arrays[1], "wide must be a contiguous uint16 matrix");
    raw.n_narrow = arrays[0].shape(0);
    raw.n_wide = arrays[1].shape(0);
    raw.n_rows = arrays[0].shape(1);
    require(arrays[1].shape(1) == raw.n_rows, "narrow and wide must have the same rows");
    raw.n_columns = arrays[2].size();
    raw.place = vector_of<std::int64_t>(arrays[2], raw.n_columns, "place must be a contiguous int64 vector");
    raw.offsets = vector_of<std::int64_t>(arrays[3], raw.n_columns + 1,
                                          "offsets must have one entry more than columns");
    raw.entries = matrix_of<std::int64_t>(arrays[4], "entries must be a contiguous int64 matrix");
    raw.n_classes = static_cast<int>(arrays[4].shape(1));
    require(raw.offsets[raw.n_columns] == static_cast<std::int64_t>(arrays[4].shape(0)),
            "entries must fit offsets");
    raw.start = vector_of<std::int64_t>(arrays[5], arrays[4].shape(1), "start must have one entry a class");
    raw.target = vector_of<std::int32_t>(arrays[6], raw.n_rows, "target must be a contiguous int32 vector");
    raw.weights = vector_of<std::int64_t>(arrays[7], raw.n_rows, "weights must be a contiguous int64 vector");
    raw.n_slopes = arrays[8].size();
    raw.slopes = vector_of<double>(arrays[8], raw.n_slopes, "slopes must be a contiguous float64 vector");
    raw.lasting = true;
    return raw;
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
    require(segments.size() > 0, "at least one segment is needed");
    std::vector<bayesieve::Segment> laid_out;
    std::size_t n_columns = 0;
    for (std::size_t s = 0; s < segments.size(); ++s) {
        const bayesieve::RawSegment raw = raw_segment(nb::cast<nb::tuple>(segments[s]));
        const std::size_t slopes = pairs && raw.n_classes == 2 ? 1 : static_cast<std::size_t>(raw.n_classes);
        require(raw.n_slopes == slopes, "slopes must have one entry a measure");
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
    engine.refresh();
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

nb::object estimate(const Engine& engine, const Array& columns, const Array& before, const Array& after,
                    const Array& starts, int effort) {
    const auto moves = moves_of(engine, columns, before, after, starts);
    require(engine.can_estimate(), "this criterion is measured exactly only");
    for (std::size_t i = 0; i < moves.n; ++i)
        require(moves.starts[i + 1] - moves.starts[i] == 1, "only moves of one column can be estimated");
    double* numbers;
    nb::object result = zeros(nb::make_tuple(moves.n, 2), "float64", numbers);
    nb::gil_scoped_release release;
    Interruption interruption;
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
    engine.refresh();
}

}  // namespace

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
