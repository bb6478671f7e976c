# SPDX-License-Identifier: BSD-3-Clause
"""The result in a few sentences: the score for the goal, how few columns are enough, what other models reach."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bayesieve.additive.constants import MIN_GAIN
from bayesieve.report.comparison import TUNED, UNLIMITED, ComparedModel, ComparedModels
from bayesieve.report.context import ReportContext, Setting
from bayesieve.report.formats import area, format_label, interval, join_words, money, plural
from bayesieve.report.model_type import SearchFacts, SizeRule
from bayesieve.report.promise import Promise, promise_sentences
from bayesieve.report.sizes import Marks, Score, Size, selected_size
from bayesieve.report.threshold import Decision

__all__ = ["Results", "write_verdict"]

_FEW = 100  # rows of a class


@dataclass(frozen=True)
class Results:
    """What the sentences are made of: setting, sizes, decisions, other models, the rule of the size, the promise.

    ``has_neutral_values`` is whether missing values are neutral in this model, which other models learn from.
    """

    setting: Setting
    sizes: Sequence[Size]
    marks: Marks
    decision: Decision | None
    compared: ComparedModels
    search: SearchFacts
    size_rule: SizeRule
    promise: Promise | None = None
    has_neutral_values: bool = False

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
    sentences = [f"{how} {_SENTENCES[context.goal](context, results)}."]
    sentences += [] if results.promise is None else promise_sentences(results.promise)
    sentences.append(_size(results))
    return [each for each in (*sentences, _limit(results), _comparison(results), _stopped(results)) if each]


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
        f"Only {n:,} of {n_rows:,} rows {'is' if n == 1 else 'are'} of class {rarest.label}: with so "
        "few, only a strong effect differs clearly from chance. More rows of this class would help; the table of all "
        "columns has the loss of each column alone.",
    ]


def _probability(context: ReportContext, results: Results) -> str:
    auc = area(results.size.held_out["auc"].mean)
    return f"ROC AUC {auc}, log loss {_loss(results)} (baseline {results.baseline('log_loss'):.3f})"


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
    n_alarms, n_rows = decision.n_acted, decision.n_rows
    alarms = f"all {n_rows:,} rows" if n_alarms == n_rows else f"{n_alarms:,} of {n_rows:,} rows"
    precision = f"precision {_share(decision.precision)} ({alarms} predicted positive)"
    return f"recall of class {format_label(context.positive)}: {required}, {precision}{_cut(results)}"


def _precision(context: ReportContext, results: Results) -> str:
    assert results.decision is not None
    decision = results.decision
    of_all = f"{decision.true_positives:,} of {decision.true_positives + decision.false_positives:,} rows"
    required = _required(context, decision.precision, of_all, decision.precision_interval)
    recall = _share(decision.recall)
    return f"precision of class {format_label(context.positive)}: {required}, recall {recall}{_cut(results)}"


def _profit(context: ReportContext, results: Results) -> str:
    assert results.decision is not None
    decision = results.decision
    assert decision.profit is not None
    assert decision.profit_of_all_rows is not None
    acted = f"by acting on {decision.n_acted:,} of {decision.n_rows:,} rows{_cut(results)}"
    return f"profit {money(decision.profit)} {acted}; acting on all rows: {money(decision.profit_of_all_rows)}"


_METHODS = {"cross-validated": "Cross-validated", "held-out": "On held-out rows", "optimistic": "On training rows"}
_A_PAGE = 10  # columns
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
    """Return how many columns the model uses, why, and what held-out rows show of this number.

    The selection compares sizes on its own folds, and held-out rows can need another number: each is named.
    """
    n_selected, n_enough = results.size.n_columns, results.marks.nearly_all
    improvement, rule = results.size.improvement, f", {results.size_rule.describe(n_selected)}"
    rule *= len(results.sizes) > 1  # a model from a file has one size, whose rule was stated by its training
    uses = f"The model uses {n_selected} of {plural(results.n_columns, 'column')}{rule}."
    how, one = _METHODS[results.setting.method], n_selected == 1
    of_folds = results.setting.method == "cross-validated" and results.size_rule.varies
    if improvement is None or improvement <= _NONE:
        return f"{uses} {how}, {'it is' if one else 'they are'} no better than class frequencies."
    if n_enough is None or n_selected == n_enough == results.largest < results.n_columns:  # no other size is better
        return uses
    whole = "the improvement" if "improvement over" in rule else "the improvement over class frequencies"
    if results.largest < results.n_columns:
        whole += f" that up to {plural(results.largest, 'column')} give"
    who = "this selection keeps" if of_folds else "it keeps" if one else "they keep"
    keep = f"{uses} {how}, {who} {_kept(improvement)} of {whole}"
    if n_selected == n_enough:
        return keep + ("." if one else f"; {_fewer(results)}.")
    if n_enough < n_selected and improvement < MIN_GAIN:
        return f"{keep}{_with_fewer(results, n_enough, of_folds)}."
    if n_enough < n_selected:
        return f"{keep}; {plural(n_enough, 'column')} {'is' if n_enough == 1 else 'are'} enough for {MIN_GAIN:.0%}."
    return f"{keep}; {MIN_GAIN:.0%} takes {plural(n_enough, 'column')}."


def _with_fewer(results: Results, n_enough: int, of_folds: bool) -> str:
    """Return that fewer columns than the selected ones keep more, which they can where folds select other numbers."""
    ends = results.size_rule.of_folds
    keep = f"{'keeps' if n_enough == 1 else 'keep'} {MIN_GAIN:.0%}"
    if not of_folds or ends is None or ends[0] == ends[1]:
        return f", and {plural(n_enough, 'column')} {keep}"
    return f", with {ends[0]} to {ends[1]} columns in a fold; {plural(n_enough, 'column')} in every fold {keep}"


def _fewer(results: Results) -> str:
    """Return what fewer columns keep, where none of these numbers is enough: of many columns, a number for a page."""
    small = max((size for size in results.sizes if size.n_columns <= _A_PAGE), key=lambda size: size.n_columns)
    kept = small.improvement or 0.0
    if results.size.n_columns <= 2 * _A_PAGE or not small.n_columns or kept <= _NONE:
        return f"fewer columns keep less than {MIN_GAIN:.0%}"
    return f"{plural(small.n_columns, 'column')} {'keeps' if small.n_columns == 1 else 'keep'} {_kept(kept)}"


def _kept(share: float) -> str:
    """Return a share with as many digits, up to three, as tell it from `MIN_GAIN` and from 1 where it is less."""
    texts = [f"{share:.{digits}%}" for digits in range(4)]
    bounds = [bound for bound in (MIN_GAIN, 1.0) if share < bound]
    exact = (text for text in texts if all(float(text[:-1]) < 100 * bound for bound in bounds))
    return next(exact, f"nearly {bounds[0]:.0%}" if bounds else texts[0])


def _comparison(results: Results) -> str:
    """Return what is given up against the best of the other models, in each of the scores that are shown."""
    others = [model for model in results.compared.models[1:] if model.name != UNLIMITED]
    if not others:
        return ""
    best = min(others, key=lambda model: model.scores["log_loss"].mean)
    is_tuned = best.name == TUNED
    name = f"{best.name}, tuned," if is_tuned else best.name
    has = f"has {_figures(best)} {_where(results)}"
    if worse := best.worse():
        own = "a readable" if is_tuned and not results.has_neutral_values else "this"
        neutral = "; the others learn from missing values, which are neutral in it" * results.has_neutral_values
        return f"{name[0].upper()}{name[1:]} {has}: {own} model gives up {_lost(worse)}{neutral}."
    nothing = "Nothing" if all(each.mean <= 0 for each in best.given_up.values()) else "Nothing that can be measured"
    better = "".join(_better_in_part(model) for model in others if model is not best)
    if is_tuned:
        return f"{nothing} is given up for a readable model: {name} {has}.{better}"
    return f"{nothing} is given up: {name}, the best of the other models, {has}.{better}"


def _better_in_part(model: ComparedModel) -> str:
    """Return in which scores a model is better that has not the lowest log loss of the others."""
    worse = model.worse()
    return f" {model.name[0].upper()}{model.name[1:]} is better by {_lost(worse)}." if worse else ""


def _limit(results: Results) -> str:
    """Return what a limit of the number of columns costs, if the same method was fitted without it."""
    free = next((model for model in results.compared.models if model.name == UNLIMITED), None)
    if free is None:
        return ""
    has = f"With any number of columns, the same method has {_figures(free)} {_where(results)}"
    if worse := free.worse():
        return f"{has}: the limit costs {_lost(worse)}."
    return f"{has}: the limit costs nothing that can be measured."


def _figures(model: ComparedModel) -> str:
    loss, auc, accuracy = (model.scores[name].mean for name in ("log_loss", "auc", "accuracy"))
    return f"log loss {loss:{'.4f' if loss < _SMALL else '.3f'}}, ROC AUC {area(auc)} and accuracy {accuracy:.1%}"


def _where(results: Results) -> str:
    return "in the same folds" if results.setting.evaluation.n_folds else "on the same rows"


def _lost(scores: Mapping[str, Score]) -> str:
    """Return what is lost of each score, with its standard error."""
    lost = [
        f"{each.mean:.1%} ± {each.standard_error:.1%} of accuracy"
        if metric == "accuracy"
        else f"{each.mean:.4f} ± {each.standard_error:.4f} of {'log loss' if metric == 'log_loss' else 'ROC AUC'}"
        for metric, each in scores.items()
    ]
    return join_words(lost)


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
    mean = area(score.mean) if metric == "auc" else f"{score.mean:{form}}"
    return f"{mean} ± {score.standard_error:{form}}"


def _required(context: ReportContext, share: float | None, of_all: str, ends: Sequence[float]) -> str:
    """Return a share with its counts, its interval, and the minimum that is required."""
    minimum = "" if context.floor is None else f"; required: {context.floor:.0%}"
    return f"{_share(share)} ({of_all}, 95% interval {interval(ends[0], ends[1])}{minimum})"


def _cut(results: Results) -> str:
    """Return the threshold of the decisions; where it depends on the amount of a row, nothing."""
    level = None if results.decision is None else results.decision.threshold
    if level is None:
        return ""
    if results.setting.folds_have_thresholds:
        return f". Each fold had a probability threshold of its own; that of the model is {level:.3g}"
    return f", at a probability threshold of {level:.3g}"


def _share(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.1%}"
