"""What a column adds whose value is not given: means and variances over the training rows, one row at a time."""

import numpy as np
import polars as pl
import pytest
from report.report_cases import product_table

from bayesieve import ScorecardClassifier, SelectiveNaiveBayes
from bayesieve.exact import in_nats, to_fixed
from bayesieve.explain.not_given import NotGiven
from bayesieve.models.model import Evidence


def fitted(n_classes=2, estimator=None, seed=0):
    rng = np.random.default_rng(seed)
    X, y = product_table(900)
    if n_classes > 2:
        y = np.where((X["c"].to_numpy() > 0.8) | (rng.random(len(y)) < 0.05), "maybe", y)
    gap = pl.Series("c", X["c"]).set(pl.Series(rng.random(len(y)) < 0.2), None)
    X = X.with_columns(gap)
    weights = rng.integers(1, 4, size=len(y))
    model = (estimator or ScorecardClassifier()).fit(X, y, sample_weight=weights)
    return model, X, y, weights


def scores_of_rows(model, X, terms):
    """Return the scores of each term of each row, by predictions from tables alone."""
    scores = {}
    for term in terms:
        if hasattr(term, "names"):
            codes = [codes_of(part, X[name]) for part, name in zip(term.partitions, term.names, strict=True)]
            scores[term.label] = in_nats(term.table[codes[0], codes[1]])
        else:
            scores[term.name] = in_nats(term.table[codes_of(term.partition, X[term.name])])
    return scores


def codes_of(partition, values):
    return [partition.n_bins - 1 if v is None else int(np.searchsorted(partition.bounds, v)) for v in values]


def center(scores):
    return scores - scores.mean(axis=-1, keepdims=True)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_means_and_shares_of_the_variance_are_those_of_the_rows(n_classes):
    model, X, y, weights = fitted(n_classes)
    card = model.scorecard_
    assert card.tables
    assert card.pairs
    terms = [*card.tables, *card.pairs]
    scores = scores_of_rows(model, X, terms)
    rates = np.array([weights[y == label].sum() for label in model.classes_]) / weights.sum()
    means = {name: np.average(own, axis=0, weights=weights) for name, own in scores.items()}
    variances = {
        name: np.average((center(own - means[name]) ** 2).sum(axis=1), weights=weights) for name, own in scores.items()
    }
    gap = center(np.log(rates)) - center(in_nats(card.start) + sum(means.values()))
    unit = gap / sum(variances.values())
    unknown = NotGiven.of_card(card)
    np.testing.assert_allclose(unknown.base_rates, rates)
    # Probabilities are smoothed by half a row, which the base rate is not.
    for table in card.tables:
        expected = means[table.name] + variances[table.name] * unit
        np.testing.assert_allclose(center(unknown.column(table)), center(expected), atol=2e-3)
    for pair in card.pairs:
        expected = means[pair.label] + variances[pair.label] * unit
        np.testing.assert_allclose(center(unknown.pair(pair)), center(expected), atol=2e-3)
        for given in (0, 1):
            codes = np.array(codes_of(pair.partitions[given], X[pair.names[given]]))
            for code, shown in enumerate(unknown.pair(pair, given)):
                own, mass = scores[pair.label][codes == code], weights[codes == code]
                mean = np.average(own, axis=0, weights=mass)
                variance = np.average((center(own - mean) ** 2).sum(axis=1), weights=mass)
                np.testing.assert_allclose(center(shown), center(mean + variance * unit), atol=2e-3)


MODELS = {
    "scorecard": (ScorecardClassifier(), 2, 1e-9),
    "three classes": (ScorecardClassifier(), 3, 1e-9),
    "class prior": (ScorecardClassifier(class_prior=[0.9, 0.1]), 2, 1e-9),
    "naive Bayes": (SelectiveNaiveBayes(), 3, 1e-9),
    "beta": (SelectiveNaiveBayes(calibration="beta", class_prior=[0.9, 0.1]), 2, 1e-9),
    "isotonic": (SelectiveNaiveBayes(calibration="isotonic"), 2, 1e-9),
    "isotonic of three": (SelectiveNaiveBayes(calibration="isotonic"), 3, 0.02),
    "class prior of naive Bayes": (SelectiveNaiveBayes(class_prior=[0.9, 0.1]), 2, 1e-9),
    "beta of three": (SelectiveNaiveBayes(calibration="beta"), 3, 1e-6),
}


@pytest.mark.parametrize("name", MODELS)
def test_a_row_of_which_nothing_is_given_has_the_base_rates(name):
    estimator, n_classes, tolerance = MODELS[name]
    model, _, y, weights = fitted(n_classes, estimator)
    card = model.scorecard_
    unknown = NotGiven.of_card(card)
    total = in_nats(card.start) + sum(unknown.column(table) for table in card.tables)
    total = total + sum(unknown.pair(pair) for pair in card.pairs)
    shown = card.probabilities(Evidence(to_fixed(total)[:, None]))[:, 0]
    rates = [weights[y == label].sum() / weights.sum() for label in model.classes_]
    if estimator.class_prior is not None:
        rates = estimator.class_prior
    np.testing.assert_allclose(unknown.base_rates, rates, atol=1e-9)
    np.testing.assert_allclose(shown, rates, atol=tolerance)
