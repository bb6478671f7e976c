"""A search that was stopped anywhere and resumed is the search that was never stopped."""

import json
import shutil
import warnings
from functools import cache

import numpy as np
import pytest
from cases import make_segments, random_case
from cut_tables import cut, mixed_table
from draws import draws, meetings
from sklearn.base import clone

from bayesieve import BoostSelector, NaiveBayesSelector, SelectiveNaiveBayes, VoteClassifier
from bayesieve.data.document import seal
from bayesieve.exceptions import CheckpointError, InterruptedSearchWarning
from bayesieve.models import NaiveBayes
from bayesieve.search import (
    SEARCHES,
    Checkpoint,
    FeatureGroup,
    Observer,
    SearchRun,
    SearchSpace,
    SearchState,
    Stopping,
    StopSearch,
    run,
    run_search,
)
from bayesieve.search.criteria import CRITERIA
from bayesieve.search.engine import ReferenceEngine

searches = pytest.mark.parametrize("search", SEARCHES)
STOPPINGS = [Stopping(0, 6, tol=None), Stopping(0, 6), Stopping(3, 3, forced=True)]


class Stopper(Observer):
    """Stops at the n-th call of one kind."""

    def __init__(self, kind, n):
        self._kind, self._left = kind, n

    def on_step(self, step, n_steps):
        self._count("step")

    def on_scores(self, subset, moves, scores):
        self._count("scores")

    def on_phase(self, phase):
        self._count("phase")

    def _count(self, kind):
        self._left -= kind == self._kind
        if kind == self._kind and self._left == 0:
            raise StopSearch


class CountingEngine(ReferenceEngine):
    """Counts the batches that it is asked to score."""

    n_batches = 0

    def score(self, moves, **options):
        self.n_batches += 1
        return super().score(moves, **options)


@cache
def segments():
    return make_segments(random_case(np.random.default_rng(16), n_columns=6, n_rows=35))


def follow(search, stopping, place=None, stopper=None):
    """Return the path of a search and the number of batches that were scored for it."""
    engine = CountingEngine(segments(), NaiveBayes(), CRITERIA["brier"])
    names = tuple(f"c{j}" for j in range(6))
    units = tuple(FeatureGroup(name, (j,)) for j, name in enumerate(names))
    start = tuple(range(6)) if SEARCHES[search].starts_full else ()
    driver = SearchRun(None if place is None else Checkpoint(place, "mark"), [stopper] if stopper else [])
    state = SearchState(engine, SearchSpace(units, names, start), driver)
    path = run_search(SEARCHES[search], state, stopping, CRITERIA["brier"])
    return path, engine.n_batches


@searches
@pytest.mark.parametrize(("stopping", "kind"), meetings(STOPPINGS, ["step", "scores", "phase"]))
def test_a_search_stopped_anywhere_resumes_to_the_same_end(search, stopping, kind, tmp_path):
    path, n_batches = follow(search, stopping)
    assert path.complete
    for n in range(1, 100, 1 if kind == "phase" else draws(5, 1)):  # phases are few
        place = tmp_path / f"{n}.json"
        partial, n_before = follow(search, stopping, place, Stopper(kind, n))
        if partial.complete:
            break
        resumed, n_after = follow(search, stopping, place)
        assert resumed == path
        # Batches are scored again only if the stop came between their scores and the note of their answer; moves that
        # are tried in turn have one answer for batches of 1, 2 and 4.
        again = n_before + n_after - n_batches
        assert (kind == "scores") <= again <= (kind == "scores") * (3 if SEARCHES[search].n_starts else 1)
    assert n > 1


@searches
def test_a_search_stopped_at_every_step_arrives(search, tmp_path):
    expected, _ = follow(search, STOPPINGS[0])
    for n in range(1, 100):
        path, _ = follow(search, STOPPINGS[0], tmp_path / "one.json", Stopper("step", n))
        if path.complete:
            break
        assert path.steps == expected.steps[:n]
    assert path == expected


def sealed(journal):
    """Return the text of a changed journal, with the checksum of its content."""
    return json.dumps(seal({key: value for key, value in journal.items() if key != "checksum"}, finite=False))


@searches
def test_any_beginning_of_a_journal_leads_to_the_same_end(search, tmp_path):
    place = tmp_path / "whole.json"
    path, n_batches = follow(search, STOPPINGS[1], place)
    journal = json.loads(place.read_text())
    n_answers = len(journal["answers"])
    assert n_answers == n_batches or SEARCHES[search].n_starts
    n_left = n_batches
    for n in range(n_answers + 1):
        cut = tmp_path / f"{n}.json"
        cut.write_text(sealed({**journal, "answers": journal["answers"][:n]}))
        resumed, n_again = follow(search, STOPPINGS[1], cut)
        assert resumed == path
        assert n_again == n_left if n_answers == n_batches else n_again <= n_left
        n_left = n_again - 1
    assert n_left == -1


