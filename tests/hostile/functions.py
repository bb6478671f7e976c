"""Public names that are not estimators, each called with a hostile table; one line per name.

Whoever adds a public name to the library adds a line here; ``test_hostile.py`` compares the names.
"""

import tempfile
from pathlib import Path

import numpy as np
from hostile.columns import pick
from matplotlib.figure import Figure
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier

import bayesieve
from bayesieve.evaluation.encodings import ENCODINGS


def _logistic():
    return OneVsRestClassifier(LogisticRegression(solver="liblinear"))


def _fitted(rng, table):
    makers = (bayesieve.ScorecardClassifier, bayesieve.SelectiveNaiveBayes, bayesieve.VoteClassifier)
    return pick(rng, makers, 1)[0](n_jobs=1).fit(table.X, table.y)


def _evaluation(rng, table, classifier, names=("mrmr",)):
    selectors = {name: bayesieve.FilterSelector(name, n_features="all", n_jobs=1) for name in names}
    sizes = pick(rng, [None, [1], [1, 2]], 1)[0]
    evaluation = bayesieve.evaluate(selectors, classifier, (table.X, table.y), sizes=sizes, cv=2)
    scores = [(row["accuracy"], row["log_loss"]) for row in evaluation.rows()]
    assert not np.isnan(np.array(scores, float)).any(), "NaN in a score"
    return evaluation


def _evaluate(rng, table):
    classifier = pick(rng, [bayesieve.SelectiveNaiveBayes(n_jobs=1), _logistic()], 1)[0]
    evaluation = _evaluation(rng, table, classifier)
    evaluation.to_frame(), evaluation.summary(), evaluation.selections(), evaluation.stability()


def _compare(rng, table):
    comparison = bayesieve.compare(_evaluation(rng, table, _logistic(), ("mrmr", "chi2")))
    str(comparison), comparison._repr_html_(), comparison.to_frame()


def _learner(rng, table):
    encoding = pick(rng, ["auto", *ENCODINGS], 1)[0]
    _evaluation(rng, table, bayesieve.Learner(_logistic(), {"estimator__C": [0.1, 1.0]}, encoding)).summary()


def _check_data(rng, table):
    check = bayesieve.check_data(table.X, table.y)
    str(check), check.to_frame(), check.to_dict()


def _drift(rng, table):
    model = _fitted(rng, table)
    reference = (table.X, table.y) if rng.random() < 0.5 else None
    drift = bayesieve.drift(model, table.X, table.y if rng.random() < 0.5 else None, reference=reference)
    str(drift), drift.to_frame(), drift.to_dict()
    assert all(column.psi < 1e-9 for column in drift.columns), "drift between equal rows"


def _report(rng, table):
    model = pick(rng, [bayesieve.ScorecardClassifier(n_jobs=1), bayesieve.SelectiveNaiveBayes(n_jobs=1)], 1)[0]
    report = bayesieve.Report.from_estimator(model, table.X, table.y, cv=2, compare=False, what_if=rng.random() < 0.3)
    with tempfile.TemporaryDirectory() as folder:
        report.save(str(Path(folder) / "report.html"))


def _axes():
    return Figure().subplots()


def _bins_display(rng, table):
    model = _fitted(rng, table)
    for column in list(getattr(model, "partitions_", {}))[:2]:
        bayesieve.BinsDisplay.from_estimator(model, column, ax=_axes())


def _pair_display(rng, table):
    model = bayesieve.ScorecardClassifier(n_pairs=[(0, 1)], n_jobs=1).fit(table.X, table.y)
    bayesieve.PairDisplay.from_estimator(model, 0, ax=_axes())


def _profit_display(rng, table):
    amounts = rng.choice([0.0, 1.0, 5.0, 1e300], table.n_rows)
    model = bayesieve.BenefitClassifier(bayesieve.SelectiveNaiveBayes(n_jobs=1), cost=0.5)
    model.fit(table.X, table.y, amounts=amounts)
    bayesieve.ProfitCurveDisplay.from_estimator(model, table.X, table.y, amounts=amounts, ax=_axes())


def _reliability_display(rng, table):
    bayesieve.ReliabilityDisplay.from_estimator(_fitted(rng, table), table.X, table.y, ax=_axes())


def _row_display(rng, table):
    bayesieve.RowExplanationDisplay.from_estimator(_fitted(rng, table), table.X, ax=_axes())


def _path_display(rng, table):
    bayesieve.SelectionPathDisplay.from_estimator(_fitted(rng, table), ax=_axes())


def _edits(rng, table):
    model = bayesieve.ScorecardClassifier(n_jobs=1).fit(table.X, table.y)
    edits = bayesieve.Edits(author="'; DROP TABLE")
    for own in model.scorecard_.tables[:3]:
        points, value = pick(rng, [0.5, -10.0, 1e-300], 1)[0], pick(rng, [0, -1.5, 1e300], 1)[0]
        points = points if len(model.classes_) == 2 else dict.fromkeys(model.classes_, points)
        calls = [
            (edits.points, int(rng.integers(own.partition.n_bins)), points),
            (edits.missing, pick(rng, ["neutral", "learn"], 1)[0]),
            (edits.merge, [0, 1]),
            (edits.special, value),
            (edits.split, pick(rng, ["x", value], 1)[0]),
            (edits.drop,),
        ]
        method, *values = pick(rng, calls, 1)[0]
        method(own.name, *values)
    edited = model.edited(edits, table.X, table.y, refit=rng.random() < 0.7)
    assert not np.isnan(edited.predict_proba(table.X)).any(), "NaN in a probability"
    with tempfile.TemporaryDirectory() as folder:
        edited.save(str(Path(folder) / "model.json"))
        assert len(bayesieve.load(str(Path(folder) / "model.json")).edits_) == len(edits)


# Each line: a public name, and a function of a random generator and a table; None where there is no table to read.
FUNCTIONS = {
    "BinsDisplay": _bins_display,
    "Change": None,  # what `changes_` holds
    "Column": None,  # a parameter of ScorecardClassifier: registry.py
    "Edit": None,  # what `Edits` holds
    "Edits": _edits,
    "Learner": _learner,
    "PairDisplay": _pair_display,
    "ProfitCurveDisplay": _profit_display,
    "ReliabilityDisplay": _reliability_display,
    "Report": _report,
    "RowExplanationDisplay": _row_display,
    "SelectionPathDisplay": _path_display,
    "__version__": None,
    "check_data": _check_data,
    "compare": _compare,
    "drift": _drift,
    "evaluate": _evaluate,
    "load": None,  # stored.py
    "open_parquet": None,  # blocks.py
    "show_versions": None,
}
