"""The input and output of Khiops, with a stand-in for it."""

import sys
from textwrap import dedent

import numpy as np
import pandas as pd
import pytest

from bayesieve.papers.peers import fit_khiops

X = pd.DataFrame({"size": [1.5, np.nan, 3.0, 4.0, 0.1], "kind": ["NA", "b", None, "b", "NA"]})
Y = np.array([0, 1, 0, 1, 1])
SPLIT = (np.array([0, 1, 2]), np.array([4, 3]))

# Its probabilities repeat its input; classes are in another order than ours.
STAND_IN = """
    from types import SimpleNamespace

    import numpy as np


    class KhiopsClassifier:
        def __init__(self, **options):
            assert set(options.values()) == {0}

        def fit(self, X, y):
            assert X["c0"].dtype == float
            assert X["c0"].isna().tolist() == [False, True, False]
            assert X["c1"].tolist() == ["NA", "b", ""]
            assert [str(label) for label in y] == ["0", "1", "0"]
            self.classes_ = np.array(["1", "0"])
            predictor = SimpleNamespace(selected_variables=["c0", "c1"])
            report = SimpleNamespace(get_snb_predictor=lambda: predictor)
            self.model_report_ = SimpleNamespace(modeling_report=report)

        def predict_proba(self, X):
            share = X["c0"].to_numpy() / 10
            return np.column_stack([share, 1 - share])
"""


@pytest.fixture
def stand_in(tmp_path, monkeypatch):
    package = tmp_path / "khiops"
    package.mkdir()
    for name, text in (("__init__", ""), ("core", ""), ("sklearn", dedent(STAND_IN))):
        (package / f"{name}.py").write_text(text)
    monkeypatch.setenv("BAYESIEVE_KHIOPS_PYTHON", sys.executable)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))


@pytest.mark.usefixtures("stand_in")
def test_from_a_frame():
    first, second = fit_khiops(X, Y, [SPLIT, SPLIT], "frame")
    assert first.n_columns == second.n_columns == 2
    np.testing.assert_allclose(first.probabilities, [[0.99, 0.01], [0.6, 0.4]])
    assert first.seconds > 0
