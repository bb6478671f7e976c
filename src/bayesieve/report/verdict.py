"""The answer in one sentence."""

from collections.abc import Sequence
from math import log
from typing import Any

from bayesieve.report.question import Question

__all__ = ["write_verdict"]


def write_verdict(
    question: Question, shares: Sequence[float], labels: Sequence[str], size: dict[str, Any], told: dict[str, Any]
) -> str:
    """Return what was found, with its honest score beside that of knowing nothing.

    Parameters
    ----------
    question : Question
        What was asked.
    shares, labels : sequences
        How frequent each class is, and what it is called.
    size : dict
        The chosen number of columns with its scores, as `describe_sizes` tells.
    told : dict
        ``n_columns`` of the table, and ``decision``, as `describe_decision` tells.
    """
    n_chosen, n_columns = size["n_columns"], told["n_columns"]
    if not n_chosen:
        return f"No column tells anything about {question.target}: class frequencies are the best that can be said."
    enough = (
        f"{n_chosen} of {n_columns} columns are enough" if n_chosen > 1 else f"One of {n_columns} columns is enough"
    )
    said = _WAYS[question.goal](question, shares, labels, size["honest"], told.get("decision"))
    return f"{enough}: on rows that the fit never saw, {said}."


def _probability(question: Question, shares: Any, labels: Any, honest: Any, decision: Any) -> str:
    prior = -sum(share * log(share) for share in shares if share > 0)
    whose = "class probabilities have" if question.positive is None else f"the probability of {question.positive} has"
    loss = honest["log_loss"]
    return f"{whose} a log loss of {loss['mean']:.3f} ± {loss['error']:.3f}, where frequencies alone have {prior:.3f}"


def _ranking(question: Question, shares: Any, labels: Any, honest: Any, decision: Any) -> str:
    area = honest["auc"]
    which = "a row of a class" if question.positive is None else f"a row of {question.positive}"
    odds = f"{area['mean']:.1%} (± {area['error']:.1%})"
    return f"{which} stands above one of the others in {odds} of all pairs, where chance gives 50 %"


def _accuracy(question: Question, shares: Any, labels: Any, honest: Any, decision: Any) -> str:
    right = honest["accuracy"]
    most = max(range(len(shares)), key=shares.__getitem__)
    known = f"{right['mean']:.1%} (± {right['error']:.1%})"
    return f"{known} get the right class, where always saying {labels[most]} is right in {shares[most]:.1%}"


def _recall(question: Question, shares: Any, labels: Any, honest: Any, decision: Any) -> str:
    floor = "" if question.floor is None else f" ({question.floor:.0%} was asked for)"
    found, right = _share(decision["recall"]), _share(decision["precision"])
    return f"{found} of {question.positive} are found{floor}, and {right} of the rows marked are right"


def _precision(question: Question, shares: Any, labels: Any, honest: Any, decision: Any) -> str:
    floor = "" if question.floor is None else f" ({question.floor:.0%} was asked for)"
    found, right = _share(decision["recall"]), _share(decision["precision"])
    return f"{right} of the rows marked are right{floor}, and {found} of {question.positive} are found"


def _profit(question: Question, shares: Any, labels: Any, honest: Any, decision: Any) -> str:
    acted = decision["hits"] + decision["false_alarms"]
    whole = acted + decision["misses"] + decision["correct_rejections"]
    everyone = f"acting on all would earn {decision['profit_of_all']:,.2f}"
    return f"acting on {acted:,} of {whole:,} rows earns {decision['profit']:,.2f}, where {everyone}"


_WAYS = {
    "probability": _probability,
    "ranking": _ranking,
    "accuracy": _accuracy,
    "recall": _recall,
    "precision": _precision,
    "profit": _profit,
}


def _share(value: float | None) -> str:
    return "none" if value is None else f"{value:.1%}"
