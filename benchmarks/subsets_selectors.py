# SPDX-License-Identifier: BSD-3-Clause
"""Selectors of the comparison: those of this library are fitted here, those of peers by ``subsets_peers_run``."""

import json
import time
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from threadpoolctl import threadpool_limits

from bayesieve import FilterSelector, ScorecardClassifier, SelectiveNaiveBayes
from bayesieve.papers.peers import Environment
from benchmarks.quality_exchange import Problem
from benchmarks.quality_methods import version_of

__all__ = ["PEERS", "REFERENCE", "SELECTORS", "Selector", "choose"]

PEERS: Final = Environment(
    "selectors", "catboost", "lightgbm", "scikit-learn", "boruta", "mrmr_selection", "mlxtend", "pandas", "scipy"
)
"""Where other libraries select and boosted trees judge; this library does not depend on them."""
REFERENCE: Final = "scorecard"


@dataclass(frozen=True)
class Selector:
    """What chooses columns, and the package whose version is noted with its choices."""

    name: str
    package: str = "bayesieve"

    @property
    def is_ours(self) -> bool:
        """Whether this library selects."""
        return self.package == "bayesieve"

    @property
    def version(self) -> str:
        """The package's version, or a digest of this library's source."""
        return version_of(self.package, None if self.is_ours else PEERS)


def _filter(method: str) -> Callable[[int], Any]:
    return lambda k: FilterSelector(method, n_features=k, n_jobs=1)


_MODELS: Final[dict[str, Callable[[int], Any]]] = {
    REFERENCE: lambda k: ScorecardClassifier(n_features=k, n_jobs=1),
    "scorecard without pairs": lambda k: ScorecardClassifier(n_features=k, n_pairs=0, n_jobs=1),
    "selective naive Bayes": lambda k: SelectiveNaiveBayes(n_features=k, n_jobs=1),
    "filter by information of bins": _filter("mutual_info"),
    "mRMR of bins": _filter("mrmr"),
    "JMI of bins": _filter("jmi"),
}
_PACKAGES: Final = {
    "mutual information": "scikit-learn", "L1": "scikit-learn", "LightGBM gain": "lightgbm",
    "LightGBM SHAP": "lightgbm", "CatBoost elimination": "catboost", "Boruta": "boruta", "mRMR": "mrmr_selection",
    "sequential": "mlxtend",
}  # fmt: skip

SELECTORS: Final = {
    each.name: each
    for each in (*map(Selector, _MODELS), *(Selector(name, package) for name, package in _PACKAGES.items()))
}
"""By name, those of this library first."""


def choose(folder: Path) -> None:
    """Choose columns of the problem of a folder, with each selector that its settings name; see `subsets_peers_run`."""
    problem = Problem.read(folder)
    warnings.simplefilter("ignore")  # of fewer informative columns than asked for
    with threadpool_limits(1):
        for name in problem.settings["selectors"]:
            began = time.process_time()
            subsets = {k: _subset(_MODELS[name](k), problem) for k in problem.settings["sizes"]}
            line = {"selector": name, "subsets": subsets, "seconds": time.process_time() - began}
            with (folder / "orders.jsonl").open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")


def _subset(model: Any, problem: Problem) -> list[int]:
    model.fit(problem.train, problem.target)
    return [int(j) for j in np.flatnonzero(model.support_)]


def orders(folder: Path, sizes: Iterable[int]) -> dict[str, dict[str, Any]]:
    """Return what selectors have written so far: subsets of each size, seconds, a note of what went wrong."""
    file, found = folder / "orders.jsonl", {}
    for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else ():
        own = json.loads(line)
        if "order" in own:
            order = own.pop("order")
            own["subsets"] = {k: sorted(order[:k]) for k in sizes if len(order) >= k}
        own["subsets"] = {str(k): subset for k, subset in own["subsets"].items()}
        found[own.pop("selector")] = own
    return found
