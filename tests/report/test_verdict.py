"""The sentences of the verdict, by hand."""

import re

import numpy as np
import pytest
from sklearn.datasets import make_classification

from bayesieve import ScorecardClassifier, SelectiveNaiveBayes
from bayesieve.report import ReportContext
from bayesieve.report.comparison import ComparedModel, ComparedModels
from bayesieve.report.context import ClassRows, Evaluation, Setting, TableFacts, Task
from bayesieve.report.model_type import SearchFacts, describe_size_rule
from bayesieve.report.sizes import Marks, Score, Size, mark_sizes
from bayesieve.report.verdict import Results, write_verdict

X, y = make_classification(300, 6, n_informative=4, n_redundant=0, random_state=0)


def size(n_columns, log_loss, error=0.003, auc=0.926, selected=False):
    held_out = {"log_loss": Score(log_loss, error), "auc": Score(auc, 0.002), "accuracy": Score(0.861, 0.004)}
    return Size(n_columns, [], selected, {}, held_out, [], [], None)


def other(name, log_loss, difference=0.0, error=0.001):
    scores = {"log_loss": Score(log_loss, 0.0), "auc": Score(0.93, 0.0), "accuracy": Score(0.75, 0.0)}
    return ComparedModel(name, scores, Score(difference, error))


def verdict(selected=14, losses=None, others=(), goal="probability", size_rule="as requested", **search):
    counts, n_train = search.pop("counts", (760, 240)), search.pop("n_train", None)
    losses = losses or {0: 0.552, 3: 0.327, 7: 0.2835, 10: 0.283, 14: 0.282}
    sizes, marks = mark_sizes([size(n, loss, selected=n == selected) for n, loss in losses.items()], 0.552)
    classes = [ClassRows(label, n) for label, n in zip(("no", "yes"), counts, strict=True)]
    setting = Setting(
        Task("", "income", goal, goal, 1, None, None, None),
        TableFacts(sum(counts), 14, 14, 0, {}, classes, ""),
        Evaluation("cross-validated", n_train, 5, "", 1.0),
        [],
    )
    compared = ComparedModels([other("class frequencies", 0.552), *others], "")
    facts = SearchFacts("log loss", True, **({"complete": True, "n_stopped_folds": 0} | search))
    results = Results(setting, sizes, marks, None, compared, facts, size_rule)
    return write_verdict(ReportContext("income", goal, "yes"), results)


def test_metric_baseline_and_how_few_are_enough():
    assert verdict() == [
        "Cross-validated ROC AUC 0.926, log loss 0.282 ± 0.003 (baseline 0.552).",
        "The model uses 14 of 14 features, as requested. Cross-validated, 7 features give 99% of the improvement.",
    ]


@pytest.mark.parametrize(
    ("selected", "sentence"),
    [
        (7, "7 features give 99% of the improvement."),
        (3, "3 features give 83% of the improvement, and 7 give 99%."),
    ],
)
def test_the_number_of_columns_is_compared_with_the_number_that_is_enough(selected, sentence):
    assert (
        verdict(selected)[1] == f"The model uses {selected} of 14 features, as requested. Cross-validated, {sentence}"
    )


@pytest.mark.parametrize(("loss", "share"), [(0.2848, "98.96%"), (0.28472, "98.99%"), (0.28470015, "nearly 99%")])
def test_a_share_that_is_not_enough_is_not_rounded_to_one_that_is(loss, share):
    losses = {3: loss, 7: 0.2845, 14: 0.282}
    assert f"3 features give {share} of the improvement, and 7 give 99%." in verdict(3, losses)[1]


def test_the_improvement_is_that_of_the_sizes_that_are_known():
    known = {0: 0.552, 3: 0.327, 5: 0.2835}
    assert verdict(5, known)[1] == "The model uses 5 of 14 features, as requested."
    assert verdict(5, known | {3: 0.284})[1] == (
        "The model uses 5 of 14 features, as requested. Cross-validated, 3 features give 99% of the improvement of up "
        "to 5."
    )


def test_held_out_rows_agree_with_the_rule():
    assert verdict(7, size_rule="the fewest expected to keep 99%")[1] == (
        "The model uses 7 of 14 features, the fewest expected to keep 99%. Cross-validated, 7 features give 99% of the "
        "improvement, too."
    )


@pytest.mark.parametrize(
    ("parameters", "rule"),
    [
        ({}, "the fewest expected to keep 99% of the improvement over class frequencies"),
        (
            {"min_gain": 0.9, "n_features": (0, 3)},
            "the fewest of at most 3 expected to keep 90% of the improvement over class ",
        ),
        ({"n_features": "best"}, "all with a visible effect during the selection"),
        ({"n_features": 2}, "as requested"),
    ],
)
def test_the_rule_of_the_size_is_that_of_the_model(parameters, rule):
    model = ScorecardClassifier(cv=2, n_pairs=0, **parameters).fit(X, y)
    assert describe_size_rule(model).startswith(rule)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("min_gain", [0.99, 0.9, 0.6])
