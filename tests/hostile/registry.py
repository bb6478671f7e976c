"""What the hostile suite attacks: one line per estimator, stored file, table format and command.

Whoever adds one of these to the library adds a line here; ``test_hostile.py`` compares the names with the public ones.
"""

import numpy as np
from hostile.columns import pick
from sklearn.linear_model import LinearRegression

import bayesieve
from bayesieve.criteria import ALL_CRITERIA
from bayesieve.estimators.filter_selector import FILTERS
from bayesieve.search import SEARCHES

THRESHOLDS = ["bayes", "chi2", "ber", "f1", 0.3, ("recall", 0.9), ("precision", 0.9), 0.0, 1.0, ("recall", 1.0)]
BENEFITS = [[[0, 1], [1, 0]], [[0, 0], [-1, 5], [2, 2]], [[1e300, -1e300], [0, 0]], [[np.nan, 0], [0, 1]]]
SIZES = ["auto", "all", 1, 2, 0.5, (None, 2), (1, None), 0, 99, (2, 1)]
MANUAL_BINS = [{"c0": [0.0, 1.0]}, {"c0": [["a"], ["b"]]}, {"nope": [1]}, {"c0": [1, 0]}, {"c0": [np.nan]}]


def _one(rng, values):
    return pick(rng, values, 1)[0]


def _search_options(rng):
    options = {
        "n_features": _one(rng, SIZES),
        "cv": _one(rng, [0, 2, 3, 5, 0.3, 1, 50, 0.999]),
        "n_jobs": 1,
        "discretizer": _one(rng, ["modl", "modl", "modl", "mdlp", "equal_frequency", "equal_width", None]),
        "one_se": bool(rng.random() < 0.2),
        "tol": _one(rng, [0.0, None, 0.01, 1e9]),
        "random_state": _one(rng, [None, 0]),
    }
    return {name: value for name, value in options.items() if name == "n_jobs" or rng.random() < 0.6}


def _criterion(rng, options, criteria):
    options["criterion"] = _one(rng, criteria)
    if options["criterion"] == "benefit":
        options["benefit_matrix"] = _one(rng, BENEFITS)
    return options


def _selective(rng):
    if rng.random() < 0.4:
        return bayesieve.SelectiveNaiveBayes(n_jobs=1)
    if rng.random() < 0.1:
        return bayesieve.SelectiveNaiveBayes.esnb(n_jobs=1)
    options = _criterion(rng, _search_options(rng), ["auto", "auto", *ALL_CRITERIA]) | {
        "bins": _one(rng, ["averaged", "best"]),
        "weights": _one(rng, ["penalized", "fractional", "averaged", "none"]),
        "threshold": _one(rng, THRESHOLDS),
        "calibration": _one(rng, [None, None, "isotonic", "beta"]),
        "search": _one(rng, ["auto", "auto", *SEARCHES]),
        "max_time": _one(rng, [None, None, 0.0, 1e-9]),
        "class_prior": _one(rng, [None, None, None, [0.5, 0.5], [0, 1], [1e-300, 1]]),
    }
    return bayesieve.SelectiveNaiveBayes(**options)


def _scorecard(rng):
    if rng.random() < 0.4:
        return bayesieve.ScorecardClassifier(n_jobs=1)
    return bayesieve.ScorecardClassifier(
        n_features=_one(rng, SIZES),
        n_pairs=_one(rng, ["auto", 0, 1, 99, [("c0", "c1")], [("c0", "nope")], [("c0", "c0")]]),
        min_gain=_one(rng, [0.99, 0.5, 1.0]),
        cv=_one(rng, ["auto", 2, 3, 50]),
        monotone=_one(rng, [None, None, "increasing", "decreasing", {"c0": "increasing"}, {"nope": "increasing"}]),
        merge_cost=_one(rng, [0.0005, 0.0, 1e300]),
        threshold=_one(rng, THRESHOLDS),
        class_prior=_one(rng, [None, None, [0.5, 0.5], [0, 1], [1e-300, 1]]),
        max_time=_one(rng, [None, None, 0.0, 1e-9]),
        n_jobs=1,
    )


def _selector(rng):
    options = _criterion(rng, _search_options(rng), [name for name in ALL_CRITERIA]) | {
        "search": _one(rng, list(SEARCHES)),
        "backend": _one(rng, ["auto", "auto", "reference"]),
        "smoothing": _one(rng, ["auto", 1e-300, 1.0, 1e300]),
        "scoring": _one(rng, [None, "auc", ["brier", "auc"]]),
    }
    return bayesieve.NaiveBayesSelector(**options)


def _filter(rng):
    return bayesieve.FilterSelector(
        _one(rng, list(FILTERS)),
        n_features=_one(rng, SIZES),
        discretizer=_one(rng, ["modl", "modl", "mdlp", "equal_frequency", "equal_width", None]),
        n_jobs=1,
        n_neighbors=_one(rng, [1, 10, 1000]),
        sigma=_one(rng, [None, 1.0, 1e-300, 1e300]),
        beta=_one(rng, [0.0, 1.0, 1e300]),
    )


