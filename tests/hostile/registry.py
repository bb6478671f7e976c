"""What the hostile suite attacks: one line per estimator, stored file, table format and command.

Whoever adds one of these to the library adds a line here; ``test_hostile.py`` compares the names with the public ones.
"""

import numpy as np
from hostile.columns import pick
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LinearRegression

import bayesieve
from bayesieve.estimators.filter_selector import FILTERS
from bayesieve.search import SEARCHES
from bayesieve.search.criteria import ALL_CRITERIA

THRESHOLDS = ["bayes", "chi2", "ber", "f1", 0.3, ("recall", 0.9), ("precision", 0.9)]
ODD_THRESHOLDS = [0.0, 1.0, ("recall", 1.0), -1, "nope", np.nan, ("recall", 2)]
BENEFITS = [[[0, 1], [1, 0]], [[0, 0], [-1, 5], [2, 2]], [[1e300, -1e300], [0, 0]], [[np.nan, 0], [0, 1]]]
SIZES = ["auto", "all", 1, 2, 0.5, (None, 2), (1, None)]
ODD_SIZES = [0, 99, (2, 1), -1, 1e300, "nope", np.nan]
PRIORS = [[0.5, 0.5], [0, 1], [1e-300, 1], [0.2, 0.3, 0.5], {0: 0.5, 1: 0.5}, [np.nan, 1], "nope"]
MANUAL_BINS = [{"c0": [0.0, 1.0]}, {"c0": [["a"], ["b"]]}, {"nope": [1]}, {"c0": [1, 0]}, {"c0": [np.nan]}]
NAMES = ["c0", ["c0"], [0], 1, "nope", [], [True], 99, ["c0", "c0"], [np.nan]]


def _one(rng, values):
    return pick(rng, values, 1)[0]


def _draw(rng, usual, odd):
    """Return options, each drawn in three cases of five; in one case of four there is an odd one among them."""
    options = {name: _one(rng, values) for name, values in usual.items() if rng.random() < 0.6}
    if rng.random() < 0.25:
        name = _one(rng, list(odd))
        options[name] = _one(rng, odd[name])
    return options


def _known(maker, options):
    return {name: value for name, value in options.items() if name in maker().get_params()}


_SEARCH = {
    "n_features": SIZES,
    "cv": [0, 2, 3, 5, 0.3],
    "discretizer": ["modl", "modl", "modl", "mdlp", "equal_frequency", "equal_width", None],
    "one_se": [True, False],
    "tol": [0.0, None, 0.01, 1e9],
    "random_state": [None, 0],
}
_ODD_SEARCH = {
    "n_features": ODD_SIZES,
    "cv": [1, 50, 0.999, -1, "nope", 1e300],
    "keep": NAMES,
    "drop": NAMES,
    "feature_groups": [{"g": ["c0", "c1"]}, {"g": "c0"}, {"g": []}, {"g": ["nope"]}, {}, {1: ["c0"]}],
    "max_time": [0.0, 1e-9, -1.0, np.nan],
}


def _criterion(rng, options, criteria):
    if rng.random() < 0.6:
        options["criterion"] = _one(rng, criteria)
        if options["criterion"] == "benefit":
            options["benefit_matrix"] = _one(rng, BENEFITS)
    return options


def _selective(rng):
    if rng.random() < 0.1:
        return bayesieve.SelectiveNaiveBayes.esnb(n_jobs=1)
    usual = _SEARCH | {
        "bins": ["averaged", "best"],
        "weights": ["penalized", "fractional", "averaged", "none"],
        "threshold": THRESHOLDS,
        "calibration": [None, None, "isotonic", "beta"],
    }
    odd = _ODD_SEARCH | {"search": list(SEARCHES), "class_prior": PRIORS, "threshold": ODD_THRESHOLDS}
    options = _draw(rng, usual, odd)
    if rng.random() < 0.3:  # weights need the log loss
        options |= _criterion(rng, {"weights": "none"}, list(ALL_CRITERIA))
    return bayesieve.SelectiveNaiveBayes(n_jobs=1, **options)


