"""The experiment's searches are the estimators' searches, and its errors are their predictions' errors."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from cases import plain_bayes
from draws import draws
from papers.small_problem import make_small
from sklearn.metrics import mutual_info_score

from bayesieve import NaiveBayesSelector
from bayesieve.papers.paper_004.filters import mrmr_ranking, mutual_information_ranking
from bayesieve.papers.paper_004.trace import Trace, count_errors, curve
from bayesieve.papers.paper_004.wrappers import Wrapper, run_guided_by_training

SEEDS = pytest.mark.parametrize("seed", range(draws(2, 4)))
CRITERIA = pytest.mark.parametrize("criterion", ["error", "error_probability", "log_loss"])


def frame(problem, sample):
    return pd.DataFrame(sample.indicators, columns=problem.names)


def fit(kind, problem, search, criterion, **parameters):
    model = kind(search, criterion, discretizer=None, tol=None, scoring="error", **parameters)
    held_out = {"X_val": frame(problem, problem.validation), "y_val": problem.validation.target}
    return model.fit(frame(problem, problem.train), problem.train.target, **held_out)


@SEEDS
@CRITERIA
@pytest.mark.parametrize("search", ["forward", "backward"])
def test_a_phase_is_the_selectors_search(search, criterion, seed):
    problem = make_small(seed)
    (trace,) = Wrapper(problem, criterion).run(search)
    selector = fit(NaiveBayesSelector, problem, search, criterion)
    assert [problem.names[column] for column, _ in trace.moves] == [step.column for step in selector.path_.steps]
    by_size = dict(zip(trace.sizes, trace.wrong_b, strict=True))
    results = selector.cv_results_
    errors = dict(zip(results["n_features"].tolist(), -results["mean_test_error"] * 120, strict=True))
    assert by_size == pytest.approx(errors)
    choice = trace.choose()
    least = min(errors.values())
    assert choice.size == min(size for size, wrong in errors.items() if wrong == least)


@SEEDS
@pytest.mark.parametrize("search", ["forward-backward", "backward-forward"])
def test_alternating_search_by_error_is_the_selectors_search(search, seed):
    problem = make_small(seed, n_columns=10)
    choice = Wrapper(problem, "error").run(search)[-1].choose()
    selector = fit(NaiveBayesSelector, problem, search, "error")
    assert {problem.names[j] for j in choice.columns} == set(selector.path_.order)


@SEEDS
def test_phases_start_from_the_choice_while_it_improves(seed):
    problem = make_small(seed, n_columns=10)
    traces = Wrapper(problem, "error_probability").run("forward-backward")
    choices = [trace.choose() for trace in traces]
    for before, after in zip(traces[1:], choices[:-1], strict=True):
        assert set(before.start) == set(after.columns)
    losses = [choice.loss for choice in choices]
    assert all(later < earlier for earlier, later in pairwise(losses[:-1]))
    assert len(losses) == 1 or losses[-1] == losses[-2]


@SEEDS
@CRITERIA
def test_errors_are_those_of_predictions(criterion, seed):
    problem = make_small(seed)
    (trace,) = Wrapper(problem, criterion).run("forward")
    model = fit(plain_bayes, problem, "forward", criterion)
    for size, wrong_b, wrong_test in zip(trace.sizes, trace.wrong_b, trace.wrong_test, strict=True):
        selected = model.select(size)
        for sample, wrong in ((problem.validation, wrong_b), (problem.test, wrong_test)):
            assert (selected.predict(frame(problem, sample)) != sample.target).sum() == wrong


@SEEDS
@pytest.mark.parametrize("search", ["forward", "backward-forward"])
def test_half_a_guides_and_half_b_chooses(search, seed):
    problem = make_small(seed, n_columns=10)
    traces = run_guided_by_training(problem, search, "error_probability")
    direction = search.split("-")[0]
    selector = NaiveBayesSelector(direction, "error_probability", cv=0, tol=None, discretizer=None)
    selector.fit(frame(problem, problem.train), problem.train.target)
    moves = [problem.names[column] for column, _ in traces[0].moves]
    assert moves == [step.column for step in selector.path_.steps]  # without a row of half B
    choices = [trace.choose() for trace in traces]
    for before, after in zip(choices, traces[1:], strict=False):
        assert set(after.start) == set(before.columns)
    losses = [choice.loss for choice in choices]
    assert len(losses) == 1 if search == "forward" else losses[-1] == losses[-2]


def test_ties_of_a_search_are_counted():
    problem = make_small(0)  # the last column is a copy of the first
    wrapper = Wrapper(problem, "error_probability")
    wrapper.run("forward")
    assert 0 < wrapper.tied_share("forward") == wrapper.tied_share("forward-backward") <= 2 / 7


def test_floating_search_drops_columns_and_ends():
    problem = make_small(1, n_columns=12)
    (trace,) = Wrapper(problem, "error_probability").run("floating")
    assert {sign for _, sign in trace.moves} <= {1, -1}
    assert trace.sizes[0] == 0
    assert max(trace.sizes) <= 12


@SEEDS
def test_rankings_equal_their_definitions(seed):
    sample = make_small(seed, n_rows=60).train
    columns, y = sample.indicators.T, sample.target
    relevance = [mutual_info_score(column, y) for column in columns]
    expected = sorted(range(len(columns)), key=lambda j: (-round(relevance[j], 12), j))
    assert mutual_information_ranking(sample) == expected
    selected = [expected[0]]
    while len(selected) < len(columns):
        worth = {
            j: round(relevance[j] - np.mean([mutual_info_score(columns[j], columns[s]) for s in selected]), 12)
            for j in range(len(columns))
            if j not in selected
        }
        selected.append(min(worth, key=lambda j: (-worth[j], j)))
    assert mrmr_ranking(sample) == selected


def test_curve_takes_the_best_on_half_b_of_each_size():
    first = Trace((), ((0, 1), (1, 1)), (0, 1, 2), (9, 5, 4), (90, 50, 40))
    second = Trace((0, 1), ((0, -1),), (2, 1), (4, 3), (41, 31))
    assert curve([first, second], 3) == [90, 31, 40, None]
    assert second.choose().columns == (1,)


def test_counting_errors_twice_is_the_same():
    problem = make_small(2)
    moves = [(3, 1), (0, 1), (3, -1)]
    assert count_errors(problem, (), moves) == count_errors(problem, (), moves)
    assert count_errors(problem, (), moves).wrong_b[-1] == count_errors(problem, (0,), []).wrong_b[0]