def _vote_options(rng):
    return _search_options(rng) | {
        "votes": _one(rng, ["any", "all", "majority", 1, 3, 0.5, 99, 1.0, 1e-9]),
        "criterion": _one(rng, ["expected", "log_loss", "brier", "auc", "error"]),
        "smoothing": _one(rng, [1.0, 1e-300, 1e300]),
        "class_prior": _one(rng, ["observed", "balanced"]),
        "stop": _one(rng, ["k", "gain"]),
        "search": _one(rng, list(SEARCHES)),
    }


def _boost_options(rng):
    return _search_options(rng) | {
        "method": _one(rng, ["confidence", "real", "logit", "brier"]),
        "replace": bool(rng.random() < 0.3),
        "shrinkage": _one(rng, [1.0, 0.1, 1e-300]),
        "smoothing": _one(rng, [1.0, 1e-300, 1e300]),
    }


def _benefit(rng):
    return bayesieve.BenefitClassifier(
        bayesieve.SelectiveNaiveBayes(n_jobs=1),
        cost=_one(rng, [0.0, 1.0, 1e300, -1.0]),
        amount=LinearRegression() if rng.random() < 0.3 else None,
        heckman=bool(rng.random() < 0.2),
        cv=2,
    )


def _modl(rng):
    return bayesieve.MODLDiscretizer(
        prior=_one(rng, ["khiops", "2006"]),
        missing=_one(rng, ["own_bin", "lowest"]),
        max_bins=_one(rng, [None, 1, 2, 3]),
        min_bin_size=_one(rng, [0, 0, 1, 5, 2.0**63, 1e300]),
        monotone=_one(rng, [None, None, "increasing", "decreasing"]),
        special_values=_one(rng, [None, None, [0.0], [np.nan], [-999, 1.0], [np.inf]]),
        categorical=_one(rng, ["auto", "auto", [0], "c0"]),
        user_splits=_one(rng, [None, None, None, *MANUAL_BINS]),
        n_jobs=1,
    )


def _grid(rng):
    return bayesieve.IndicatorGrid(
        _one(rng, [9, 1, 0, 10**9, [0.0], [np.nan], [np.inf, 0.0], {"c0": [1.0]}, {"nope": [1.0]}, "a"]),
        sides=_one(rng, ["<=", "<=", ">=", {"c0": ">="}, "?"]),
        merge=bool(rng.random() < 0.5),
    )


def _wrapper(rng):
    options = _search_options(rng) | {"search": _one(rng, ["forward", "backward", "floating"])}
    options.pop("discretizer", None)
    return bayesieve.WrapperSelector(bayesieve.SelectiveNaiveBayes(n_jobs=1, cv=0), **options)


# Each line: a public class, and a function of a random generator that returns an instance.
ESTIMATORS = {
    "BenefitClassifier": _benefit,
    "BoostClassifier": lambda rng: bayesieve.BoostClassifier(threshold=_one(rng, THRESHOLDS), **_boost_options(rng)),
    "BoostSelector": lambda rng: bayesieve.BoostSelector(**_boost_options(rng)),
    "FilterSelector": _filter,
    "IndicatorGrid": _grid,
    "MODLDiscretizer": _modl,
    "NaiveBayesSelector": _selector,
    "ScorecardClassifier": _scorecard,
    "SelectiveNaiveBayes": _selective,
    "VoteClassifier": lambda rng: bayesieve.VoteClassifier(threshold=_one(rng, THRESHOLDS[:6]), **_vote_options(rng)),
    "VoteSelector": lambda rng: bayesieve.VoteSelector(**_vote_options(rng)),
    "WrapperSelector": _wrapper,
}

# Each line: a command, and its arguments after a model and a damaged table; None where there is no table to damage.
COMMANDS = {
    "check": [["{table}", "--target", "y"], ["{table}"]],
    "demo": None,
    "discretize": [["{table}", "--target", "y"], ["{table}", "--target", "y", "--json"]],
    "drift": [["{model}", "{table}"], ["{model}", "{table}", "--json"]],
    "evaluate": [["{model}", "{table}"], ["{model}", "{table}", "--json"]],
    "explain": [["{model}", "{table}"], ["{model}", "{table}", "--json"]],
    "export": None,
    "fit": [
        ["{table}", "--target", "y", "--cv", "2", "--method", "nb", "--json"],
        ["{table}", "--target", "y", "--cv", "2", "--method", "esnb"],
        ["{table}", "--target", "y", "--memory", "1GB"],
    ],
    "predict": [
        ["{model}", "{table}"],
        ["{model}", "{table}", "--key", "id", "--out", "{folder}/out.csv"],
        ["{model}", "{table}", "--memory", "1GB"],
        ["{model}", "{table}", "--json"],
    ],
    "rank": [["{table}", "--target", "y"], ["{table}", "--target", "y", "--json"]],
    "reproduce": None,
    "show": None,
}

TABLE_FORMATS = (
    ".csv", ".csv.gz", ".tsv", ".txt", ".parquet", ".pq", ".feather", ".arrow", ".ipc", ".jsonl", ".ndjson", ".xlsx",
    ".ods", ".xls", ".xlsb", ".arff",
)  # fmt: skip
STORED_FILES = ("model", "checkpoint", "journal")
