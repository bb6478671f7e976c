# SPDX-License-Identifier: BSD-3-Clause
"""A model card: what a model is, on what it was trained, how good it is, its limits, and how to use it, as Markdown."""

from collections.abc import Sequence
from typing import Any

from bayesieve.models import Scorecard, term_importances

__all__ = ["model_card"]

_MOST_COLUMNS = 50
_TITLES = {"log_loss": "log loss", "brier": "Brier score", "auc": "ROC AUC"}


def model_card(model: Any, *, file: str = "model.json") -> str:
    """Return a model card of a fitted classifier as Markdown.

    Parameters
    ----------
    model : fitted classifier
        Such as `ScorecardClassifier`. What a model file knows about the training is used: load a model that
        ``bayesieve fit`` wrote.
    file : str, default="model.json"
        Name of the model file, for the commands.

    Returns
    -------
    text : str
        Data, columns, metrics, limits and how to score new rows.
    """
    record, card = getattr(model, "training_record_", None), model.scorecard_
    sections = {
        f"Model card: {getattr(record, 'target', '') or 'classifier'}": _summary(model, record),
        "Training data": _data(model, record),
        "Columns": _columns(model, card),
        "Metrics": _metrics(record),
        "Decision": _decision(model),
        "Limits": _limits(model),
        "How to score new rows": _commands(file),
    }
    parts = [f"{'#' if i == 0 else '##'} {title}\n\n{text}" for i, (title, text) in enumerate(sections.items())]
    return "\n\n".join(parts) + "\n"


def _summary(model: Any, record: Any) -> str:
    trained = f", trained {record.trained}" if record is not None and record.trained else ""
    labels = " or ".join(f"`{_text(label)}`" for label in model.classes_.tolist()[:10])
    columns = f"{len(model.scorecard_.columns)} of {len(model.column_names_)} columns"
    text = f"A `{type(model).__name__}` of bayesieve{trained}. It predicts {labels} from {columns}."
    if model.scorecard_.additive() is None:
        return text
    return f"{text} Its score is a sum of points, one per column, so that each prediction can be explained."


def _data(model: Any, record: Any) -> str:
    card = model.scorecard_
    lines = [f"- rows: {card.mass:,.0f}"]
    lines += [f"- class `{_text(c)}`: {n:,.0f}" for c, n in zip(card.classes.tolist(), card.class_mass, strict=True)]
    for name in ("source", "fingerprint", "command"):
        if value := getattr(record, name, ""):
            lines.append(f"- {name}: `{_text(value)}`")
    return "\n".join(lines)


def _columns(model: Any, card: Scorecard) -> str:
    shares = term_importances(card.tables, card.pairs).tolist()
    names = [*(table.name for table in card.tables), *(pair.label for pair in card.pairs)]
    bins = [*(table.partition.n_bins for table in card.tables), *(len(pair.cells) for pair in card.pairs)]
    order = sorted(range(len(names)), key=lambda i: -shares[i])
    rows = [(names[i], str(bins[i]), f"{shares[i]:.1%}") for i in order[:_MOST_COLUMNS]]
    left = len(names) - len(rows)
    more = f"\n\n… and {left} more." if left > 0 else ""
    return _table(("column", "bins", "importance"), rows) + more


def _metrics(record: Any) -> str:
    scores = {} if record is None else record.scores
    if not scores:
        return "Unknown: the model file has no scores of held-out rows. Evaluate the model on new rows before use."
    rows = [(_TITLES.get(name, name), f"{mean:.4f} ± {error:.4f}") for name, (mean, error) in scores.items()]
    return f"On {record.evaluation} rows, mean and standard error:\n\n" + _table(("metric", "value"), rows)


def _decision(model: Any) -> str:
    rule = model.threshold_.rule
    if rule.name == "bayes":
        return "The most probable class is predicted."
    level = "" if rule.level is None else f" {rule.level:g}"
    return f"`{_text(model.pos_label_)}` is predicted above a threshold, found by the rule `{rule.name}{level}`."


def _limits(model: Any) -> str:
    lines = [
        "- Points describe associations in the training data, not causes.",
        "- A value that did not occur in training adds nothing to the score; compare new rows with the training rows.",
        "- Probabilities hold for rows like the training rows: another mix of classes shifts them.",
    ]
    calibrated = model.scorecard_.calibration is not None
    return "\n".join([*lines, "- Probabilities are calibrated on held-out rows."] if calibrated else lines)


def _commands(file: str) -> str:
    return (
        f"```sh\nbayesieve predict {file} new_rows.csv --out predictions.csv\n"
        f"bayesieve explain {file} new_rows.csv --row 1\n"
        f"bayesieve export {file} --to sql --table customers --out score.sql\n"
        f"bayesieve export {file} --to onnx --out model.onnx\n```"
    )


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(_text(cell) for cell in line)} |" for line in lines)


def _text(value: Any) -> str:
    """Return a value as text of one line, in which nothing is Markdown for a table or code."""
    return " ".join(str(value).split()).replace("|", "\\|").replace("`", "'")