@searches
def test_an_estimator_interrupted_and_fitted_again_tells_the_same_story(search, tmp_path, monkeypatch):
    rng = np.random.default_rng(9)
    X, y = rng.integers(0, 3, (60, 6)), rng.integers(0, 3, 60)
    X[:, 2] = np.where(rng.random(60) < 0.6, y, X[:, 2])
    given = {"tol": None, "discretizer": None, "backend": "reference"}
    whole = NaiveBayesSelector(search, **given).fit(X, y)
    score = ReferenceEngine.score

    for n in range(1, 6, draws(3, 1)):
        place = tmp_path / f"{n}.json"
        calls = iter(range(1, 1000))

        def interrupted(self, moves, n=n, calls=calls, **options):
            if next(calls) == n:
                raise KeyboardInterrupt
            return score(self, moves, **options)

        monkeypatch.setattr(ReferenceEngine, "score", interrupted)
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            partial = NaiveBayesSelector(search, **given, checkpoint=place).fit(X, y)
        assert any(warning.category is InterruptedSearchWarning for warning in seen)
        assert not partial.path_.complete
        monkeypatch.setattr(ReferenceEngine, "score", score)
        resumed = NaiveBayesSelector(search, **given, checkpoint=place).fit(X, y)
        assert resumed.path_ == whole.path_
        assert resumed.why_ == whole.why_
        assert resumed.support_.tolist() == whole.support_.tolist()


FITS = {
    "penalized": SelectiveNaiveBayes(),
    "penalized, each row left out": SelectiveNaiveBayes(cv=0),
    "penalized, kept columns": SelectiveNaiveBayes(keep="x1", start_from=["few"], n_features=4, one_se=True),
    "penalized after a search": SelectiveNaiveBayes(search="forward", tol=None),
    "fractional": SelectiveNaiveBayes(weights="fractional"),
    "fractional after a search": SelectiveNaiveBayes(weights="fractional", n_features=4),
    "averaged": SelectiveNaiveBayes(weights="averaged", search="forward"),
    "averaged, random orders": SelectiveNaiveBayes(weights="averaged"),
    "boosted": BoostSelector("logit", n_features=3, replace=True, shrinkage=0.5, cv=3),
    "boosted on its rows": BoostSelector("confidence", n_features=3, cv=0),
    "votes": VoteClassifier(votes="majority", n_features=3),
    "search": NaiveBayesSelector("floating", tol=None, cv=3),
}


class Clock:
    """A clock that is one second later whenever it is read."""

    def __init__(self):
        self._now = 0.0

    def monotonic(self):
        self._now += 1.0
        return self._now


@pytest.fixture
def ticking(monkeypatch):
    monkeypatch.setattr(run, "time", Clock())


def outcome_of(model, table):
    """Return all that a fit decides."""
    kept = [
        model.path_,
        model.why_,
        model.support_.tolist(),
        model.n_features_,
        getattr(model, "feature_weights_", None),
    ]
    kept += [{name: np.asarray(values).tolist() for name, values in model.cv_results_.items()}]
    for k in model.path_.best_by_size():
        chosen = model.select(k)
        weights = getattr(chosen, "feature_weights_", None)
        kept += [weights, chosen.predict_proba(table).tolist() if hasattr(chosen, "predict_proba") else None]
    return kept


def fit_quietly(estimator, X, y, **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clone(estimator).set_params(**parameters).fit(X, y)


# One move at a time, as in random orders, is refused for rows in blocks.
PLACES = dict.fromkeys((name, blocks and "random" not in name) for name, blocks in meetings(FITS, [False, True]))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "blocks"), PLACES)
def test_every_fit_out_of_time_resumes_to_the_same_bits(name, blocks, tmp_path, ticking):
    table, y = mixed_table()
    data = (cut(table, y, None), None) if blocks else (table, y)
    expected = outcome_of(fit_quietly(FITS[name], *data), table)
    for n in draws((2, 80, 1000), (1, 2, 3, 4, 6, 8, 11, 15, 20, 40, 80, 160, 320, 1000)):
        place = tmp_path / f"{n}.json"
        stopped = fit_quietly(FITS[name], *data, checkpoint=place, max_time=n)
        if stopped.path_.complete:
            assert outcome_of(stopped, table) == expected
            break
        assert outcome_of(fit_quietly(FITS[name], *data, checkpoint=place), table) == expected
    assert stopped.path_.complete
    assert n > 2


