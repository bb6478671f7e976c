# SPDX-License-Identifier: BSD-3-Clause
"""Classifiers of the comparison: where each one runs, with which settings, and which version."""

import hashlib
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import Any, Final

import bayesieve
from bayesieve.papers.peers import KHIOPS, Environment
from benchmarks import quality_fit
from benchmarks.quality_process import Task

__all__ = ["FLAGSHIP", "FORMER_DEFAULT", "METHODS", "Method", "script_of", "version_of"]

_FOLDER = Path(__file__).resolve().parent
_INTERPRET = Environment("interpret", "interpret-core")
_BOOSTING = Environment("boosting", "catboost", "lightgbm", "xgboost", "pandas", "scipy")
_DRAWS = 8
_SIZES = (5, 10, 20)

FLAGSHIP: Final = "scorecard"
FORMER_DEFAULT: Final = "snb"


@dataclass(frozen=True)
class Method:
    """A classifier, fitted in its environment.

    Parameters
    ----------
    name, title : str
        The key in results, and the heading in tables.
    package : str
        The package whose version is noted with each result.
    settings : dict
        What the fitting process reads, see ``quality_exchange``.
    environment : Environment or None
        None is the environment of this process, and ``quality_fit`` fits.
    script : str
        The file of this folder that fits in another environment.
    revision : int
        Changes with the settings, so that results of other settings can be recognized.
    """

    name: str
    title: str
    package: str
    settings: dict[str, Any] = field(default_factory=dict)
    environment: Environment | None = None
    script: str = ""
    revision: int = 1

    @property
    def is_ours(self) -> bool:
        """Whether this library fits it."""
        return self.package == "bayesieve"

    @property
    def size(self) -> int | None:
        """The number of columns asked for; None if the method chooses it."""
        size = self.settings.get("n_features")
        return size if isinstance(size, int) else None

    @property
    def missing(self) -> str | None:
        """Why the method cannot run here; None if it can."""
        if self.settings.get("model") == "scorecard" and not hasattr(bayesieve, "ScorecardClassifier"):
            return f"{self.name} was skipped: this version of bayesieve has no ScorecardClassifier"
        if self.environment is not None and not self.environment.exists:
            return self.environment.recipe
        return None

    @property
    def task(self) -> Task:
        """What fits it: a function, or the command of a script in another environment."""
        if self.environment is None:
            return quality_fit.run
        return script_of(self.environment, self.script)

    @property
    def version(self) -> str:
        """The package's version, or a digest of this library's source, and the revision of the settings."""
        return f"{version_of(self.package, self.environment)} r{self.revision}"


def script_of(environment: Environment, script: str) -> Task:
    """Return the command that runs a script of this folder in another environment."""
    # -P: a file next to the script must not shadow a peer's modules.
    return [str(environment.python), "-P", str(_FOLDER / script)]


def version_of(package: str, environment: Environment | None = None) -> str:
    """Return the name and version of a package; a digest of this library's source instead of its version."""
    return f"{package} {_digest() if package == 'bayesieve' else _version(environment, package)}"


@cache
def _version(environment: Environment | None, package: str) -> str:
    if environment is None:
        return installed_version(package)
    code = f"from importlib.metadata import version; print(version({package!r}))"
    return subprocess.run([environment.python, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


@cache
def _digest() -> str:
    """Return a digest of the Python source and the compiled core that are imported."""
    root = Path(bayesieve.__file__).resolve().parent
    files = sorted(path for path in root.rglob("*") if path.suffix in (".py", ".so", ".pyd"))
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.relative_to(root).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:10]


def _methods() -> Iterator[Method]:
    forms: dict[str, tuple[str, dict[str, Any]]] = {
        FLAGSHIP: ("scorecard", {}),
        f"{FLAGSHIP}-additive": ("scorecard without pairs", {"n_pairs": 0}),
        f"{FLAGSHIP}-best": ("scorecard, best", {"n_features": "best"}),
        f"{FLAGSHIP}-best-additive": ("scorecard, best without pairs", {"n_features": "best", "n_pairs": 0}),
        **{f"{FLAGSHIP}-{k}": (f"scorecard, {k} columns", {"n_features": k}) for k in _SIZES},
    }
    for name, (title, settings) in forms.items():
        yield Method(name, title, "bayesieve", {"model": "scorecard", **settings})
    former = {"model": "selective naive Bayes"}
    yield Method(FORMER_DEFAULT, "selective naive Bayes", "bayesieve", former)
    for k in _SIZES:
        settings, title = {**former, "n_features": k}, f"selective naive Bayes, {k} columns"
        yield Method(f"{FORMER_DEFAULT}-{k}", title, "bayesieve", settings)
    khiops, ebm = (KHIOPS, "quality_khiops_run.py"), (_INTERPRET, "quality_ebm_run.py")
    yield Method("khiops", "Khiops", "khiops-core", {}, *khiops)
    trees = {"max_trees": 10, "max_constructed_variables": 100}  # the defaults of its classifier for scikit-learn
    yield Method("khiops-trees", "Khiops with trees", "khiops-core", trees, *khiops)
    yield Method("ebm-additive", "EBM without interactions", "interpret-core", {"interactions": 0}, *ebm)
    yield Method("ebm", "EBM", "interpret-core", {}, *ebm)
    for name, library, draws in (("lgbm", "LightGBM", _DRAWS), ("xgb", "XGBoost", 0), ("catboost", "CatBoost", 0)):
        settings = {"library": library, "n_draws": draws}
        yield Method(name, library, library.lower(), settings, _BOOSTING, "quality_boosting_run.py")
    for name in ("histogram boosting", "logistic regression"):
        short = {"histogram boosting": "hgb", "logistic regression": "lr"}[name]
        yield Method(short, name, "scikit-learn", {"model": name})


METHODS: Final[dict[str, Method]] = {method.name: method for method in _methods()}
