"""What is fitted to which rows: the cases whose answers are recorded."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from golden.answer_sets import SETS
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import KBinsDiscretizer
from sklearn.tree import DecisionTreeRegressor

import bayesieve

_SEARCHES = ["forward", "backward", "forward-backward", "backward-forward", "floating", "fast-forward-backward"]
_CRITERIA = [
    "error", "error_probability", "brier", "log_loss", "balanced_error", "auc", "lift", "map", "refinement",
    "benefit",
]  # fmt: skip
_FILTERS = [
    "mutual_info", "conditional_entropy", "gain_ratio", "symmetric_uncertainty", "chi2", "pearson", "modl_level",
    "relieff", "mrmr", "mrmr_ratio", "mifs", "jmi", "cmim", "disr", "icap", "cife", "condred", "cfs",
]  # fmt: skip
_MAILING = {"criterion": "benefit", "benefit_matrix": [[0.0, 0.0], [-1.0, 2.5]]}

_BAYES: dict[str, dict[str, Any]] = {
    **{f"weights {name}": {"weights": name} for name in ("averaged", "fractional", "none")},
    **{f"weights {name}, 4": {"weights": name, "n_features": 4} for name in ("averaged", "fractional", "none")},
    **{f"best bins, weights {w}": {"bins": "best", "weights": w} for w in ("averaged", "fractional", "none")},
    **{f"best bins, {d}": {"bins": "best", "discretizer": d} for d in ("modl", "mdlp", "equal_frequency", None)},
    **{f"n_features {n}": {"n_features": n} for n in (1, 3, (2, 5), 0.3, "all")},
    **{f"cv {cv}": {"cv": cv} for cv in (0, 3, 0.3)},
    **{f"calibration {name}": {"calibration": name} for name in ("isotonic", "beta")},
    "calibration beta, cv 0": {"calibration": "beta", "cv": 0},
    "search": {"search": "forward"},
    "search, floating auc": {"search": "floating", "criterion": "auc", "n_features": (1, 5)},
    "averaged, forward": {"weights": "averaged", "search": "forward", "criterion": "map"},
    "fractional, backward": {"weights": "fractional", "search": "backward", "n_features": 4},
    "keep and drop": {"keep": [1], "drop": [0, 3]},
    "start_from": {"search": "floating", "start_from": [2, 4], "weights": "none"},
    "groups": {"weights": "none", "feature_groups": {"both": [0, 1]}},
    "one_se": {"one_se": True},
    "smoothing": {"bins": "best", "weights": "none", "smoothing": 1.0},
    "shuffled": {"random_state": 7, "weights": "none"},
    "scoring": {"weights": "none", "scoring": ["log_loss", "auc", "error"]},
    "tol None": {"weights": "none", "tol": None, "criterion": "error"},
    "splitter": {"cv": StratifiedKFold(4)},
    "prior 2006": {"bins": "best", "weights": "none", "discretizer": bayesieve.MODLDiscretizer("2006", max_bins=3)},
}
_OF_TWO_CLASSES: dict[str, dict[str, Any]] = {
    **{f"threshold {t}": {"threshold": t} for t in ("chi2", "ber", "f1", 0.3, ("recall", 0.9), ("precision", 0.8))},
    "threshold f1, cv 0": {"threshold": "f1", "cv": 0},
    "pos_label": {"threshold": ("recall", 0.9), "pos_label": 0},
    "class_prior": {"class_prior": [0.9, 0.1]},
    "class_prior, calibrated": {"class_prior": {0: 0.2, 1: 0.8}, "calibration": "isotonic", "threshold": "ber"},
    "benefit": {**_MAILING, "weights": "none"},
    "benefit, penalized": _MAILING,
}
_VOTES: dict[str, tuple[tuple[Any, str], dict[str, Any]]] = {
    **{
        f"{v} {c}": ((v, c), {})
        for v, c in product(("any", "all", "majority", 2, 0.7), ("error_probability", "log_loss"))
    },
    **{f"majority {c}": (("majority", c), {"n_features": 4}) for c in _CRITERIA[:1] + _CRITERIA[2:3] + _CRITERIA[4:9]},
    "gain": (("any", "log_loss"), {"stop": "gain"}),
    "balanced": (("all", "log_loss"), {"class_prior": "balanced", "n_features": 5}),
    "cv 0": (("any", "error_probability"), {"cv": 0, "smoothing": 2.0}),
    "floating": (("any", "log_loss"), {"search": "floating", "n_features": (1, 4)}),
}
_DISCRETIZERS: dict[str, dict[str, Any]] = {
    **{
        f"{prior}, {missing}": {"prior": prior, "missing": missing}
        for prior in ("khiops", "2006")
        for missing in ("own_bin", "lowest")
    },
    "max_bins": {"max_bins": 3},
    "min_bin_size": {"min_bin_size": 25},
    "categorical": {"categorical": [1]},
}
_ORDERED: dict[str, dict[str, Any]] = {
    "increasing": {"monotone": "increasing"},
    "decreasing": {"monotone": "decreasing"},
    "special_values": {"special_values": [0]},
}


@dataclass(frozen=True)
class Case:
    """An estimator by its class and parameters, a set, and in which form its rows are given."""

    kind: str
    form: str
    data: str
    parameters: dict[str, Any] = field(default_factory=dict)
    arguments: tuple[Any, ...] = ()
    rows: str = "plain"

    def __str__(self) -> str:
        return " | ".join((self.kind, self.form, self.data, *([] if self.rows == "plain" else [self.rows])))


def all_cases() -> Iterator[Case]:
    """Yield every case."""
    for data in SETS:
        yield Case("SelectiveNaiveBayes", "default", data)
        yield Case("NaiveBayesSelector", "5 columns", data, {"n_features": 5})
    yield from _classifiers()
    yield from _searches()
    yield from _selectors()
    yield from _transformers()
    yield from _forms_of_rows()
    yield from _scorecards()


def _classifiers() -> Iterator[Case]:
    for data, (form, parameters) in product(("wine", "hepatitis", "pima", "crx"), _BAYES.items()):
        yield Case("SelectiveNaiveBayes", form, data, parameters)
    for data, (form, parameters) in product(("hepatitis", "pima", "german"), _OF_TWO_CLASSES.items()):
        yield Case("SelectiveNaiveBayes", form, data, parameters)
    for data, backend in product(("spect", "wine"), ("native", "reference")):
        yield Case("SelectiveNaiveBayes", backend, data, {"backend": backend, "n_features": 5})
    foreign = KBinsDiscretizer(4, encode="ordinal", strategy="uniform", random_state=0)
    yield Case("SelectiveNaiveBayes", "transformer", "wine", {"bins": "best", "discretizer": foreign})
    for data in ("breast_w", "spect", "vote", "adult_sample"):
        yield Case("SelectiveNaiveBayes.esnb", "default", data)
    for data, (form, (arguments, parameters)) in product(("spect", "crx"), _VOTES.items()):
        yield Case("VoteClassifier", form, data, parameters, arguments)
    for threshold in ("f1", ("recall", 0.9)):
        yield Case("VoteClassifier", f"threshold {threshold}", "german", {"threshold": threshold}, ("majority",))
    bayes = bayesieve.SelectiveNaiveBayes()
    for data in ("pima", "german"):
        yield Case("BenefitClassifier", "matrix", data, {"benefit_matrix": _MAILING["benefit_matrix"]}, (bayes,))
        yield Case("BenefitClassifier", "mean amount", data, {"cost": 20.0}, (bayes,), "amounts")
        yield Case("BenefitClassifier", "given", data, {}, (bayes,), "benefits")
    tree = DecisionTreeRegressor(max_depth=3, random_state=0)
    yield Case("BenefitClassifier", "heckman", "pima", {"cost": 20.0, "heckman": True}, (bayes, tree), "amounts")


def _searches() -> Iterator[Case]:
    for search, criterion in product(_SEARCHES, _CRITERIA):
        parameters = {"search": search, "criterion": criterion, **(_MAILING if criterion == "benefit" else {})}
        form = f"{search} {criterion}"
        for data, cv in (("spect", 0), ("heart_statlog", 5)):
            yield Case("NaiveBayesSelector", form, data, {**parameters, "cv": cv})
        yield Case("SelectiveNaiveBayes", form, "hepatitis", {**parameters, "weights": "none", "cv": 3})
        if criterion not in ("benefit", "refinement") and search in ("forward", "floating"):
            yield Case("NaiveBayesSelector", form, "wine", parameters)


def _selectors() -> Iterator[Case]:
    for form, (arguments, parameters) in _VOTES.items():
        yield Case("VoteSelector", form, "heart_statlog", parameters, arguments)
    for name in ("CVE", "CVL", "DVE", "DVL"):
        yield Case("VoteSelector.named", name, "breast_w", {"n_features": 4}, (name,))
    for data, name in product(("wine", "crx"), _FILTERS):
        yield Case("FilterSelector", name, data, {"method": name})
        if name not in ("modl_level", "cfs"):
            parameters = {"method": name, "n_features": 4, "discretizer": "equal_width"}
            yield Case("FilterSelector", f"{name}, 4", data, parameters)
    for data, method, replace in product(("spect", "crx"), ("confidence", "real", "logit", "brier"), (False, True)):
        form = f"{method}{', replace' * replace}"
        parameters = {"method": method, "replace": replace}
        yield Case("BoostSelector", form, data, parameters)
        yield Case("BoostSelector", f"{form}, shrunk", data, {**parameters, "cv": 0, "shrinkage": 0.5, "n_features": 4})


def _transformers() -> Iterator[Case]:
    for data, (form, parameters) in product(("wine", "horse_colic", "crx", "adult_sample"), _DISCRETIZERS.items()):
        yield Case("MODLDiscretizer", form, data, parameters)
    for data, (form, parameters) in product(("pima", "heart_statlog"), _ORDERED.items()):
        yield Case("MODLDiscretizer", form, data, parameters)
    yield Case("MODLDiscretizer", "user_splits", "wine", {"user_splits": {"alcohol": [12.0, 13.0]}})
    for data, merge in product(("wine", "ionosphere"), (False, True)):
        yield Case("IndicatorGrid", f"merge {merge}", data, {"thresholds": 5, "merge": merge})


def _forms_of_rows() -> Iterator[Case]:
    forms: dict[str, tuple[str, dict[str, Any]]] = {
        "default": ("SelectiveNaiveBayes", {}),
        "weights none": ("SelectiveNaiveBayes", {"weights": "none"}),
        "threshold f1, isotonic": ("SelectiveNaiveBayes", {"threshold": "f1", "calibration": "isotonic"}),
        "floating": ("NaiveBayesSelector", {"search": "floating"}),
        "logit": ("BoostSelector", {"method": "logit"}),
        "vote": ("VoteClassifier", {"n_features": 3}),
    }
    for (form, (kind, parameters)), rows in product(forms.items(), ("weights", "validation set", "groups", "sparse")):
        yield Case(kind, form, "ionosphere" if rows == "sparse" else "horse_colic", parameters, (), rows)
    for form in ("mutual_info", "jmi"):
        for rows in ("weights", "sparse"):
            yield Case("FilterSelector", form, "spect", {"method": form}, (), rows)
    for rows in ("weights", "sparse"):
        yield Case("MODLDiscretizer", "default", "ionosphere", {}, (), rows)
    yield Case("SelectiveNaiveBayes", "benefit", "pima", {"criterion": "benefit", "weights": "none"}, (), "benefits")
    for (form, (kind, parameters)), rows in product(forms.items(), ("dask", "parquet")):
        yield Case(kind, form, "german", parameters, (), rows)
    yield Case("SelectiveNaiveBayes", "default", "adult_sample", {}, (), "dask")
    yield Case("SelectiveNaiveBayes", "default", "adult", {}, (), "parquet")


def _scorecards() -> Iterator[Case]:
    for data in ("wine", "horse_colic", "crx"):
        yield Case("ScorecardClassifier", "auto", data)
        yield Case("ScorecardClassifier", "best without pairs", data, {"n_features": "best", "n_pairs": 0})