@pytest.mark.parametrize("name", ["penalized", "fractional"])
def test_weights_stopped_at_every_question_arrive(name, tmp_path, ticking):
    table, y = mixed_table()
    expected, place = outcome_of(fit_quietly(FITS[name], table, y), table), tmp_path / "one.json"
    sizes = [0]
    for _ in range(2000):
        part = fit_quietly(FITS[name], table, y, checkpoint=place, max_time=8 if name == "fractional" else 2)
        sizes.append(len(json.loads(place.read_text())["answers"]))
        if part.path_.complete:
            break
        assert sizes[-1] > sizes[-2]
    assert outcome_of(part, table) == expected
    assert len(sizes) > 4


@pytest.mark.slow
@pytest.mark.parametrize("name", ["penalized", "fractional", "penalized after a search"])
def test_any_beginning_of_the_journal_of_weights_leads_to_the_same_end(name, tmp_path):
    table, y = mixed_table()
    place = tmp_path / "all.json"
    expected = outcome_of(fit_quietly(FITS[name], table, y, checkpoint=place), table)
    journal = json.loads(place.read_text())
    n_answers = len(journal["answers"])
    for n in range(0, n_answers, max(1, n_answers // draws(5, 12))):
        beginning = tmp_path / f"{n}.json"
        beginning.write_text(sealed({**journal, "answers": journal["answers"][:n]}))
        assert outcome_of(fit_quietly(FITS[name], table, y, checkpoint=beginning), table) == expected


def test_ctrl_c_and_errors_in_a_descent_leave_a_journal(tmp_path, monkeypatch):
    from bayesieve.search import PenalizedSearch

    table, y = mixed_table()
    expected = outcome_of(fit_quietly(FITS["penalized"], table, y), table)
    descend = PenalizedSearch._descend
    for n in range(1, 4):
        for error in (KeyboardInterrupt, RuntimeError):
            place, calls = tmp_path / f"{n}{error.__name__}.json", iter(range(100))

            def failing(self, columns, error=error, calls=calls, n=n):
                if next(calls) == n:
                    raise error("rows are lost")
                descend(self, columns)

            monkeypatch.setattr(PenalizedSearch, "_descend", failing)
            if error is RuntimeError:
                with pytest.raises(RuntimeError, match="rows are lost"):
                    fit_quietly(FITS["penalized"], table, y, checkpoint=place)
            else:
                with pytest.warns(InterruptedSearchWarning, match="best result so far"):
                    stopped = clone(FITS["penalized"]).set_params(checkpoint=place).fit(table, y)
                assert len(stopped.path_.steps) == n - 1
            monkeypatch.setattr(PenalizedSearch, "_descend", descend)
            assert len(json.loads(place.read_text())["answers"]) == n
            assert outcome_of(fit_quietly(FITS["penalized"], table, y, checkpoint=place), table) == expected


@pytest.mark.parametrize("name", ["penalized", "fractional"])
@pytest.mark.parametrize(
    "change", [{"cv": 4}, {"bins": "best"}, {"keep": "x0"}, {"drop": "x0"}, {"weights": "averaged"}, {"n_features": 2}]
)
def test_a_journal_of_weights_is_of_one_problem(name, change, tmp_path):
    table, y = mixed_table()
    fit_quietly(FITS[name], table, y, checkpoint=tmp_path / "c")
    with pytest.raises(CheckpointError, match="belongs to other data or parameters"):
        fit_quietly(FITS[name], table, y, checkpoint=tmp_path / "c", **change)


def test_weights_of_other_data_are_refused(tmp_path):
    table, y = mixed_table()
    fit_quietly(FITS["penalized"], table, y, checkpoint=tmp_path / "c")
    with pytest.raises(CheckpointError, match="belongs to other data"):
        fit_quietly(FITS["penalized"], table[::-1], y, checkpoint=tmp_path / "c")
    shutil.copy(tmp_path / "c", tmp_path / "one_se")
    with pytest.raises(CheckpointError, match="belongs to other data"):  # it goes through more sizes
        fit_quietly(FITS["penalized"], table, y, checkpoint=tmp_path / "one_se", one_se=True)


@pytest.mark.parametrize(
    ("place", "value"), [(0, "drop"), (1, 99), (2, -0.5), (6, [1]), (6, [1, 2, 3]), (7, [[99, 1.0]]), (7, [])]
)
def test_changed_weights_are_refused(place, value, tmp_path):
    table, y = mixed_table()
    file = tmp_path / "c"
    fit_quietly(FITS["penalized"], table, y, checkpoint=file)
    journal = json.loads(file.read_text())
    journal["answers"][1][place] = value
    file.write_text(sealed(journal))
    with pytest.raises(CheckpointError, match="delete it and start again"):
        fit_quietly(FITS["penalized"], table, y, checkpoint=file)
