# SPDX-License-Identifier: BSD-3-Clause
"""Find the few columns that make the probabilities right."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bayesieve._native.versions import show_versions as show_versions
    from bayesieve.data import open_parquet as open_parquet
    from bayesieve.estimators import (
        BenefitClassifier as BenefitClassifier,
        BoostClassifier as BoostClassifier,
        BoostSelector as BoostSelector,
        FilterSelector as FilterSelector,
        IndicatorGrid as IndicatorGrid,
        MODLDiscretizer as MODLDiscretizer,
        NaiveBayesSelector as NaiveBayesSelector,
        ScorecardClassifier as ScorecardClassifier,
        ScorecardRegressor as ScorecardRegressor,
        SelectiveNaiveBayes as SelectiveNaiveBayes,
        VoteClassifier as VoteClassifier,
        VoteSelector as VoteSelector,
        WrapperSelector as WrapperSelector,
        load as load,
    )
    from bayesieve.evaluation import Learner as Learner
    from bayesieve.evaluation.comparison import compare as compare
    from bayesieve.evaluation.nested_cv import evaluate as evaluate
    from bayesieve.explain.displays import (
        BinsDisplay as BinsDisplay,
        PairDisplay as PairDisplay,
        ProfitCurveDisplay as ProfitCurveDisplay,
        ReliabilityDisplay as ReliabilityDisplay,
        RowExplanationDisplay as RowExplanationDisplay,
        SelectionPathDisplay as SelectionPathDisplay,
    )
    from bayesieve.fit.column_settings import Column as Column
    from bayesieve.fit.edits import Change as Change, Edit as Edit, Edits as Edits
    from bayesieve.quality import check_data as check_data, drift as drift
    from bayesieve.report import Report as Report

    __version__: str

# Names are loaded on first use: scikit-learn alone takes a second to import.
_PACKAGES = {
    "_native.versions": ("show_versions",),
    "data": ("open_parquet",),
    "explain.displays": (
        "BinsDisplay",
        "PairDisplay",
        "ProfitCurveDisplay",
        "ReliabilityDisplay",
        "RowExplanationDisplay",
        "SelectionPathDisplay",
    ),
    "estimators": (
        "BenefitClassifier",
        "BoostClassifier",
        "BoostSelector",
        "FilterSelector",
        "IndicatorGrid",
        "MODLDiscretizer",
        "NaiveBayesSelector",
        "ScorecardClassifier",
        "ScorecardRegressor",
        "SelectiveNaiveBayes",
        "VoteClassifier",
        "VoteSelector",
        "WrapperSelector",
        "load",
    ),
    "fit.column_settings": ("Column",),
    "fit.edits": ("Change", "Edit", "Edits"),
    "evaluation": ("Learner", "compare", "evaluate"),
    "quality": (
        "check_data",
        "drift",
    ),
    "report": ("Report",),
}
_HOMES = {name: package for package, names in _PACKAGES.items() for name in names}
__all__ = ["__version__", *_HOMES]
_OPEN_PACKAGES = frozenset({"datasets", "decisions", "exceptions", "export", "filters", *_PACKAGES})


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        value: object = version("bayesieve")
    elif name in _HOMES:
        value = getattr(import_module(f"bayesieve.{_HOMES[name]}"), name)
    elif name in _OPEN_PACKAGES:
        value = import_module(f"bayesieve.{name}")
    else:
        raise AttributeError(f"module 'bayesieve' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return what users name: modules that the import of this package needs are not among them."""
    packages = {name for name in _OPEN_PACKAGES if "." not in name}
    return sorted({*__all__, *packages, *(name for name in globals() if name.startswith("__"))})
