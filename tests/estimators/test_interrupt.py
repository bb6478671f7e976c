"""Ctrl-C keeps what was found; a second one stops at once. The signals are real."""

import signal
import subprocess
import sys
import warnings
from contextlib import contextmanager

import numpy as np
import pytest
from cases import plain_bayes

from bayesieve import NaiveBayesSelector, SelectiveNaiveBayes
from bayesieve.estimators import search_estimator as searching
from bayesieve.exceptions import InterruptedSearchWarning
from bayesieve.search import Observer


def make_data(n_rows=200, n_columns=8):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n_rows)
    return rng.normal(size=(n_rows, n_columns)) + y[:, None] * rng.random(n_columns), y


SMALL = make_data()


def make(kind, **parameters):
    """Return an estimator that searches all eight columns, the weak ones too."""
    return kind(discretizer="equal_frequency", **parameters)


def signal_self():
    signal.raise_signal(signal.SIGINT)


class Presser(Observer):
    """Presses Ctrl-C at a step, or at the beginning for step 0."""

    def __init__(self, wanted):
        self._wanted = wanted

    def on_phase(self, phase):
        if self._wanted == 0:
            signal_self()

    def on_step(self, step, n_steps):
        if self._wanted == n_steps:
            signal_self()


@pytest.fixture
def interrupt_at_step(monkeypatch):
    """Return a function that has every fit send itself SIGINT when it makes a step."""

    def arrange(wanted):
        @contextmanager
        def progress(*arguments):
            yield [Presser(wanted)]

        monkeypatch.setattr(searching, "progress", progress)

    return arrange


def fit_interrupted(estimator):
    """Fit; a signal that gets out is a failure of the test, not the end of all tests."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            estimator.fit(*SMALL)
        except KeyboardInterrupt:
            pytest.fail("Ctrl-C was not held back")
    assert [w.category for w in caught] == [InterruptedSearchWarning]
    assert not estimator.path_.complete
    return estimator


@pytest.mark.parametrize("search", ["forward", "backward", "forward-backward", "floating"])
@pytest.mark.parametrize("n_steps", [1, 2, 4])
def test_best_so_far(search, n_steps, interrupt_at_step):
    whole = make(plain_bayes, search=search, tol=None).fit(*SMALL)
    interrupt_at_step(n_steps)
    model = fit_interrupted(make(plain_bayes, search=search, tol=None))
    assert model.path_.steps == whole.path_.steps[:n_steps]
    best = max(model.path_.visits(), key=lambda visit: (visit.score, -visit.n_features))
    assert model.path_.order == best.columns
    assert model.predict_proba(SMALL[0]).shape == (200, 2)
    assert len(model.why_) == 8
    assert model.cv_results_["n_features"].tolist() == sorted({v.n_features for v in model.path_.visits()})


def test_size_not_reached(interrupt_at_step):
    interrupt_at_step(2)
    selector = fit_interrupted(make(NaiveBayesSelector, n_features=5))
    assert selector.n_features_ <= 2
    assert selector.transform(SMALL[0]).shape == (200, selector.n_features_)


@pytest.mark.parametrize("later", ["fit.solve.cv_results", "estimators.search_estimator.explain_selection"])
def test_a_second_signal_raises(later, interrupt_at_step, monkeypatch):
    interrupt_at_step(1)
    monkeypatch.setattr(f"bayesieve.{later}", lambda *arguments: signal_self())
    selector = make(NaiveBayesSelector)
    with pytest.warns(InterruptedSearchWarning), pytest.raises(KeyboardInterrupt):
        selector.fit(*SMALL)


def test_a_signal_before_the_first_step(interrupt_at_step):
    interrupt_at_step(0)
    model = fit_interrupted(make(plain_bayes))
    assert model.n_features_ == 0
    assert model.predict(SMALL[0]).shape == (200,)


@pytest.mark.parametrize("n_steps", [0, 1, 2])
def test_penalised_weights_keep_what_they_have(n_steps, interrupt_at_step):
    whole = SelectiveNaiveBayes().fit(*SMALL)
    interrupt_at_step(n_steps)
    model = fit_interrupted(SelectiveNaiveBayes())
    assert model.path_.steps == whole.path_.steps[:n_steps]
    assert model.n_features_ == n_steps
    assert np.isfinite(model.predict_proba(SMALL[0])).all()
    assert model.select(n_steps).feature_weights_ == model.feature_weights_


def test_interrupted_then_resumed(tmp_path, interrupt_at_step):
    file = tmp_path / "search.json"
    whole = make(NaiveBayesSelector, tol=None, scoring=["auc"]).fit(*SMALL)
    interrupt_at_step(3)
    fit_interrupted(make(NaiveBayesSelector, tol=None, scoring=["auc"], checkpoint=file))
    interrupt_at_step(None)
    resumed = make(NaiveBayesSelector, tol=None, scoring=["auc"], checkpoint=file).fit(*SMALL)
    assert resumed.path_ == whole.path_
    assert resumed.why_ == whole.why_
    for key, values in whole.cv_results_.items():
        np.testing.assert_array_equal(resumed.cv_results_[key], values)


def test_the_handler_is_python_own_afterwards(interrupt_at_step):
    before = signal.getsignal(signal.SIGINT)
    interrupt_at_step(1)
    fit_interrupted(make(NaiveBayesSelector))
    assert signal.getsignal(signal.SIGINT) is before


# Each step and the explanation take their time, in which a signal from outside arrives.
CHILD = """
import sys, time
from contextlib import contextmanager
import numpy as np
from bayesieve import SelectiveNaiveBayes
from bayesieve.estimators import search_estimator as searching
from bayesieve.search import Observer

