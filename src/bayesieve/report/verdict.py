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
    n_chosen = size["n_columns"]
    if not n_chosen:
        return f"No column tells anything about {question.target!r}: its frequencies are the best that can be said."
    columns = f"{n_chosen} of {told['n_columns']} columns" if n_chosen > 1 else f"One of {told['n_columns']} columns"
    one = n_chosen == 1
    said = _WAYS[question.goal](question, shares, labels, size["honest"], told.get("decision"))
    verb, rest = said.split(" ", 1)
    return f"{columns} {_third_person(verb) if one else verb} {rest} – on rows that took no part in the fit."


def _third_person(verb: str) -> str:
    return verb + "s"


def _probability(question: Question, shares: Any, labels: Any, honest: Any, decision: Any) -> str:
    prior = -sum(share * log(share) for share in shares if share > 0)
    whose = f"the probability of {question.positive!r}" if question.positive is not None else "class probabilities"
    return (
        f"give {whose} with a log loss of {_plus_minus(honest['log_loss'])}, where frequencies alone have {prior:.4f}"
    )


def _ranking(question: Question, shares: Any, labels: Any, honest: Any, decision: Any) -> str:
    area = honest["auc"]
    which = f"a row of {question.positive!r}" if question.positive is not None else "a row of a class"
    odds = f"{area['mean']:.1%} (± {area['error']:.1%})"
    return f"rank {which} above one that is not in {odds} of all pairs, where chance does in 50 %"


def _accuracy(question: Question, shares: Any, labels: Any, honest: Any, decision: Any) -> str:
    right = honest["accuracy"]
    most = max(range(len(shares)), key=shares.__getitem__)
    known = f"{right['mean']:.1%} (± {right['error']:.1%})"
    return f"classify {known} of the rows rightly, where always saying {labels[most]!r} does {shares[most]:.1%}"


def _recall(question: Question, shares: Any, labels: Any, honest: Any, decision: Any) -> str:
    floor = "" if question.floor is None else f" ({question.floor:.0%} was asked for)"
    return f"find {_share(decision['recall'])} of the rows of {question.positive!r}{floor}, {_alarms(decision)}"


def _precision(question: Question, shares: Any, labels: Any, honest: Any, decision: Any) -> str:
    floor = "" if question.floor is None else f" ({question.floor:.0%} was asked for)"
    right = _share(decision["precision"])
    found = _share(decision["recall"])
    return f"find {found} of the rows of {question.positive!r}, and {right} of those they mark are right{floor}"


def _profit(question: Question, shares: Any, labels: Any, honest: Any, decision: Any) -> str:
    acted = decision["hits"] + decision["false_alarms"]
    whole = acted + decision["misses"] + decision["correct_rejections"]
    everyone = f"acting on all would earn {decision['profit_of_all']:,.2f}"
    return f"earn {decision['profit']:,.2f} by acting on {acted:,} of {whole:,} rows, where {everyone}"


_WAYS = {
    "probability": _probability,
    "ranking": _ranking,
    "accuracy": _accuracy,
    "recall": _recall,
    "precision": _precision,
    "profit": _profit,
}


def _alarms(decision: dict[str, Any]) -> str:
    return f"and {_share(decision['precision'])} of the rows that they mark are so"


def _share(value: float | None) -> str:
    return "none" if value is None else f"{value:.1%}"


def _plus_minus(score: dict[str, float]) -> str:
    return f"{score['mean']:.4f} ± {score['error']:.4f}"
