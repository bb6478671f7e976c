# SPDX-License-Identifier: BSD-3-Clause
"""The sets of the NIPS 2003 challenge: fits on the training rows, scores on the validation rows."""

import time
import warnings
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse, vstack
from sklearn.utils import Bunch

from bayesieve import datasets
from bayesieve.datasets import add_probes, probe_report
from bayesieve.exceptions import ClippedSelectionWarning
from bayesieve.papers.paper_002.paper_scores import balanced_error_spread, score
from bayesieve.papers.paper_002.variants import VARIANTS

__all__ = ["LOADERS", "PROBED", "PROBE_KINDS", "labeled_rows", "run_challenge", "run_later", "run_probes", "zero_one"]

LOADERS: Final[dict[str, Callable[[str], Bunch]]] = {
    "arcene": datasets.load_arcene,
    "dexter": datasets.load_dexter,
    "dorothea": datasets.load_dorothea,
    "gisette": datasets.load_gisette,
    "madelon": datasets.load_madelon,
}
PROBED: Final = ("ESNB", "default")
PROBE_KINDS: Final = {
    "dexter": "zipf",
    "madelon": "gaussian",
}  # as those of the organizers; other sets have permuted columns


def run_challenge(name: str, variant: str) -> dict[str, Any]:
    """Return the selection of a variant on the training rows, and its scores on the validation rows."""
    began = time.perf_counter()
    train = LOADERS[name]("train")
    reading_seconds = time.perf_counter() - began
    valid = LOADERS[name]("valid")
    target = zero_one(valid.target)
    model, seconds = _fit(variant, train.data, train.target)
    scores = score(target, model.predict_proba(valid.data)[:, 1], zero_one(model.predict(valid.data)))
    n_positive = int(target.sum())
    return {
        "set": name,
        "variant": variant,
        **scores,
        "ber_spread": balanced_error_spread(scores["ber"], n_positive, len(target) - n_positive),
        "n_positive": n_positive,
        "n_negative": len(target) - n_positive,
        "n_columns": int(model.n_features_),
        "n_table": int(train.data.shape[1]),
        "columns": [str(each) for each in model.path_.order],
        "seconds": seconds,
        "reading_seconds": reading_seconds,
    }


def run_later(name: str) -> dict[str, Any]:
    """Return what ESNB selects from training and validation rows together, as in the second period of the challenge."""
    X, target = labeled_rows(name)
    model, seconds = _fit("ESNB", X, target)
    return {"set": name, "n_columns": int(model.n_features_), "n_table": int(X.shape[1]), "seconds": seconds}


def labeled_rows(name: str) -> tuple[Any, NDArray[np.int64]]:
    """Return training and validation rows, one below the other, and their classes 0 and 1."""
    subsets = [LOADERS[name](subset) for subset in ("train", "valid")]
    tables = [subset.data for subset in subsets]
    X: Any = vstack(tables, format="csr") if issparse(tables[0]) else np.vstack(tables)
    return X, zero_one(np.concatenate([subset.target for subset in subsets]))


def run_probes(name: str, variant: str) -> dict[str, Any]:
    """Return the number of probes that a variant selects if one per column is added."""
    train = LOADERS[name]("train")
    X, is_probe = add_probes(train.data, kind=PROBE_KINDS.get(name, "permute"), random_state=1)
    model, _ = _fit(variant, X, train.target)
    report = probe_report(model.support_, is_probe)
    return {
        "set": name,
        "variant": variant,
        "n_real": report.n_real,
        "n_probes": report.n_probes,
        "probe_share": report.probe_share,
        "false_discovery_rate": report.false_discovery_rate,
    }


def zero_one(labels: NDArray[Any]) -> NDArray[np.int64]:
    """Return 1 where the label is 1, and 0 where it is -1."""
    return np.asarray(labels == 1).astype(np.int64)


def _fit(variant: str, X: Any, y: NDArray[Any]) -> tuple[Any, float]:
    model = VARIANTS[variant]()
    began = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ClippedSelectionWarning)  # fewer than 20 informative columns
        model.fit(X, y)
    return model, time.perf_counter() - began
