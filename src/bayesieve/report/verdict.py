# SPDX-License-Identifier: BSD-3-Clause
"""The result in a few sentences: the score for the goal, how few columns are enough, what other models reach."""

from collections.abc import Sequence
from dataclasses import dataclass

from bayesieve.report.comparison import ComparedModels
from bayesieve.report.context import ReportContext, Setting
from bayesieve.report.formats import format_label, interval
from bayesieve.report.model_type import SearchFacts
from bayesieve.report.sizes import NEARLY_ALL, Marks, Size, selected_size
from bayesieve.report.threshold import Decision

__all__ = ["Results", "write_verdict"]

_FEW = 100  # rows of a class


@dataclass(frozen=True)
class Results:
    """What the sentences are made of: setting, sizes, decisions, other models, and the rule of the model's size."""

    setting: Setting
    sizes: Sequence[Size]
    marks: Marks
    decision: Decision | None
    compared: ComparedModels
    search: SearchFacts
    size_rule: str

    @property
    def size(self) -> Size:
        """The selected number of columns and its scores."""
        return selected_size(self.sizes)

    @property
    def n_columns(self) -> int:
        """The number of columns that could be selected."""
        return self.setting.data.n_candidates

    @property
    def largest(self) -> int:
        """The largest number of columns whose scores are known."""
        return max(size.n_columns for size in self.sizes)

    @property
    def most_frequent(self) -> tuple[float, str]:
        """The share and the label of the most frequent class."""
        classes = self.setting.data.classes
        most = max(classes, key=lambda each: each.n_rows)
        return most.n_rows / sum(each.n_rows for each in classes), most.label

    def baseline(self, metric: str) -> float:
        """Return the mean score of class frequencies on the same rows."""
        return self.compared.baseline[metric].mean


def write_verdict(context: ReportContext, results: Results) -> list[str]:
    """Return the sentences of the verdict, the most important first."""
    if not results.size.n_columns:
        return _without_columns(context, results)
    how = results.setting.method.capitalize()
    sentences = [f"{how} {_SENTENCES[context.goal](context, results)}.", _size(results)]
    return [each for each in (*sentences, _comparison(results), _stopped(results)) if each]


def _without_columns(context: ReportContext, results: Results) -> list[str]:
    """Return why the model has no column, and what may help."""
    if not results.search.complete:
        return [
            "The time limit ended the search before any column was selected, so that nothing is known about which "
            "columns are informative; class frequencies are predicted. Allow more time."
        ]
    if results.setting.evaluation.n_train is not None:  # rows that say nothing about how the model was chosen
        return ["The model uses no column: it predicts the class frequencies of its training rows for every row."]
    first = f"No column is informative about {context.target}: class frequencies are the best prediction."
    classes = results.setting.data.classes
    rarest = min(classes, key=lambda each: each.n_rows)
    n = rarest.n_rows
    n_rows = sum(each.n_rows for each in classes)
    if n >= _FEW:
        return [first]
    return [
        first,
        f"Only {n:,} of {n_rows:,} rows {'is' if n == 1 else 'are'} {rarest.label}: with so "
        "few, only a strong effect differs clearly from chance. More rows of this class would help; the table of all "
        "columns has the loss of each column alone.",
    ]


def _probability(context: ReportContext, results: Results) -> str:
    area = results.size.held_out["auc"].mean
    return f"ROC AUC {area:.3f}, log loss {_loss(results)} (baseline {results.baseline('log_loss'):.3f})"


def _ranking(context: ReportContext, results: Results) -> str:
    loss = results.size.held_out["log_loss"].mean
    return (
        f"ROC AUC {_spread(results, 'auc')} (random order: 0.5), log loss {loss:.3f} "
        f"(baseline {results.baseline('log_loss'):.3f})"
    )


def _accuracy(context: ReportContext, results: Results) -> str:
    share, label = results.most_frequent
    baseline = f"{share:.1%} for always predicting {label}"
    return f"accuracy {_spread(results, 'accuracy', '.1%')}, against {baseline}"


def _recall(context: ReportContext, results: Results) -> str:
    assert results.decision is not None
    decision = results.decision
    of_all = f"{decision.true_positives:,} of {decision.true_positives + decision.false_negatives:,} rows"
    required = _required(context, decision.recall, of_all, decision.recall_interval)
    precision = _share(decision.precision)
    return f"recall of class {format_label(context.positive)}: {required}, precision {precision}{_cut(decision)}"


def _precision(context: ReportContext, results: Results) -> str:
    assert results.decision is not None
    decision = results.decision
    of_all = f"{decision.true_positives:,} of {decision.true_positives + decision.false_positives:,} rows"
    required = _required(context, decision.precision, of_all, decision.precision_interval)
    recall = _share(decision.recall)
    return f"precision of class {format_label(context.positive)}: {required}, recall {recall}{_cut(decision)}"


def _profit(context: ReportContext, results: Results) -> str:
    assert results.decision is not None
    decision = results.decision
    assert decision.profit is not None
    assert decision.profit_of_all_rows is not None
    n_acted = decision.true_positives + decision.false_positives
    n_rows = n_acted + decision.false_negatives + decision.true_negatives
    acted = f"by acting on {n_acted:,} of {n_rows:,} rows{_cut(decision)}"
    return f"profit {_money(decision.profit)} {acted}; acting on all rows: {_money(decision.profit_of_all_rows)}"


