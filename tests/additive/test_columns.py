"""More columns than a scorecard tries: the best alone take part, in every fold without its rows."""

import numpy as np
import pytest

from bayesieve import ScorecardClassifier
from bayesieve.additive import shape_data


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_best_columns_alone_take_part(monkeypatch, n_classes):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 14))
    X[:, 11] = X[:, 9]
    scores = 1.5 * X[:, [2, 9, 4][:n_classes]] + rng.gumbel(size=(400, n_classes))
    y = scores.argmax(axis=1)
    monkeypatch.setattr(shape_data, "_MOST_COLUMNS", 4)
    model = ScorecardClassifier(n_pairs=0).fit(X, y)
    chosen = {"x2", "x9"} if n_classes == 2 else {"x2", "x9", "x4"}
    assert chosen <= set(model.path_.order)
    reasons = {name: why["reason"] for name, why in model.why_.items() if not why["selected"]}
    left_out = [name for name, reason in reasons.items() if "with the largest log Bayes factors alone" in reason]
    assert len(left_out) > 2
    assert not {"x2", "x9", "x11"} & set(left_out)
    assert "the same values, up to order, as 'x9'" in reasons["x11"]
    kept = ScorecardClassifier(n_pairs=0, keep=[left_out[0]]).fit(X, y)
    assert left_out[0] in kept.path_.order
