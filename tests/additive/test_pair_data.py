"""Rows in the bins of pairs: which columns are screened, and what tables are fitted without."""

from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from additive_rows import every_loss, random_pair_rows
from numpy.testing import assert_array_equal

from bayesieve.additive.constants import CLASSES
from bayesieve.additive.loss import Softmax, loss_of_classes
from bayesieve.additive.pair_data import BinnedRows, PairData, given_pairs, most_influential


@pytest.mark.parametrize("n_classes", [2, 3])
def test_pairs_of_the_most_influential_columns_are_screened(monkeypatch, n_classes):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 4, (9, 50))
    loss = loss_of_classes(n_classes)
    if n_classes > 2:
        monkeypatch.setattr(Softmax, "tuning", replace(CLASSES, most_screened=48))
    rows = SimpleNamespace(loss=loss, codes=codes, weights=rng.uniform(0.5, 2.0, 50))
    tables = [rng.normal(size=(4, loss.n_scores)) * rng.uniform() for _ in range(9)]
    # 5 columns: 5² / 2 x 3 classes are less, 6² / 2 x 3 are more
    sizes = [(rows.weights @ tables[k][codes[k]] ** 2).sum() for k in range(9)]
    expected = range(9) if n_classes == 2 else sorted(np.argsort(sizes)[-5:].tolist())
    assert most_influential(rows, range(9), tables).tolist() == list(expected)


def test_given_pairs_are_those_of_columns_that_take_part():
    data = SimpleNamespace(columns=(7, 2, 5))
    assert given_pairs(SimpleNamespace(pairs=None), data) is None
    assert given_pairs(SimpleNamespace(pairs=[(2, 7), (5, 2), (5, 9)]), data) == [(0, 1), (1, 2)]


@every_loss
def test_rows_of_a_fold_have_no_effect_on_its_table_and_evidence(loss):
    rows, scores, random = random_pair_rows(10, loss)
    scores = np.clip(scores, -5.0, 5.0)
    rows = replace(rows, fold=np.sort(rows.fold))
    n_classes = rows.loss.class_scores(scores[:1]).shape[1]
    inside = rows.fold == 1
    other = replace(rows, target=np.where(inside, random.integers(0, n_classes, rows.n_rows), rows.target))
    assert (other.target != rows.target).any()
    one, changed = (PairData(own, partial(BinnedRows, own, [])) for own in (rows, other))
    assert_array_equal(one.table((0, 5), 1, scores), changed.table((0, 5), 1, scores))
    assert (one.table((0, 5), None, scores) != changed.table((0, 5), None, scores)).any()
    held_out = int(np.flatnonzero(inside)[0]), int(np.flatnonzero(inside)[-1]) + 1
    pairs = [(0, 5), (2, 3)]
    assert_array_equal(
        one.log_bayes_factors(pairs, held_out, scores), changed.log_bayes_factors(pairs, held_out, scores)
    )
