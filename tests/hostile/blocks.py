"""One case: a table in blocks of rows, which gives the fit of the same rows in memory or is refused."""

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
from cut_tables import cut
from hostile.damage import rng_of
from hostile.fits import parameters
from hostile.registry import ESTIMATORS
from hostile.tables import FRAMES, CannotBeMadeError, make_table
from hostile.watched import Outcome, watched
from sklearn.base import clone

from bayesieve import open_parquet
from bayesieve.exceptions import BayesieveError

_FRAMES = {name: FRAMES[name] for name in ("pandas", "hostile names")}
_IN_BLOCKS = [name for name in ESTIMATORS if "backend" in ESTIMATORS[name](rng_of(0)).get_params()]


def try_blocks(seed):
    """Return the text and the outcome of a case."""
    rng = rng_of(seed)
    name = _IN_BLOCKS[int(rng.integers(len(_IN_BLOCKS)))]
    try:
        table = make_table(rng, rng.random() < 0.8, _FRAMES)
    except CannotBeMadeError:
        outcome = Outcome()
        outcome.word = "not made"
        return name, outcome
    model = ESTIMATORS[name](rng)
    model.set_params(max_time=None)
    attack, title = (_in_parquet, "Parquet") if rng.random() < 0.2 else (_in_pieces, "pieces")
    with watched() as outcome:
        if _has_more_labels_than_rows(table):
            outcome.word = "not made"  # what is beyond the last row would be cut off, or is in no file
        else:
            attack(outcome, model, table, rng)
    return f"{title} | {parameters(model)} | {table.text}", outcome


def _has_more_labels_than_rows(table):
    lengths = [np.asarray(each).shape[:1] for each in (table.y, table.weights) if each is not None]
    return any(length > (table.n_rows,) for length in lengths)


def _in_pieces(outcome, model, table, rng):
    ends = (0, *np.sort(rng.integers(0, table.n_rows + 1, int(rng.integers(0, 4)))).tolist())
    y, weights = (None if each is None else np.asarray(each) for each in (table.y, table.weights))
    _compare(outcome, model, table.X, (table.X, y, weights), (cut(table.X, y, weights, ends), None))


def _in_parquet(outcome, model, table, rng):
    with tempfile.TemporaryDirectory() as folder:
        frame = pd.DataFrame(table.X).assign(target=np.asarray(table.y))
        places, middle = [Path(folder) / "a.parquet", Path(folder) / "b.parquet"], int(rng.integers(0, len(frame) + 1))
        try:
            whole = pl.from_pandas(frame)
            whole[:middle].write_parquet(places[0])
            whole[middle:].write_parquet(places[1])
        except Exception:
            outcome.word = "not made"
            return
        blocks = open_parquet(places, n_jobs=1)
        arguments = (whole.drop("target"), whole["target"])
        _compare(outcome, model, arguments[0], arguments, (blocks.drop("target"), blocks["target"]))


def _compare(outcome, model, X, arguments, in_blocks):
    try:
        expected = clone(model).fit(*arguments)
    except BayesieveError:
        expected = None
    fitted = clone(model).fit(*in_blocks)
    outcome.word = "fitted"
    if expected is None:
        outcome.problems.append("blocks of rows are accepted, the same rows in memory are not")
    elif fitted.support_.tolist() != expected.support_.tolist():
        outcome.problems.append("other columns")
    elif hasattr(expected, "predict_proba") and not np.array_equal(fitted.predict_proba(X), expected.predict_proba(X)):
        outcome.problems.append("other probabilities")
    elif any(not np.array_equal(fitted.cv_results_[name], values) for name, values in expected.cv_results_.items()):
        outcome.problems.append("other scores")
