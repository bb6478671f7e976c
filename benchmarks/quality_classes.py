# SPDX-License-Identifier: BSD-3-Clause
"""Compare classifiers of three classes and more: ``python -m benchmarks.quality_classes --rows 4000``.

One stratified split of each set: training rows up to that number, and up to 8,000 of the others for the test. Fits run
one after the other on one thread; seconds are those of the processor.
"""

import argparse
import os
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
import sklearn.datasets
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

from bayesieve import ScorecardClassifier, SelectiveNaiveBayes, datasets

__all__ = ["main"]

_MOST_TEST_ROWS: Final = 8000
_WORDS: Final = 1000

METHODS: Final[dict[str, Callable[[], Any]]] = {
    "scorecard": lambda: ScorecardClassifier(n_jobs=1),
    "scorecard, best": lambda: ScorecardClassifier(n_features="best", n_jobs=1),
    "selective naive Bayes": lambda: SelectiveNaiveBayes(n_jobs=1),
    "boosted trees": lambda: HistGradientBoostingClassifier(early_stopping=True, random_state=0),
}
SETS: Final = ("wine", "digits", "dna", "diabetes130", "covertype", "letter", "newsgroups")


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line per set and method."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality_classes", description=__doc__)
    parser.add_argument("--rows", type=int, default=4000, help="training rows at most (4000)")
    parser.add_argument("--sets", nargs="+", choices=SETS, default=SETS)
    parser.add_argument("--methods", nargs="+", choices=list(METHODS), default=list(METHODS))
    args = parser.parse_args(arguments)
    print("| set | rows × columns, classes | method | log loss | accuracy | columns | seconds |")
    print("| --- | ---: | --- | ---: | ---: | ---: | ---: |")
    for line in _lines(args.sets, args.methods, args.rows):
        print(line, flush=True)


def _lines(sets: Sequence[str], methods: Sequence[str], n_rows: int) -> Iterator[str]:
    for name in sets:
        X, y = _read(name)
        rest = min(_MOST_TEST_ROWS, len(y) - min(n_rows, len(y) * 4 // 5))
        train, test = train_test_split(
            np.arange(len(y)), train_size=min(n_rows, len(y) * 4 // 5), test_size=rest, stratify=y, random_state=0
        )
        X_train, X_test = X.iloc[train].reset_index(drop=True), X.iloc[test].reset_index(drop=True)
        for method in methods:
            model, begin = METHODS[method](), time.process_time()
            model.fit(X_train, y[train])
            seconds, p = time.process_time() - begin, model.predict_proba(X_test)
            accuracy = float((model.classes_[p.argmax(axis=1)] == y[test]).mean())
            loss, size = log_loss(y[test], p, labels=model.classes_), getattr(model, "n_features_", X.shape[1])
            shape = f"{len(train):,} × {X.shape[1]}, {len(model.classes_)}"
            yield f"| {name} | {shape} | {method} | {loss:.4f} | {accuracy:.3f} | {size} | {seconds:.1f} |"


def _read(name: str) -> tuple[pd.DataFrame, NDArray[Any]]:
    """Return a frame of numbers and categories, and the classes."""
    if name in ("wine", "digits"):
        X, y = getattr(sklearn.datasets, f"load_{name}")(return_X_y=True)
        return pd.DataFrame(X).add_prefix("c"), y
    if name == "newsgroups":
        bunch = datasets.load_20newsgroups()
        counts = CountVectorizer(max_features=_WORDS, stop_words="english").fit_transform(bunch.data)
        return pd.DataFrame(counts.toarray().astype(np.float64)).add_prefix("w"), np.asarray(bunch.target)
    home = Path(os.environ["BAYESIEVE_DATA"])
    row = pd.read_csv(home / "MANIFEST-2.csv", keep_default_na=False).set_index("set").loc[name]
    table = pd.read_csv(home / row["file"], keep_default_na=False, na_values=[""])
    y, codes = table.pop(row["target"]).astype(str).to_numpy(), set(row["categorical_columns"].split(";"))
    is_number = [each.dtype.kind in "iuf" and column not in codes for column, each in table.items()]
    columns = {
        column: each.astype(np.float64) if number else each.astype("string").astype("category")
        for number, (column, each) in zip(is_number, table.items(), strict=True)
    }
    return pd.DataFrame(columns), y


if __name__ == "__main__":
    main()