def _scorecard(rng):
    usual = {
        "n_features": [*SIZES, "best"],
        "n_pairs": ["auto", 0, 1, 99, [("c0", "c1")], [(0, 1), (1, 2)]],
        "min_gain": [0.99, 0.5, 1.0],
        "cv": ["auto", 2, 3],
        "columns": [
            None,
            None,
            bayesieve.Column(monotone="increasing"),
            {"c0": {"monotone": "decreasing"}, "c1": bayesieve.Column(missing="neutral")},
        ],
        "missing": ["learn", "neutral"],
        "merge_cost": [0.0005, 0.0, 1e300],
        "threshold": THRESHOLDS,
        "scoring": [None, "auc", ["brier", "log_loss"]],
        "backend": ["auto"] * 9 + ["reference"],
    }
    odd = _ODD_SEARCH | {
        "n_pairs": [[("c0", "nope")], [("c0", "c0")], [("c0",)], -1, [("c0", "c1"), ("c1", "c0")], [99, 98], "nope"],
        "columns": [
            {"nope": {"monotone": "increasing"}},
            {"c0": "nope"},
            {"c0": {"monotone": "nope"}},
            {0: {"monotone": "increasing"}, "c0": {}},
            {"c0": {"monotone": {1: "increasing"}}},
            bayesieve.Column(ordered=[np.nan, np.nan]),
            {},
        ],
        "min_gain": [0.0, 1e-300, np.nan, 2],
        "threshold": ODD_THRESHOLDS,
        "class_prior": PRIORS,
    }
    return bayesieve.ScorecardClassifier(n_jobs=1, **_draw(rng, usual, odd))


def _selector(rng):
    usual = _SEARCH | {
        "search": list(SEARCHES),
        "backend": ["auto", "auto", "reference"],
        "smoothing": ["auto", 1.0],
        "scoring": [None, "auc", ["brier", "auc"]],
    }
    options = _draw(rng, usual, _ODD_SEARCH | {"smoothing": [1e-300, 1e300, 0.0, -1, np.nan]})
    return bayesieve.NaiveBayesSelector(n_jobs=1, **_criterion(rng, options, list(ALL_CRITERIA)))


def _filter(rng):
    usual = {
        "n_features": SIZES,
        "discretizer": ["modl", "modl", "mdlp", "equal_frequency", "equal_width", None],
        "n_neighbors": [1, 10, 1000],
        "sigma": [None, 1.0, 1e-300, 1e300],
        "beta": [0.0, 1.0, 1e300],
    }
    odd = {"n_features": ODD_SIZES, "n_neighbors": [0, -1, 1e300], "sigma": [0.0, np.nan], "beta": [-1.0, np.nan]}
    return bayesieve.FilterSelector(_one(rng, list(FILTERS)), n_jobs=1, **_draw(rng, usual, odd))


def _vote(rng, maker, **more):
    usual = _SEARCH | {
        "votes": ["any", "all", "majority", 1, 3, 0.5],
        "criterion": ["expected", "log_loss", "brier", "auc", "error"],
        "smoothing": [1.0, 1e-300, 1e300],
        "class_prior": ["observed", "balanced"],
        "stop": ["k", "gain"],
        "search": list(SEARCHES),
    }
    odd = _ODD_SEARCH | {"votes": [99, 1.0, 1e-9, 0, -1, np.nan, "nope"]}
    return maker(n_jobs=1, **_known(maker, _draw(rng, usual | more, odd)))


def _boost(rng, maker, **more):
    usual = _SEARCH | {
        "method": ["confidence", "real", "logit", "brier"],
        "replace": [True, False],
        "shrinkage": [1.0, 0.1, 1e-300],
        "smoothing": [1.0, 1e-300, 1e300],
    }
    odd = _ODD_SEARCH | {"shrinkage": [0.0, 2.0, np.nan]}
    return maker(n_jobs=1, **_known(maker, _draw(rng, usual | more, odd)))


def _benefit(rng):
    makers = (bayesieve.SelectiveNaiveBayes, bayesieve.ScorecardClassifier)
    usual = {"cost": [0.0, 1.0, 1e300, -1.0], "amount": [None, None, LinearRegression()], "heckman": [True, False]}
    odd = {"cost": [np.nan, np.inf, "nope"], "amount": ["nope", 5.0], "cv": [0, 1, 50]}
    return bayesieve.BenefitClassifier(_one(rng, makers)(n_jobs=1), **{"cv": 2} | _draw(rng, usual, odd))


def _modl(rng):
    usual = {
        "prior": ["khiops", "2006"],
        "missing": ["own_bin", "lowest"],
        "max_bins": [None, 1, 2, 3],
        "min_bin_size": [0, 0, 1, 5],
        "special_values": [None, None, [0.0], [-999, 1.0]],
    }
    odd = {
        "monotone": ["increasing", "decreasing", {"c0": "increasing"}, "nope"],
        "min_bin_size": [2.0**63, 1e300, -1, np.nan],
        "special_values": [[np.nan], [np.inf], ["a"], 0.0],
        "categorical": [[0], "c0", ["nope"], 99],
        "user_splits": MANUAL_BINS,
    }
    return bayesieve.MODLDiscretizer(n_jobs=1, **_draw(rng, usual, odd))


