"""What the training promised and what happened, in sentences that can be checked by hand."""

import numpy as np
import pytest

from bayesieve.report.metrics import Score
from bayesieve.report.promise import ClassFrequency, Promise, PromisedScore, _frequency, promise_sentences


class Card:
    """The classes of a model, of 1,000 training rows."""

    def __init__(self, *class_mass):
        self.class_mass = class_mass
        self.mass = sum(class_mass)


class Rows:
    """New rows with their classes."""

    def __init__(self, target, classes):
        self.target, self.classes = np.array(target), np.array(classes)


def promise(changes, **facts):
    scores = [
        PromisedScore(metric, Score(0.25, 0.01), Score(0.3, 0.02), change)
        for metric, change in zip(("log_loss", "brier", "auc", "accuracy"), changes, strict=True)
    ]
    return list(promise_sentences(Promise("cross-validated", "old.csv", scores, **facts)))


def test_each_score_that_changed_is_named_with_both_figures():
    assert promise(["worse", "same", "better", "worse"]) == [
        "Worse than the training promised, beyond chance: log loss 0.300 ± 0.020 instead of 0.250 ± 0.010 and accuracy "
        "0.300 ± 0.020 instead of 0.250 ± 0.010 (cross-validated).",
        "Better than the training promised, beyond chance: ROC AUC 0.300 ± 0.020 instead of 0.250 ± 0.010 "
        "(cross-validated).",
        "Brier score is within chance.",
    ]
    assert promise(["same"] * 4) == [
        "Log loss, Brier score, ROC AUC and accuracy are within chance of what the training promised (cross-validated)."
    ]
    assert promise(["same", "unknown", "same", "unknown"]) == [
        "Log loss and ROC AUC are within chance of what the training promised (cross-validated)."
    ]
    assert promise(["unknown"] * 4) == []


def test_rows_of_fit_test_are_no_second_evidence():
    (sentence,) = promise(["same"] * 4, are_same_rows=True)
    assert sentence == (
        "These are the rows of fit --test, whose scores the training promised, so that they cannot differ."
    )


def test_a_class_that_became_rarer_explains_better_scores():
    rarer = ClassFrequency("1", 0.036, 0.013)
    assert promise(["better", "better", "same", "better"], frequency=rarer)[-1] == (
        "The frequency of class 1 was 3.6% and is 1.3%; that alone changes log loss, Brier score and accuracy."
    )
    assert promise(["same"] * 4, frequency=rarer)[-1] == "The frequency of class 1 was 3.6% and is 1.3%."


@pytest.mark.parametrize(
    ("mass", "counts", "expected"),
    [
        ((900, 100), (70, 30), ClassFrequency("1", 0.1, 0.3)),
        ((900, 100), (89, 11), None),
        ((500, 300, 200), (50, 10, 40), ClassFrequency("2", 0.2, 0.4)),
    ],
)
def test_the_class_that_changed_most_is_told_if_chance_does_not_explain_it(mass, counts, expected):
    rows = Rows(np.repeat(np.arange(len(counts)), counts), np.arange(len(counts)))
    assert _frequency(Card(*mass), rows) == expected