_NONE = 0.005  # share of the improvement that is shown as 0%
_SMALL = 0.0095  # a log loss of one digit, or none, with three decimal places
_SENTENCES = {
    "probability": _probability,
    "ranking": _ranking,
    "accuracy": _accuracy,
    "recall": _recall,
    "precision": _precision,
    "profit": _profit,
}


def _size(results: Results) -> str:
    """Return how many columns the model uses, why, and how many the held-out rows need.

    The selection compares sizes on its own folds, and held-out rows can need another number: each is named.
    """
    n_selected, n_enough = results.size.n_columns, results.marks.nearly_all
    improvement = results.size.improvement
    uses = f"The model uses {n_selected} of {_features(results.n_columns)}"
    if n_enough is None and improvement is not None:  # there is one size
        return f"{uses}."
    if n_enough is None or improvement is None:
        return f"{uses}, and is no better than class frequencies."
    if improvement <= _NONE:
        return f"{uses}, {results.size_rule}, and is no better than class frequencies."
    if n_selected == n_enough == results.largest < results.n_columns:  # the best of those that are known
        return f"{uses}, {results.size_rule}."
    how = "On held-out rows" if results.setting.method == "held-out" else "Cross-validated"
    whole = "the improvement" + (f" of up to {results.largest}" if results.largest < results.n_columns else "")
    gives = f"{_features(n_enough)} {'gives' if n_enough == 1 else 'give'} {NEARLY_ALL:.0%} of {whole}"
    if n_selected < n_enough:
        share = _below(improvement)
        gives = f"{_features(n_selected)} {'gives' if n_selected == 1 else 'give'} {share} of {whole}"
        gives += f", and {n_enough} give {NEARLY_ALL:.0%}"
    too = n_selected == n_enough and f"{NEARLY_ALL:.0%}" in results.size_rule
    return f"{uses}, {results.size_rule}. {how}, {gives}{', too' if too else ''}."


def _below(share: float) -> str:
    """Return a share below `NEARLY_ALL` with as many digits as tell the two apart, up to three."""
    texts = [f"{share:.{digits}%}" for digits in range(4)]
    return next((text for text in texts if float(text[:-1]) < 100 * NEARLY_ALL), f"nearly {NEARLY_ALL:.0%}")


def _comparison(results: Results) -> str:
    """Return what is given up against the best of the other models, or that nothing is."""
    others = results.compared.models[1:]
    if not others:
        return ""
    best = min(others, key=lambda model: model.scores["log_loss"].mean)
    loss, area = (best.scores[name].mean for name in ("log_loss", "auc"))
    figures = f"log loss {loss:{'.4f' if loss < _SMALL else '.3f'}}, ROC AUC {area:.3f}"
    assert best.difference is not None  # other models are compared in outer folds only
    difference, error = best.difference.mean, best.difference.standard_error
    title = best.name.capitalize()
    if difference <= 0:
        return f"Nothing is given up for a readable model: {best.name} has {figures} in the same folds."
    if difference <= error:
        return (
            f"Nothing that can be measured is given up for a readable model: {best.name} has {figures} in the same "
            f"folds, a difference of {difference:.4f} ± {error:.4f}."
        )
    return (
        f"{title} has {figures} in the same folds: a readable model gives up {difference:.4f} ± {error:.4f} of log "
        "loss."
    )


def _stopped(results: Results) -> str:
    """Return which searches the time limit ended."""
    n_stopped, n_folds = results.search.n_stopped_folds, results.setting.evaluation.n_folds
    if results.search.complete and not n_stopped:
        return ""
    folds = f"{n_stopped} of the {n_folds} outer folds" if n_stopped else ""
    model = "" if results.search.complete else "the model"
    ended = " and of ".join(each for each in (model, folds) if each)
    return (
        f"The time limit ended the search of {ended}: with more time, other columns may be selected and scores may be "
        "better."
    )


def _loss(results: Results) -> str:
    small = results.size.held_out["log_loss"].mean < _SMALL
    return _spread(results, "log_loss", ".4f" if small else ".3f")


def _spread(results: Results, metric: str, form: str = ".3f") -> str:
    score = results.size.held_out[metric]
    return f"{score.mean:{form}} ± {score.standard_error:{form}}"


def _features(number: int) -> str:
    return "1 feature" if number == 1 else f"{number:,} features"


def _required(context: ReportContext, share: float | None, of_all: str, ends: Sequence[float]) -> str:
    """Return a share with its counts, its interval, and the minimum that is required."""
    minimum = "" if context.floor is None else f"; required: {context.floor:.0%}"
    return f"{_share(share)} ({of_all}, 95% interval {interval(ends[0], ends[1])}{minimum})"


def _cut(decision: Decision) -> str:
    """Return the threshold; where it depends on the amount of a row, nothing."""
    return "" if decision.threshold is None else f", at a probability threshold of {decision.threshold:.3g}"


def _money(value: float) -> str:
    return f"{value:,.2f}".removesuffix(".00")


def _share(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.1%}"
