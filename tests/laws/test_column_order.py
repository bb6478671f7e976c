"""How much the order of columns may matter: nothing for a scorecard (test_scorecard_laws.py), little for weights."""

import numpy as np
import pandas as pd
import pytest

from bayesieve import SelectiveNaiveBayes

BOUND = 1e-3  # docs/explanation/classifier.md


@pytest.mark.parametrize("cv", ["auto", 0])
@pytest.mark.parametrize("seed", range(3))
def test_weights_are_those_of_permuted_columns_within_the_documented_bound(cv, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 300)
    table = pd.DataFrame(rng.normal(size=(300, 10)) + y[:, None] * rng.choice([0, 0.5, 1.0], 10)).add_prefix("c")
    permuted = table[rng.permutation(table.columns)]
    model, other = (SelectiveNaiveBayes(cv=cv, n_jobs=1).fit(each, y) for each in (table, permuted))
    assert set(model.get_feature_names_out()) == set(other.get_feature_names_out())
    assert abs(model.predict_proba(table) - other.predict_proba(permuted)).max() < BOUND
