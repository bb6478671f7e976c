"""Weights that add up to one row: a sentence names them, and multiplying them by the number of rows helps."""

import warnings

import numpy as np
import pandas as pd
import pytest
from cut_tables import cut

from bayesieve import MODLDiscretizer, NaiveBayesSelector, ScorecardClassifier, SelectiveNaiveBayes
from bayesieve.exceptions import SmallWeightsWarning

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 400)
X = pd.DataFrame({"a": 2 * Y + RNG.normal(size=400), "b": Y + RNG.normal(size=400)})
WEIGHTS = RNG.gamma(2, 1, 400)


@pytest.mark.filterwarnings("ignore::bayesieve.exceptions.NothingSelectedWarning")
@pytest.mark.parametrize("kind", [ScorecardClassifier, SelectiveNaiveBayes, NaiveBayesSelector, MODLDiscretizer])
def test_weights_that_add_up_to_one_are_told(kind):
    with pytest.warns(SmallWeightsWarning, match=r"adds up to 1 over 400 rows.*multiply weights by 400 if"):
        kind().fit(X, Y, sample_weight=WEIGHTS / WEIGHTS.sum())
    kind().fit(X, Y, sample_weight=WEIGHTS / WEIGHTS.mean())  # without a warning


@pytest.mark.filterwarnings("ignore::bayesieve.exceptions.NothingSelectedWarning")
def test_weights_of_blocks_are_told():
    with pytest.warns(SmallWeightsWarning, match="adds up to 1 over 400 rows"):
        SelectiveNaiveBayes().fit(cut(X, Y, WEIGHTS / WEIGHTS.sum(), ends=(0, 100)), None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SelectiveNaiveBayes().fit(cut(X, Y, WEIGHTS, ends=(0, 100)), None)
