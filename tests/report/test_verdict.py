"""The sentences of the verdict, by hand."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification

from bayesieve import Column, ScorecardClassifier, SelectiveNaiveBayes
from bayesieve.data import profile_columns
from bayesieve.report import ReportContext
from bayesieve.report.comparison import ComparedModel, ComparedModels
from bayesieve.report.context import ClassRows, Evaluation, Setting, TableFacts, Task
from bayesieve.report.model_type import SearchFacts, SizeRule, describe_size_rule, has_neutral_values
from bayesieve.report.sizes import Marks, Score, Size, mark_sizes
from bayesieve.report.verdict import Results, write_verdict

X, y = make_classification(300, 6, n_informative=4, n_redundant=0, random_state=0)


AS_REQUESTED = SizeRule("as requested", varies=False)


def size(n_columns, log_loss, error=0.003, auc=0.926, selected=False):
    held_out = {"log_loss": Score(log_loss, error), "auc": Score(auc, 0.002), "accuracy": Score(0.861, 0.004)}
    return Size(n_columns, [], selected, {}, held_out, [], [], None)


def other(name, log_loss, difference=0.0, error=0.001, area=-0.001, accuracy=-0.001):
    scores = {"log_loss": Score(log_loss, 0.0), "auc": Score(0.93, 0.0), "accuracy": Score(0.75, 0.0)}
    given_up = {"log_loss": Score(difference, error), "auc": Score(area, 0.002), "accuracy": Score(accuracy, 0.002)}
    return ComparedModel(name, scores, given_up)


def verdict(selected=14, losses=None, others=(), goal="probability", size_rule=AS_REQUESTED, **search):
    neutral = search.pop("has_neutral_values", False)
    counts, n_train = search.pop("counts", (760, 240)), search.pop("n_train", None)
    losses = losses or {0: 0.552, 3: 0.327, 7: 0.2835, 10: 0.283, 14: 0.282}
    auc, n_columns = search.pop("auc", 0.926), 50 if selected == 40 else 14
    sizes, marks = mark_sizes([size(n, loss, auc=auc, selected=n == selected) for n, loss in losses.items()], 0.552)
    classes = [ClassRows(label, n) for label, n in zip(("no", "yes"), counts, strict=True)]
    setting = Setting(
        Task("", "income", goal, goal, 1, None, None, None),
        TableFacts(sum(counts), n_columns, n_columns, 0, {}, classes, ""),
        Evaluation("cross-validated", n_train, 5, "", 1.0),
        [],
    )
    compared = ComparedModels([other("class frequencies", 0.552), *others], "")
    facts = SearchFacts("log loss", True, **({"complete": True, "n_stopped_folds": 0} | search))
    results = Results(setting, sizes, marks, None, compared, facts, size_rule, has_neutral_values=neutral)
    return write_verdict(ReportContext("income", goal, "yes"), results)


def test_metric_baseline_and_how_few_are_enough():
    assert verdict() == [
        "Cross-validated ROC AUC 0.926, log loss 0.282 ± 0.003 (baseline 0.552).",
        "The model uses 14 of 14 columns, as requested. Cross-validated, they keep 100% of the improvement over class "
        "frequencies; 7 columns are enough for 99%.",
    ]


@pytest.mark.parametrize(
    ("selected", "sentence"),
    [
        (7, "they keep 99% of the improvement over class frequencies; fewer columns keep less than 99%."),
        (3, "they keep 83% of the improvement over class frequencies; 99% takes 7 columns."),
        (10, "they keep 99.6% of the improvement over class frequencies; 7 columns are enough for 99%."),
    ],
)
def test_the_number_of_columns_is_compared_with_the_number_that_is_enough(selected, sentence):
    assert verdict(selected)[1] == f"The model uses {selected} of 14 columns, as requested. Cross-validated, {sentence}"


@pytest.mark.parametrize(
    ("losses", "fewer"),
    [
        ({0: 0.552, 1: 0.54, 9: 0.452, 21: 0.3, 40: 0.252}, "9 columns keep 33%."),
        ({0: 0.552, 1: 0.452, 21: 0.3, 40: 0.252}, "1 column keeps 33%."),
        ({0: 0.552, 9: 0.56, 21: 0.3, 40: 0.252}, "fewer columns keep less than 99%."),
        ({0: 0.552, 21: 0.3, 40: 0.252}, "fewer columns keep less than 99%."),
    ],
)
def test_of_many_columns_the_share_that_few_keep_is_named(losses, fewer):
    kept = f"they keep 100% of the improvement over class frequencies that up to 41 columns give; {fewer}"
    assert verdict(40, losses | {41: 0.2525})[1] == (
        f"The model uses 40 of 50 columns, as requested. Cross-validated, {kept}"
    )


@pytest.mark.parametrize(("loss", "share"), [(0.2848, "98.96%"), (0.28472, "98.99%"), (0.28470015, "nearly 99%")])
def test_a_share_that_is_not_enough_is_not_rounded_to_one_that_is(loss, share):
    losses = {3: loss, 7: 0.2845, 14: 0.282}
    assert f"they keep {share} of the improvement over class frequencies; 99% takes 7 col" in verdict(3, losses)[1]


def test_the_improvement_is_that_of_the_sizes_that_are_known():
    known = {0: 0.552, 3: 0.327, 5: 0.2835}
    assert verdict(5, known)[1] == "The model uses 5 of 14 columns, as requested."
    assert verdict(5, known | {3: 0.284})[1] == (
        "The model uses 5 of 14 columns, as requested. Cross-validated, they keep 100% of the improvement over class "
        "frequencies that up to 5 columns give; 3 columns are enough for 99%."
    )


def test_a_share_that_the_rule_names_may_be_missed_by_the_held_out_rows():
    rule = SizeRule("chosen to keep 99% of the improvement over class frequencies")
    assert verdict(3, size_rule=rule)[1] == (
        "The model uses 3 of 14 columns, chosen to keep 99% of the improvement over class frequencies. "
        "Cross-validated, this selection keeps 83% of the improvement; 99% takes 7 columns."
    )
    assert verdict(7, size_rule=rule)[1].endswith(
        "this selection keeps 99% of the improvement; fewer columns keep less than 99%."
    )


def test_more_columns_that_keep_less_are_explained_by_the_numbers_of_the_folds():
    """Folds select numbers of their own, so that a smaller number, the same in each, can keep more."""
    rule = SizeRule("chosen to keep 99% of the improvement over class frequencies", of_folds=(3, 9))
    losses = {0: 0.552, 3: 0.282, 5: 0.2928, 14: 0.282}
    keeps = "96% of the improvement"
    assert verdict(5, losses, size_rule=rule)[1].endswith(
        f"this selection keeps {keeps}, with 3 to 9 columns in a fold; 3 columns in every fold keep 99%."
    )
    same = replace(rule, of_folds=(5, 5))
    assert verdict(5, losses, size_rule=same)[1].endswith(f"this selection keeps {keeps}, and 3 columns keep 99%.")
    assert verdict(5, losses)[1].endswith(f"they keep {keeps} over class frequencies, and 3 columns keep 99%.")


FIG = "log loss 0.270, ROC AUC 0.930 and accuracy 75.0% in the same folds"
RULES = [
    AS_REQUESTED,
    SizeRule("all that have a visible effect"),
    SizeRule("the number with the best score of the selection"),
    SizeRule("chosen to keep 99% of the improvement over class frequencies"),
    SizeRule("chosen to keep 99% of the improvement over class frequencies", 4),
]


def test_the_sentence_is_true_of_any_numbers():
    """Each number that the sentence has, in every case, is computed again from the losses of the sizes."""
    rng = np.random.default_rng(0)
    endings = set()
    for _ in range(2000):
        rule = RULES[rng.integers(len(RULES))]
        numbers = [0, *np.flatnonzero(rng.random(rule.most or 14) < 0.5) + 1, rule.most or 14]
        digits = int(rng.integers(2, 6))
        losses = {int(n): round(0.552 - rng.choice([0.3, 0.01, -0.1]) * rng.random() ** 0.05, digits) for n in numbers}
        losses[0] = 0.552
        selected = int(rng.choice([n for n in losses if n]))
        sentence = verdict(selected, losses, size_rule=rule)[1]
        gains = {n: 0.552 - loss for n, loss in losses.items()}
        best = max(gains.values())
        enough = min(n for n, gain in gains.items() if gain >= 0.99 * best - 1e-9)
        assert sentence.startswith(f"The model uses {selected} of 14 columns, ")
        assert ("the most that are allowed" in sentence) == (selected == rule.most)
        assert ("with at most 4 columns" in sentence) == (rule.most is not None and selected < rule.most)
        if "no better than class frequencies" in sentence:
            assert best <= 0 or gains[selected] <= 0.0051 * best
            endings.add("none")
            continue
        shown = re.search(
            r"(?:it keeps|they keep|this selection keeps) (nearly )?([\d.]+)% of the improvement", sentence
        )
        if shown is None:
            assert selected == enough == max(losses)
            endings.add("no other")
            continue
        share = gains[selected] / best
        assert abs(float(shown[2]) - 100 * share) <= 0.5001
        assert (float(shown[2]) < 99 or shown[1] is not None) == (share < 0.99 - 1e-7)
        assert (" that up to 4 columns give" in sentence) == (rule.most is not None)
        takes = re.search(
            r"99% takes (\d+) columns?\.$|; (\d+) columns? (?:is|are) enough for 99%\.$"
            r"|, and (\d+) columns? keeps? 99%\.$",
            sentence,
        )
        assert (takes is None) == (selected == enough)
        assert takes is None or int(takes[1] or takes[2] or takes[3]) == enough
        assert takes is None or (takes[3] is not None) == (enough < selected and share < 0.99 - 1e-7)
        assert takes is None or (takes[1] is None) == (enough < selected)
        assert ("fewer columns keep less" in sentence) == (selected == enough > 1)
        endings.add("takes" if takes else "fewest")
    assert endings == {"none", "no other", "takes", "fewest"}


@pytest.mark.parametrize(
    ("parameters", "rule"),
    [
        ({}, SizeRule("chosen to keep 99% of the improvement over class frequencies")),
        (
            {"min_gain": 0.9, "n_features": (0, 3)},
            SizeRule("chosen to keep 90% of the improvement over class frequencies", 3),
        ),
        ({"n_features": (0, 6)}, SizeRule("chosen to keep 99% of the improvement over class frequencies")),
        ({"n_features": "best"}, SizeRule("all that have a visible effect")),
        ({"n_features": 2}, AS_REQUESTED),
    ],
)
def test_the_rule_of_the_size_is_that_of_the_model(parameters, rule):
    assert describe_size_rule(ScorecardClassifier(cv=2, n_pairs=0, **parameters).fit(X, y), 6) == rule


def test_the_share_of_many_classes_has_its_reason():
    y = np.arange(300) % 9
    model = ScorecardClassifier(cv=2, n_pairs=0).fit(np.column_stack([X, y]), y)
    assert describe_size_rule(model, 7).clause == (
        "chosen to keep 99.88% of the improvement over class frequencies (with two classes 1% may be lost, with 9 "
        "classes 1/8 of that)"
    )


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("min_gain", [0.99, 0.9, 0.6])
def test_the_stated_share_is_the_one_that_the_size_keeps(n_classes, min_gain):
    X, y = make_classification(1000, 8, n_informative=6, n_redundant=0, n_classes=n_classes, random_state=1)
    model = ScorecardClassifier(cv=2, n_pairs=0, min_gain=min_gain).fit(X, y)
    share = float(re.search(r"keep ([\d.]+)%", describe_size_rule(model, 8).clause)[1]) / 100
    kept = {each.n_features: each for each in model.selection_.shares}
    own = kept[model.n_features_]
    assert own.share + 2 * own.standard_error >= share
    assert all(each.share - 2 * each.standard_error < share for size, each in kept.items() if size < model.n_features_)


def test_pairs_do_not_hide_the_rule():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 3))
    model = ScorecardClassifier(cv=2).fit(X, (X[:, 0] * X[:, 1] > 0).astype(int))
    assert model.scorecard_.pairs
    assert describe_size_rule(model, 3).clause.startswith("chosen to keep 99%")
    assert describe_size_rule(model.select(1), 3).clause == "as requested"


def test_a_size_that_was_selected_afterwards_is_not_that_of_a_rule():
    assert describe_size_rule(ScorecardClassifier(cv=2, n_pairs=0).fit(X, y).select(1), 6) == AS_REQUESTED


@pytest.mark.parametrize(
    ("parameters", "rule"),
    [
        ({}, "the number with the best score of the selection"),
        ({"n_features": (1, 3)}, "the number with the best score of the selection with at most 3 columns"),
        ({"one_se": True, "cv": 3}, "the fewest within one standard error of the best score of the selection"),
        ({"tol": 0.01}, "each of which improved the score of the selection by more than 0.01"),
    ],
)
def test_the_rule_of_naive_bayes(parameters, rule):
    assert describe_size_rule(SelectiveNaiveBayes(**parameters).fit(X, y), 6).describe(1) == rule


def test_a_model_that_is_no_better_than_frequencies_is_called_so():
    assert verdict(3, {0: 0.552, 3: 0.56})[1] == (
        "The model uses 3 of 14 columns, as requested. Cross-validated, they are no better than class frequencies."
    )


def test_a_share_of_nothing_is_not_counted():
    assert verdict(3, {0: 0.552, 3: 0.552, 7: 0.551})[1] == (
        "The model uses 3 of 14 columns, as requested. Cross-validated, they are no better than class frequencies."
    )


def test_accuracy_is_compared_with_the_share_of_the_most_frequent_class():
    assert verdict(goal="accuracy")[0] == (
        "Cross-validated accuracy 86.1% ± 0.4%, against 76.0% for always predicting no."
    )


@pytest.mark.parametrize(
    ("difference", "words"),
    [
        (-0.01, f"Nothing is given up for a readable model: gradient boosting, tuned, has {FIG}."),
        (
            0.0005,
            f"Nothing that can be measured is given up for a readable model: gradient boosting, tuned, has {FIG}.",
        ),
        (0.02, f"Gradient boosting, tuned, has {FIG}: a readable model gives up 0.0200 ± 0.0010 of log loss."),
    ],
)
def test_a_line_compares_with_the_best_other_model(difference, words):
    others = [other("logistic regression", 0.4, -0.1), other("gradient boosting", 0.27, difference)]
    assert verdict(others=others)[2] == words


def test_what_is_given_up_is_told_of_each_score():
    """A lower log loss does not hide that the area is smaller, too."""
    assert verdict(others=[other("gradient boosting", 0.27, -0.01, area=0.004)])[2] == (
        f"Gradient boosting, tuned, has {FIG}: a readable model gives up 0.0040 ± 0.0020 of ROC AUC."
    )
    assert verdict(others=[other("logistic regression", 0.27, 0.01, area=0.004, accuracy=0.0031)])[2] == (
        f"Logistic regression has {FIG}: this model gives up 0.0100 ± 0.0010 of log loss, 0.0040 ± 0.0020 of "
        "ROC AUC and 0.3% ± 0.2% of accuracy."
    )


def test_a_model_that_is_better_in_another_score_is_named():
    boosted, logistic = other("gradient boosting", 0.27, -0.01), other("logistic regression", 0.3, -0.02, accuracy=0.04)
    assert verdict(others=[boosted, logistic])[2] == (
        f"Nothing is given up for a readable model: gradient boosting, tuned, has {FIG}. Logistic regression is better "
        "by 4.0% ± 0.2% of accuracy."
    )


def test_what_neutral_missing_values_cost_is_not_the_price_of_readability():
    boosted = other("gradient boosting", 0.27, 0.02)
    assert verdict(others=[boosted], has_neutral_values=True)[2] == (
        f"Gradient boosting, tuned, has {FIG}: this model gives up 0.0200 ± 0.0010 of log loss; the others learn from "
        "missing values, which are neutral in it."
    )
    full = pd.DataFrame(X, columns=list("abcdef"))
    gaps = full.assign(a=np.where(np.arange(300) < 50, np.nan, X[:, 0]))
    for table, settings, neutral in (
        (gaps, {"missing": "neutral"}, True),
        (gaps, {"columns": {"a": Column(missing="neutral")}}, True),
        (gaps, {"columns": {"b": {"missing": "neutral"}}}, False),
        (gaps, {"missing": "neutral", "columns": {"a": Column(missing="learn")}}, False),
        (full, {"missing": "neutral"}, False),
    ):
        model = ScorecardClassifier(cv=2, n_pairs=0, **settings).fit(table, y)
        assert has_neutral_values(model, profile_columns(table, model.column_names_)) == neutral


def test_a_simple_model_is_not_an_opponent_of_readable_ones():
    """Logistic regression is as readable: what is given up is given up by this model."""
    assert verdict(others=[other("logistic regression", 0.27, -0.01)])[2] == (
        f"Nothing is given up: logistic regression, the best of the other models, has {FIG}."
    )
    assert len(verdict()) == 2  # without another model there is no such sentence


@pytest.mark.parametrize(
    ("auc", "shown"), [(0.9994, "0.999"), (0.9996, "0.9996"), (0.99997, "above 0.9999"), (1.0, "1.000")]
)
@pytest.mark.parametrize("goal", ["probability", "ranking"])
def test_an_area_is_1_if_it_is_1(auc, shown, goal):
    assert f"ROC AUC {shown}" in verdict(goal=goal, auc=auc)[0]


def test_a_limit_has_its_price():
    free = other("the same method with any number of columns", 0.27, 0.012)
    has = f"With any number of columns, the same method has {FIG}: the limit costs"
    assert verdict(others=[free])[2:] == [f"{has} 0.0120 ± 0.0010 of log loss."]
    assert verdict(others=[replace(free, given_up={})])[2:] == [f"{has} nothing that can be measured."]


def test_a_small_log_loss_has_another_digit():
    first, _, last = verdict(
        losses={0: 0.552, 14: 0.00083}, others=[other("gradient boosting", 0.00004, 0.0008, 0.0002)]
    )
    assert first == "Cross-validated ROC AUC 0.926, log loss 0.0008 ± 0.0030 (baseline 0.552)."
    assert last.startswith(
        "Gradient boosting, tuned, has log loss 0.0000, ROC AUC 0.930 and accuracy 75.0% in the same folds: a readable"
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
        "Only 5 of 5,000 rows are of class yes: with so few, only a strong effect differs clearly from chance."
    )
    assert verdict(0, counts=(1, 5_000))[1].startswith("Only 1 of 5,001 rows is of class no:")


def test_a_saved_model_without_columns_is_no_statement_about_other_rows():
    (sentence,) = verdict(0, counts=(4_995, 5), n_train=200)
    assert sentence == "The model uses no column: it predicts the class frequencies of its training rows for every row."


def test_marked_sizes_are_within_one_standard_error_and_at_nearly_all_of_the_improvement():
    sizes = [size(0, 0.6), size(2, 0.315, 0.02), size(4, 0.302, 0.02), size(9, 0.3, 0.02)]
    improved, marks = mark_sizes(sizes, 0.6)
    assert marks == Marks(one_standard_error=2, nearly_all=4)
    assert [each.improvement for each in improved] == [0, 0.95, pytest.approx(0.993333), 1]
