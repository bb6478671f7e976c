// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/engine/engine.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "bayesieve/engine/votes.hpp"
#include "segment_arrays.hpp"

namespace bayesieve_python {
namespace {

using bayesieve::Engine;

bool has_column(const Engine& engine, std::int32_t column) {
    return column >= 0 && static_cast<std::size_t>(column) < engine.n_columns();
}

// The rule of the voting model, from whole numbers in the order of src/bayesieve/models/votes.py.
bayesieve::MakeRows votes_of(const Array& arguments, const std::vector<bayesieve::Segment>& segments) {
    const auto* numbers =
        vector_of<std::int64_t>(arguments, arguments.size(), "arguments must be a contiguous int64 vector");
    require(arguments.size() == segments[0].columns.size() + 3,
            "votes take two numbers, and one for each number of columns");
    const bayesieve::VoteRule rule{numbers[0] != 0, numbers[1], {numbers + 2, numbers + arguments.size()}};
    require(rule.cap >= 1, "the cap must be positive");
    for (std::size_t k = 1; k < rule.decisive.size(); ++k)
        require(rule.decisive[k] >= 1 && rule.decisive[k] <= std::min<std::int64_t>(rule.cap, k),
                "of k columns, 1 to k votes can decide");
    for (const bayesieve::Segment& segment : segments) {
        require(segment.n_classes == 2, "votes are for two classes");
        for (const std::int64_t vote : segment.tables)
            require(vote > 0 && vote < (std::int64_t{1} << 50), "a vote must lie between 0 and 2^50");
        for (const std::int64_t share : segment.start)
            require(share > 0 && share < (std::int64_t{1} << 50),
                    "a class share must lie between 0 and 2^50");
    }
    return [rule](const bayesieve::Segment& segment) { return bayesieve::make_votes(segment, rule); };
}

std::unique_ptr<Engine> make_engine(const std::string& model, const Array& arguments,
                                    const std::string& kernel, double argument, const nb::tuple& segments,
                                    int n_threads) {
    using bayesieve::Loss, bayesieve::Measure;
    static const std::map<std::string, Loss> losses{{"error", Loss::error},
                                                    {"error_probability", Loss::error_probability},
                                                    {"brier", Loss::brier},
                                                    {"log_loss", Loss::log_loss},
                                                    {"smoothed_log_loss", Loss::smoothed_log_loss}};
    static const std::map<std::string, Measure> ranks{{"pairs", Measure::pairs},
                                                      {"refinement", Measure::refinement}};
    const bool ranking = ranks.count(kernel) == 1;
    require(ranking || losses.count(kernel) == 1, "no such kernel");
    require(kernel != "smoothed_log_loss" || (argument > 0.0 && std::isfinite(argument)),
            "the smoothed log loss takes a weight of rows");
    auto laid_out = segments_of(segments, [&](int n_classes) {
        return ranking && n_classes == 2 ? std::size_t{1} : static_cast<std::size_t>(n_classes);
    });
    require(model == "evidence" || model == "votes", "no such model");
    const bayesieve::MakeRows make_rows =
        model == "votes" ? votes_of(arguments, laid_out) : bayesieve::MakeRows(bayesieve::make_additive_rows);
    nb::gil_scoped_release release;
    return std::make_unique<Engine>(std::move(laid_out), ranking ? ranks.at(kernel) : Measure::losses,
                                    ranking ? Loss::error : losses.at(kernel), argument, n_threads,
                                    make_rows);
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

nb::object measure_moves(Engine& engine, const Array& columns, const Array& before, const Array& after,
                         const Array& starts) {
    const auto moves = moves_of(engine, columns, before, after, starts);
    std::uint64_t* words;
    nb::object result =
        zeros(nb::make_tuple(moves.n, engine.n_segments(), engine.n_measures(), 2), "uint64", words);
    nb::gil_scoped_release release;
    Interruption interruption;
    engine.refresh_leads();
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

template <typename Scalar>
nb::object moved(const std::vector<Scalar>& values, const nb::tuple& shape) {
    Scalar* data;
    nb::object result = zeros(shape, "int64", data);
    std::copy(values.begin(), values.end(), data);
    return result;
}

// For each move a list of pairs, keys and weights, of each segment and measure.
nb::object rank_tables(Engine& engine, const Array& columns, const Array& before, const Array& after,
                       const Array& starts) {
    const auto moves = moves_of(engine, columns, before, after, starts);
    require(engine.has_ranks(), "this criterion has no ranks");
    const std::size_t per_move = engine.n_segments() * engine.n_measures();
    std::vector<bayesieve::RankTable> tables(moves.n * per_move);
    {
        nb::gil_scoped_release release;
        Interruption interruption;
        engine.refresh(0);
        engine.tabulate(moves, tables.data(), [&] { interruption.poll(); });
    }
    nb::list all;
    for (std::size_t i = 0; i < moves.n; ++i) {
        nb::list own;
        for (std::size_t k = i * per_move; k < (i + 1) * per_move; ++k) {
            bayesieve::RankTable table = std::move(tables[k]);  // freed as soon as it is copied
            own.append(nb::make_tuple(moved(table.keys, nb::make_tuple(table.keys.size())),
                                      moved(table.weights, nb::make_tuple(table.keys.size(), 2))));
        }
        all.append(own);
    }
    return all;
}

nb::object key_ranges(Engine& engine) {
    require(engine.has_histograms(), "this criterion is measured exactly only");
    std::int64_t* ranges;
    nb::object result = zeros(nb::make_tuple(engine.n_segments(), engine.n_measures(), 3), "int64", ranges);
    nb::gil_scoped_release release;
    engine.refresh(0);
    engine.key_ranges(ranges);
    return result;
}

nb::object histograms(Engine& engine, const Array& columns, const Array& before, const Array& after,
                      const Array& starts, const Array& buckets, int n_buckets) {
    const auto moves = moves_of(engine, columns, before, after, starts);
    require(engine.has_histograms(), "this criterion is measured exactly only");
    for (std::size_t i = 0; i < moves.n; ++i)
        require(moves.starts[i + 1] - moves.starts[i] == 1, "only moves of one column can be estimated");
    const std::size_t n = moves.n * engine.n_segments() * engine.n_measures();
    require(buckets.ndim() == 4 && buckets.size() == 2 * n && buckets.dtype() == nb::dtype<std::int64_t>() &&
                c_contiguous(buckets),
            "buckets must be contiguous int64, two numbers per move, segment and ranked class");
    const auto* numbers = static_cast<const std::int64_t*>(buckets.data());
    for (std::size_t k = 0; k < n; ++k)
        require(numbers[2 * k + 1] >= 0 && numbers[2 * k + 1] < 40, "a bucket must have 0 to 39 bits");
    require(n_buckets > 0 && n_buckets <= 1 << 20, "there must be 1 to 2^20 buckets");
    std::int64_t* counts;
    nb::object result = zeros(
        nb::make_tuple(moves.n, engine.n_segments(), engine.n_measures(), 2, n_buckets + 1), "int64", counts);
    bool all_fit;
    {
        nb::gil_scoped_release release;
        Interruption interruption;
        engine.refresh(0);
        all_fit = engine.histograms(moves, numbers, static_cast<std::size_t>(n_buckets), counts,
                                    [&] { interruption.poll(); });
    }
    require(all_fit, "a key lies outside of all buckets");
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
    const auto* data = vector_of<std::int64_t>(token, token.size(), "a token is a contiguous int64 vector");
    require(engine.restore(std::vector<std::int64_t>(data, data + token.size())),
            "the token is of another engine");
}

}  // namespace

void bind_engine(nb::module_& module) {
    nb::class_<Engine>(module, "Engine",
                       "Beliefs about all rows of all segments, and what every move would make of them.")
        .def(
            "__init__",
            [](Engine* self, const std::string& model, const Array& arguments, const std::string& kernel,
               double argument, const nb::tuple& segments, int n_threads) {
                new (self)
                    Engine(std::move(*make_engine(model, arguments, kernel, argument, segments, n_threads)));
            },
            nb::arg("model"), nb::arg("arguments"), nb::arg("kernel"), nb::arg("argument"),
            nb::arg("segments"), nb::arg("n_threads"),
            nb::keep_alive<1, 6>())  // codes of rows in class order are not copied
        .def_prop_ro("can_estimate", &Engine::can_estimate)
        .def("apply", &apply, nb::arg("columns"), nb::arg("before"), nb::arg("after"),
             nb::arg("from_nothing"))
        .def("measure_state", &measure_state)
        .def("measure_moves", &measure_moves, nb::arg("columns"), nb::arg("before"), nb::arg("after"),
             nb::arg("starts"))
        .def("estimate", &estimate, nb::arg("columns"), nb::arg("before"), nb::arg("after"),
             nb::arg("starts"), nb::arg("effort"))
        .def("rank_tables", &rank_tables, nb::arg("columns"), nb::arg("before"), nb::arg("after"),
             nb::arg("starts"))
        .def("key_ranges", &key_ranges)
        .def("histograms", &histograms, nb::arg("columns"), nb::arg("before"), nb::arg("after"),
             nb::arg("starts"), nb::arg("buckets"), nb::arg("n_buckets"))
        .def("snapshot", &snapshot)
        .def("restore", &restore, nb::arg("token"));
    module.def(
        "vector_build", [] { return bayesieve::name_of(bayesieve::build_in_use()); },
        "The kernels in use: portable, avx2 or avx512 (BAYESIEVE_SIMD sets a limit).");
}

}  // namespace bayesieve_python
