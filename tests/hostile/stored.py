"""One case: a damaged model file, checkpoint or journal, which must be refused, or lead to the same answer."""

import json
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from hostile.damage import damage, edit, rng_of, special_contents
from hostile.registry import STORED_FILES
from hostile.tables import choose
from hostile.watched import watched

import bayesieve
from bayesieve.data.document import seal


@cache
def _rows():
    rng = rng_of(0)
    y = rng.integers(0, 2, 120)
    columns = {
        "a": rng.normal(size=120) + y,
        "b": rng.choice(["u", "v", "é</script>"], 120),
        "c": rng.normal(size=120) + 2 * y,
        "d": np.where(y, "p", rng.choice(["p", "q"], 120)),
    }
    return pd.DataFrame(columns), y


_MODELS = {
    "naive Bayes": lambda: bayesieve.SelectiveNaiveBayes(n_jobs=1),
    "calibrated": lambda: bayesieve.SelectiveNaiveBayes(n_jobs=1, calibration="isotonic", threshold="f1"),
    "beta": lambda: bayesieve.SelectiveNaiveBayes(n_jobs=1, calibration="beta"),
    "ESNB": lambda: bayesieve.SelectiveNaiveBayes.esnb(n_jobs=1),
    "votes": lambda: bayesieve.VoteClassifier(n_jobs=1),
    "boosting": lambda: bayesieve.BoostSelector("logit", n_jobs=1),
    "scorecard": lambda: bayesieve.ScorecardClassifier(n_jobs=1),
}
_SEARCHES = {
    "floating": lambda place: bayesieve.NaiveBayesSelector("floating", n_jobs=1, tol=None, checkpoint=place),
    "fast": lambda place: bayesieve.NaiveBayesSelector("fast-forward-backward", "log_loss", n_jobs=1, checkpoint=place),
    "weights": lambda place: bayesieve.SelectiveNaiveBayes(n_jobs=1, checkpoint=place),
    "boosting": lambda place: bayesieve.BoostSelector(n_jobs=1, checkpoint=place),
    "votes": lambda place: bayesieve.VoteSelector(n_jobs=1, checkpoint=place),
    "scorecard": lambda place: bayesieve.ScorecardClassifier(n_jobs=1, checkpoint=place),
}


class _Model:
    """A saved model; its answer is its probabilities."""

    def __init__(self, name):
        self._fitted = _MODELS[name]().fit(*_rows())

    def write(self, place):
        self._fitted.save(place)

    def answer(self, place):
        model = bayesieve.load(place)
        model.predict(_rows()[0])
        return model.predict_proba(_rows()[0]).tolist()


class _Checkpoint:
    """The checkpoint of a search; its answer is the path and the scores."""

    def __init__(self, name):
        self._make = _SEARCHES[name]

    def write(self, place):
        self._make(place).fit(*_rows())

    def answer(self, place):
        model = self._make(place).fit(*_rows())
        scores = {name: np.asarray(values).tolist() for name, values in model.cv_results_.items()}
        return repr((model.path_.order, model.support_.tolist(), scores))


class _Journal:
    """The journal of an evaluation; its answer is the table of scores."""

    def __init__(self, name):
        self._selector = bayesieve.FilterSelector(name, n_features=3, n_jobs=1)

    def write(self, place):
        self.answer(place)

    def answer(self, place):
        classifier = bayesieve.SelectiveNaiveBayes(n_jobs=1)
        result = bayesieve.evaluate(self._selector, classifier, _rows(), sizes=[1, 2], cv=2, journal=place)
        result.summary(), result.selections(), result.stability()
        return result.to_frame().drop(columns="seconds", errors="ignore").to_json()


KINDS = {
    "model": {name: (_Model, name) for name in _MODELS},
    "checkpoint": {name: (_Checkpoint, name) for name in _SEARCHES},
    "journal": {name: (_Journal, name) for name in ("mrmr", "chi2")},
}
assert set(KINDS) == set(STORED_FILES)


@cache
def _truth(kind, name):
    """Return the object, the content of its file and its answer."""
    maker, argument = KINDS[kind][name]
    subject = maker(argument)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "file.json"
        subject.write(place)
        return subject, place.read_bytes(), subject.answer(place)


def try_stored_file(seed):
    """Return the text and the outcome of a case."""
    rng = rng_of(seed)
    kind, names = choose(rng, KINDS)
    name, _ = choose(rng, names)
    subject, content, truth = _truth(kind, name)
    damaged, how, is_forged = _damaged(rng, kind, content)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "file.json"
        place.write_bytes(damaged)
        with watched() as outcome:
            answer = subject.answer(place)
            outcome.word = "accepted"
            if not is_forged and answer != truth:
                outcome.problems.append("accepted, with another answer")
            if is_forged and kind == "model" and not _is_sane(answer):
                outcome.problems.append("accepted, with no probabilities")
    return f"{kind} of {name}, {how}", outcome


def _damaged(rng, kind, content):
    """Return the content, how it was damaged, and whether its checksum is right all the same."""
    choice = rng.random()
    if choice < 0.05:
        name, special = choose(rng, special_contents(content))
        return special, name, False
    if choice < 0.5 or kind == "journal":
        return *damage(rng, content), False
    document = json.loads(content)
    is_forged = kind == "model" and choice < 0.8
    if is_forged:
        document.pop("checksum")
    document, how = edit(rng, document)
    try:
        document = seal(document) if is_forged and isinstance(document, dict) else document
    except ValueError:  # no JSON
        is_forged = False
    return json.dumps(document).encode(), how, is_forged


def _is_sane(answer):
    probabilities = np.array(answer)
    return np.isfinite(probabilities).all() and np.allclose(probabilities.sum(axis=1), 1) and (probabilities >= 0).all()
