# SPDX-License-Identifier: BSD-3-Clause
"""Agreement with Weka: scores to its printed digits, and the columns of correlation-based selection."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.datasets import load_iris, load_wine

from bayesieve import FilterSelector, datasets, filters
from bayesieve.bins import CODING_RULES
from bayesieve.data import LabeledRows, read_table, read_target, read_weights
from bayesieve.filters import code_table
from benchmarks import weka_run
from benchmarks.report import Row, Section

__all__ = ["run"]

_SETS = (
    "heart_statlog",
    "pima",
    "ionosphere",
    "german",
    "crx",
    "vote",
    "hepatitis",
    "breast_w",
    "horse_colic",
    "spect",
)
_SCORES = {
    "InfoGainAttributeEval": lambda X, y: filters.mutual_info(X, y, discretizer=None) / np.log(2),
    "GainRatioAttributeEval": lambda X, y: filters.gain_ratio(X, y, discretizer=None),
    "SymmetricalUncertAttributeEval": lambda X, y: filters.symmetric_uncertainty(X, y, discretizer=None),
    "ChiSquaredAttributeEval": lambda X, y: filters.chi2(X, y, discretizer=None),
}


def run(full: bool) -> Section:
    """Compare on published data sets, coded by MDLP and passed to Weka as labels; ReliefF on the values."""
    notes = [
        "differences in halves of Weka's last printed digit; for subsets, the number of columns that differ",
        "Weka's ReliefF breaks ties between equally near rows differently: vote, spect, breast_w, ionosphere",
    ]
    if weka_run.jar() is None:
        return Section(
            "Weka", "half a digit", [], ["set BAYESIEVE_WEKA_JAR to weka.jar of Weka 3.6 to compare with it"]
        )
    rows = []
    for name, X, y in _problems():
        codes, classes = _coded(X, y)
        for evaluator, score in _SCORES.items():
            theirs, digit = weka_run.rank(evaluator, codes, classes)
            gap = float(np.abs(theirs - score(codes, classes)).max())
            rows.append(Row(f"{name}: {evaluator}", gap, digit, "", 1.0 + 1e-6))
        selected = set(np.flatnonzero(FilterSelector("cfs", discretizer=None).fit(codes, classes).support_).tolist())
        differing = len(selected ^ set(weka_run.select("CfsSubsetEval", codes, classes)))
        rows.append(Row(f"{name}: CfsSubsetEval", float(differing), 1.0, "", 0.0))
        for options, sigma in (((), None), (("-W",), 2.0)):
            theirs, digit = weka_run.rank("ReliefFAttributeEval", X, y.tolist(), *options)
            gap = float(np.abs(theirs - filters.relieff(X, y, sigma=sigma)).max())
            rows.append(Row(f"{name}: ReliefFAttributeEval {' '.join(options)}", gap, digit, ""))
    return Section("Filters: agreement with Weka", "half a digit", rows, notes)


def _problems() -> Iterator[tuple[str, pd.DataFrame, NDArray[np.int64]]]:
    for name in _SETS:
        bunch = getattr(datasets, f"load_{name}")()
        yield name, pd.DataFrame(bunch.data), np.unique(np.asarray(bunch.target), return_inverse=True)[1].ravel()
    for name, load in (("iris", load_iris), ("wine", load_wine)):
        X, y = load(return_X_y=True, as_frame=True)
        yield name, X, y.to_numpy()


def _coded(X: pd.DataFrame, y: NDArray[np.int64]) -> tuple[pd.DataFrame, list[int]]:
    """Return the codes of columns with several MDLP bins as labels, and the classes in the same order."""
    weights = read_weights(None, len(y))
    coded = code_table(LabeledRows(read_table(X), read_target(y, len(y), weights), weights), CODING_RULES["mdlp"])
    labels = {f"c{j}": [f"v{code}" for code in coded.rows.codes.column(j)] for j in range(len(coded.columns))}
    return pd.DataFrame(labels), coded.rows.target.tolist()