class Slow(Observer):
    def on_step(self, step, n_steps):
        print("step", flush=True)
        time.sleep(0.2)

@contextmanager
def progress(*arguments):
    yield [Slow()]

def slow_explanation(*arguments, original=searching.explain_selection):
    print("explain", flush=True)
    if sys.argv[1] == "twice":
        time.sleep(30)
    return original(*arguments)

searching.progress, searching.explain_selection = progress, slow_explanation
rng = np.random.default_rng(0)
y = rng.integers(0, 2, 300)
X = rng.normal(size=(300, 30)) + y[:, None] * rng.random(30)
how = {"bins": "best", "weights": "none", "discretizer": "equal_frequency"}
model = SelectiveNaiveBayes(n_features="all", cv=0, **how).fit(X, y)
print("fitted", model.path_.complete, len(model.path_.steps), model.n_features_, model.predict(X).shape)
"""


def wait_for(child, word):
    for line in child.stdout:
        if line.strip() == word:
            return
    pytest.fail(f"the child ended before {word!r}")


@pytest.mark.slow
@pytest.mark.parametrize("presses", ["once", "twice"])
def test_signals_from_outside(presses):
    with subprocess.Popen(
        [sys.executable, "-c", CHILD, presses], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        wait_for(child, "step")
        wait_for(child, "step")
        child.send_signal(signal.SIGINT)
        wait_for(child, "explain")
        if presses == "twice":
            child.send_signal(signal.SIGINT)
        # Not communicate: it would miss what the lines before have drawn into the buffer.
        rest, errors = child.stdout.read(), child.stderr.read()
    assert errors.count("InterruptedSearchWarning") == 1
    if presses == "once":
        fitted, complete, n_steps, n_features, *shape = rest.split()
        assert (fitted, complete, shape) == ("fitted", "False", ["(300,)"])
        assert 2 <= int(n_steps) < 30
        assert 1 <= int(n_features) <= int(n_steps)
    else:
        assert child.returncode != 0
        assert rest == ""
        assert errors.strip().endswith("KeyboardInterrupt")
