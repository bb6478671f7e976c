"""Points are relative to the average training row, up to their rounding; scores of rows add up as before."""

from dataclasses import replace

import numpy as np
import pytest
from report.report_cases import product_table

from bayesieve import ScorecardClassifier
from bayesieve.additive import scorecard as scorecards
from bayesieve.exact import in_nats


def fitted(n_classes):
    X, y = product_table(900)
    if n_classes > 2:
        y = np.where(X["c"].to_numpy() > 0.8, "maybe", y)
    weights = np.random.default_rng(0).integers(1, 4, size=len(y))
    return ScorecardClassifier().fit(X, y, sample_weight=weights), weights


@pytest.mark.parametrize("n_classes", [2, 3])
def test_points_of_each_term_have_mean_0_over_the_training_rows(n_classes):
    model, weights = fitted(n_classes)
    card = model.scorecard_
    masses = [*(table.bin_mass for table in card.tables), *(pair.cell_mass for pair in card.pairs)]
    entries = [*(table.table[:-1] for table in card.tables), *(pair.table[:-1, :-1] for pair in card.pairs)]
    assert card.tables
    assert card.pairs
    for mass, own in zip(masses, entries, strict=True):
        assert mass.sum() == weights.sum()
        means = (mass[..., None] * in_nats(own)).sum(axis=tuple(range(mass.ndim))) / mass.sum()
        assert np.abs(means).max() <= 0.005 + 1e-9


def test_scores_are_the_same_to_the_last_bit_without_centering(monkeypatch):
    model, *_ = fitted(3)
    card = model.scorecard_
    fitted_models = model.selection_.fitted  # in the order of the labels
    plain = replace(fitted_models, models=replace(fitted_models.models, _made={}), _made={})
    monkeypatch.setattr(scorecards, "_center", lambda entries, mass: np.zeros(entries.shape[-1], dtype=np.int64))
    other = plain.scorecard(model.selection_.best)
    terms = [(*each.tables, *each.pairs) for each in (card, other)]
    assert any((a.table != b.table).any() for a, b in zip(*terms, strict=True))
    rng = np.random.default_rng(0)
    codes = [rng.integers(table.partition.n_bins, size=200) for table in card.tables]
    pairs = [tuple(rng.integers(n, size=200) for n in pair.n_bins) for pair in card.pairs]
    scores = [each.evidence(200, codes, pairs).scores for each in (card, other)]
    assert np.array_equal(*scores)
