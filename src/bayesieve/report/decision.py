"""What the model's own decisions come to, on rows that it has not seen."""

from typing import Any

import numpy as np

from bayesieve.decisions.smoothing import smooth
from bayesieve.report.brief import brief
from bayesieve.report.honest_rows import HonestRows
from bayesieve.report.question import Question

__all__ = ["describe_decision", "own_threshold"]


def own_threshold(model: Any, positive: int) -> float:
    """Return the probability of the positive class above which the model decides for it."""
    wish, card = model.threshold_.wish, model.scorecard_
    if wish.name == "bayes":
        return 0.5
    if wish.name == "probability":
        level = float(wish.level)
    else:
        log_odds = float(np.clip(model.threshold_.cut / 2.0**40, -700.0, 700.0))
        level = 1.0 / (1.0 + np.exp(-log_odds))
        if card.laplace:
            level = float(smooth(np.array([level]), card.mass, 2)[0])
    return level if positive == model.positive_index_ else 1.0 - level


def describe_decision(model: Any, honest: HonestRows, question: Question, positive: int) -> dict[str, Any]:
    """Return the threshold, and recall, precision, accuracy and profit of what each fold's model decided by its own."""
    truth, taken = honest.target == positive, honest.predicted == positive
    hits, alarms, misses = (int(each.sum()) for each in (truth & taken, ~truth & taken, truth & ~taken))
    described: dict[str, Any] = {
        "threshold": brief(own_threshold(model, positive)),
        "hits": hits,
        "false_alarms": alarms,
        "misses": misses,
        "correct_rejections": len(truth) - hits - alarms - misses,
        "recall": brief(hits / truth.sum()) if truth.any() else None,
        "precision": brief(hits / taken.sum()) if taken.any() else None,
    }
    if question.amount is not None and question.cost is not None:
        brought = np.full(len(truth), question.amount) if question.amounts is None else question.amounts
        gains = np.where(truth, brought, 0.0) - question.cost
        described["profit"] = brief(float(gains[taken].sum()))
        described["profit_of_all"] = brief(float(gains.sum()))
    return described