def test_the_stated_share_is_the_one_that_the_size_keeps(n_classes, min_gain):
    X, y = make_classification(400, 8, n_informative=6, n_redundant=0, n_classes=n_classes, random_state=1)
    model = ScorecardClassifier(cv=2, n_pairs=0, min_gain=min_gain).fit(X, y)
    share = float(re.search(r"keep ([\d.]+)%", describe_size_rule(model))[1]) / 100
    losses = dict(zip(model.cv_results_["n_features"], -model.cv_results_["mean_test_score"], strict=True))
    gains = {size: losses[0] - loss for size, loss in losses.items()}
    enough = [size for size, gain in gains.items() if gain >= (share - 1e-4) * max(gains.values())]
    assert model.n_features_ == min(enough)


def test_pairs_do_not_hide_the_rule():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 3))
    model = ScorecardClassifier(cv=2).fit(X, (X[:, 0] * X[:, 1] > 0).astype(int))
    assert model.scorecard_.pairs
    assert describe_size_rule(model).startswith("the fewest expected to keep 99%")
    assert describe_size_rule(model.select(1)) == "as requested"


def test_a_size_that_was_selected_afterwards_is_not_that_of_a_rule():
    assert describe_size_rule(ScorecardClassifier(cv=2, n_pairs=0).fit(X, y).select(1)) == "as requested"


@pytest.mark.parametrize(
    ("parameters", "rule"),
    [
        ({}, "the number with the best score of the selection"),
        ({"n_features": (1, 3)}, "the number of at most 3 with the best score of the selection"),
        ({"one_se": True, "cv": 3}, "the fewest within one standard error of the best score of the selection"),
        ({"tol": 0.01}, "each of which improved the score of the selection by more than 0.01"),
    ],
)
def test_the_rule_of_naive_bayes(parameters, rule):
    assert describe_size_rule(SelectiveNaiveBayes(**parameters).fit(X, y)) == rule


def test_a_model_that_is_no_better_than_frequencies_is_called_so():
    assert verdict(3, {0: 0.552, 3: 0.56})[1] == (
        "The model uses 3 of 14 features, and is no better than class frequencies."
    )


def test_a_share_of_nothing_is_not_counted():
    assert verdict(3, {0: 0.552, 3: 0.552, 7: 0.551})[1] == (
        "The model uses 3 of 14 features, as requested, and is no better than class frequencies."
    )


def test_accuracy_is_compared_with_the_share_of_the_most_frequent_class():
    assert verdict(goal="accuracy")[0] == (
        "Cross-validated accuracy 86.1% ± 0.4%, against 76.0% for always predicting no."
    )


@pytest.mark.parametrize(
    ("difference", "words"),
    [
        (-0.01, "Nothing is given up for a readable model: gradient boosting has log loss 0.270, ROC AUC 0.930"),
        (0.0005, "Nothing that can be measured is given up"),
        (
            0.02,
            "Gradient boosting has log loss 0.270, ROC AUC 0.930 in the same folds: a readable model gives up ",
        ),
    ],
)
def test_a_line_compares_with_the_best_other_model(difference, words):
    others = [other("logistic regression", 0.4, -0.1), other("gradient boosting", 0.27, difference)]
    assert verdict(others=others)[2].startswith(words)
    if difference > 0:
        assert f"{difference:.4f} ± 0.0010" in verdict(others=others)[2]


def test_a_small_log_loss_has_another_digit():
    first, _, last = verdict(
        losses={0: 0.552, 14: 0.00083}, others=[other("gradient boosting", 0.00004, 0.0008, 0.0002)]
    )
    assert first == "Cross-validated ROC AUC 0.926, log loss 0.0008 ± 0.0030 (baseline 0.552)."
    assert last.startswith(
        "Gradient boosting has log loss 0.0000, ROC AUC 0.930 in the same folds: a readable model gives"
    )


def test_a_time_limit_is_mentioned_and_nothing_is_concluded_from_it():
    (sentence,) = verdict(0, complete=False)
    assert "nothing is known about which columns are informative" in sentence
    assert verdict(0) == ["No column is informative about income: class frequencies are the best prediction."]
    assert verdict(complete=False, n_stopped_folds=2)[-1].startswith(
        "The time limit ended the search of the model and of 2 of the 5 outer folds: with more time"
    )


def test_no_column_with_few_rows_of_a_class_has_a_reason():
    first, second = verdict(0, counts=(4_995, 5))
    assert first == "No column is informative about income: class frequencies are the best prediction."
    assert second.startswith(
        "Only 5 of 5,000 rows are yes: with so few, only a strong effect differs clearly from chance."
    )
    assert verdict(0, counts=(1, 5_000))[1].startswith("Only 1 of 5,001 rows is no:")


def test_a_saved_model_without_columns_is_no_statement_about_other_rows():
    (sentence,) = verdict(0, counts=(4_995, 5), n_train=200)
    assert sentence == "The model uses no column: it predicts the class frequencies of its training rows for every row."


def test_marked_sizes_are_within_one_standard_error_and_at_nearly_all_of_the_improvement():
    sizes = [size(0, 0.6), size(2, 0.315, 0.02), size(4, 0.302, 0.02), size(9, 0.3, 0.02)]
    improved, marks = mark_sizes(sizes, 0.6)
    assert marks == Marks(one_standard_error=2, nearly_all=4)
    assert [each.improvement for each in improved] == [0, 0.95, pytest.approx(0.993333), 1]
