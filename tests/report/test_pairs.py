"""The heat maps of pairs: labels of neighboring bins, and where the numbers of a cell are."""

import re

import numpy as np
import pandas as pd
import pytest

from bayesieve import Report, ScorecardClassifier
from bayesieve.report.pairs import _joined


@pytest.mark.parametrize(
    ("labels", "label"),
    [
        (["≤ 9.03"], "≤ 9.03"),
        (["≤ 9.03", "9.03 – 9.1", "9.1 – 9.35"], "≤ 9.35"),
        (["9.35 – 9.45", "9.45 – 9.85"], "9.35 – 9.85"),
        (["12 – 13.5", "> 13.5"], "> 12"),
        (["12 – 13.5", "missing"], "12 – 13.5, …"),
        (["red, green", "blue"], "red, green, …"),
    ],
)
def test_one_label_covers_all_of_its_bins(labels, label):
    assert _joined(labels) == label


def test_a_page_tells_where_the_numbers_of_small_cells_are():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(-3, 3, size=(3000, 3)), columns=list("abc"))
    y = (np.sin(3 * X["a"]) * np.sin(3 * X["b"]) + 0.2 * rng.normal(size=3000) > 0).astype(int)
    model = ScorecardClassifier(n_pairs=[("a", "b")], merge_cost=1e-6).fit(X, y)
    assert max(each.n_bins for each in model.scorecard_.pairs[0].partitions) > 8
    html = Report.from_estimator(model, X, y, cv=2, compare=False).html
    (lead,) = re.findall(r'id="pairs-lead">([^<]*)<', html)
    assert lead.endswith("A pointer on a cell shows its points and training rows.")
    assert "small number" not in lead
    coarse = pd.DataFrame({"a": X["a"] > 0, "b": X["b"] > 0, "c": X["c"]})
    model = ScorecardClassifier(n_pairs=[("a", "b")]).fit(coarse, (coarse["a"] != coarse["b"]).astype(int))
    html = Report.from_estimator(model, coarse, (coarse["a"] != coarse["b"]).astype(int), cv=2, compare=False).html
    assert "The small number is the number of training rows." in html
