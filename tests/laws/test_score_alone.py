"""The score of a column alone is the out-of-fold score of a model of this column, whose log loss is never negative."""

import numpy as np
import pandas as pd
import pytest

from bayesieve import ScorecardClassifier


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("backend", ["auto", "reference"])
def test_it_is_the_score_of_a_model_with_this_column_only(n_classes, backend):
    rng = np.random.default_rng(n_classes)
    signal = rng.normal(size=400)
    y = np.digitize(signal + 0.05 * rng.normal(size=400), [-0.5, 1.2][: n_classes - 1])
    X = pd.DataFrame(
        {
            "nearly the target": signal,
            "group": np.digitize(signal, [-1.0, 0.0, 1.0]).astype(str),
            "weak": 0.5 * signal + rng.normal(size=400),
            "noise": rng.normal(size=400),
        }
    )
    options = {"n_pairs": 0, "backend": backend}
    model = ScorecardClassifier(**options).fit(X, y)
    shares = np.bincount(y) / len(y)
    frequencies = float(-(shares * np.log(shares)).sum())
    for name in ("nearly the target", "group", "weak"):
        path = ScorecardClassifier(1, keep=[name], **options).fit(X, y).path_
        assert [step.column for step in path.steps] == [name]
        assert model.why_[name]["score_alone"] == pytest.approx(path.phases[-1].score, rel=1e-7)
        assert path.phases[-1].score < 0.0
    assert model.why_["nearly the target"]["score_alone"] > -0.5 * frequencies
    by_others = frequencies + (n_classes - 1) / len(y)  # of each row by the frequencies of the others, to first order
    assert model.why_["noise"]["score_alone"] == pytest.approx(-by_others, abs=1e-9)


def test_no_log_loss_is_negative():
    """Where two columns nearly decide the class, their evidence forecasts a loss far below zero."""
    rng = np.random.default_rng(0)
    y = (rng.random(2000) < 0.05).astype(int)
    X = pd.DataFrame({"a": y + 0.1 * rng.normal(size=2000), "b": np.where(rng.random(2000) < 0.01, 1 - y, y)})
    why = ScorecardClassifier().fit(X, y).why_
    assert all(entry["score_alone"] <= 0.0 for entry in why.values())