def _grid(rng):
    usual = {"thresholds": [9, 1, [0.0], [1.0, 0.0], {"c0": [1.0]}], "sides": ["<=", ">=", {"c0": ">="}]}
    odd = {"thresholds": [0, 10**9, [np.nan], [np.inf, 0.0], {"nope": [1.0]}, "a"], "sides": ["?", {"nope": ">="}]}
    return bayesieve.IndicatorGrid(merge=bool(rng.random() < 0.5), **_draw(rng, usual, odd))


def _wrapper(rng):
    """Return a wrapper whose estimator is cheap in most cases: it is attacked by itself, too."""
    estimators = [bayesieve.SelectiveNaiveBayes(n_jobs=1, cv=0), *[_AnyTable()] * 9]
    usual = {name: values for name, values in _SEARCH.items() if name != "discretizer"}
    usual |= {"search": ["forward", "backward", "floating", "beam"], "scoring": [None, "neg_log_loss", "roc_auc"]}
    odd = _ODD_SEARCH | {"scoring": ["nope", "r2"], "beam_width": [0, 1, 10**9]}
    return bayesieve.WrapperSelector(_one(rng, estimators), n_jobs=1, **{"cv": 2} | _draw(rng, usual, odd))


class _AnyTable(ClassifierMixin, BaseEstimator):
    """A classifier that reads any table and predicts the frequent class, better with more columns."""

    def fit(self, X, y, sample_weight=None):
        self.classes_, counts = np.unique(np.asarray(y), return_counts=True)
        self.shares_ = counts / counts.sum()
        return self

    def predict(self, X):
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]

    def predict_proba(self, X):
        power = 1.0 + X.shape[1] % 3
        shares = self.shares_**power
        return np.tile(shares / shares.sum(), (X.shape[0], 1))


def _number(rng):
    options = {"n_features": ["auto", "best", *SIZES[2:]], "n_pairs": ["auto", 0, 1], "cv": ["auto", 2, 3, 5]}
    usual = options | {"missing": ["learn", "neutral"], "random_state": [None, 0], "backend": ["auto", "reference"]}
    usual |= {"loss": ["squared", "squared", "poisson", "gamma", "tweedie"], "link": ["auto", "auto", "log"]}
    odd = _ODD_SEARCH | {"columns": [{"nope": {"monotone": "increasing"}}, {"c0": "nope"}, {}], "min_gain": [0.0, 2]}
    odd |= {"link": ["identity"], "power": [1.999, 2], "exposure": ["c0", "nope", 1]}
    return bayesieve.ScorecardRegressor(n_jobs=1, **_draw(rng, usual, odd))


# Each line: a public class, and a function of a random generator that returns an instance.
ESTIMATORS = {
    "BenefitClassifier": _benefit,
    "BoostClassifier": lambda rng: _boost(rng, bayesieve.BoostClassifier, threshold=THRESHOLDS),
    "BoostSelector": lambda rng: _boost(rng, bayesieve.BoostSelector),
    "FilterSelector": _filter,
    "IndicatorGrid": _grid,
    "MODLDiscretizer": _modl,
    "NaiveBayesSelector": _selector,
    "ScorecardClassifier": _scorecard,
    "ScorecardRegressor": _number,
    "SelectiveNaiveBayes": _selective,
    "VoteClassifier": lambda rng: _vote(rng, bayesieve.VoteClassifier, threshold=THRESHOLDS),
    "VoteSelector": lambda rng: _vote(rng, bayesieve.VoteSelector),
    "WrapperSelector": _wrapper,
}

# Each line: a command, and its arguments after a model and a damaged table; None where there is no table to damage.
COMMANDS = {
    "check": [["{table}", "--target", "y"], ["{table}"]],
    "demo": None,
    "discretize": [["{table}", "--target", "y"], ["{table}", "--target", "y", "--json"]],
    "drift": [["{model}", "{table}"], ["{model}", "{table}", "--json"]],
    "edit": [
        ["{model}", "{table}", "--undo", "0", "--alternatives", "x"],
        ["{model}", "{table}", "--merge", "x:0,1", "--points", "x:0=0.5", "--json"],
        ["{model}", "{table}", "--missing", "x:neutral", "--out", "{folder}/out.json"],
    ],
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
        ["{model}", "{table}", "{table}", "--budget", "5"],
        ["{model}", "{table}", "--json"],
    ],
    "rank": [["{table}", "--target", "y"], ["{table}", "--target", "y", "--json", "--drop", "id"]],
    "reproduce": None,
    "show": None,
}

TABLE_FORMATS = (
    ".csv", ".csv.gz", ".tsv", ".txt", ".parquet", ".pq", ".feather", ".arrow", ".ipc", ".jsonl", ".ndjson", ".xlsx",
    ".ods", ".xls", ".xlsb", ".arff",
)  # fmt: skip
STORED_FILES = ("model", "checkpoint", "journal")
