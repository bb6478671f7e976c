# SPDX-License-Identifier: BSD-3-Clause
"""A model card: what a model is, on what it was trained, how good it is, its limits, and how to use it, as Markdown."""

import re
from collections.abc import Sequence
from datetime import datetime
from math import isnan
from typing import Any

from bayesieve.estimators.amounts import BinnedAmount
from bayesieve.explain.selection_reasons import DROPPED
from bayesieve.export.exported_model import known_amount, scoring_model
from bayesieve.models import Scorecard, term_importances
from bayesieve.models.scorecard import in_units

__all__ = ["model_card"]

_MOST_COLUMNS = 50
_MARKS = re.compile(r"[\\`*\[\]<>&|~$!#]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
_ADDRESS = re.compile(r"(?i)(?:https?|ftp|mailto|xmpp):|www\.|@")  # what GitHub makes a link of
_MOST_CLASSES = 10  # that are named
_TITLES = {"log_loss": "log loss", "brier": "Brier score", "auc": "ROC AUC"}


def model_card(model: Any, *, file: str = "model.json") -> str:
    """Return a model card of a fitted classifier as Markdown.

    Parameters
    ----------
    model : fitted classifier
        Such as `ScorecardClassifier`, or a `BenefitClassifier` over one. What a model file knows about the training is
        used: load a model that ``bayesieve fit`` wrote.
    file : str, default="model.json"
        Name of the model file, for the commands.

    Returns
    -------
    text : str
        Data, columns, metrics, limits and how to score new rows.
    """
    fitted = scoring_model(model)
    record, card = getattr(fitted, "training_record_", None), fitted.scorecard_
    sections = {
        f"Model card: {_text(getattr(record, 'target', '') or 'classifier')}": _summary(model, record),
        "Training data": _data(fitted, record),
        "Columns": _columns(card),
        "Edits by hand": _edits(fitted),
        "Expected amount": _amounts(model),
        "Metrics": _metrics(record),
        "Decision": _decision(fitted) if fitted is model else _benefit_decision(model),
        "Limits": _limits(fitted),
        "How to score new rows": _commands(file),
    }
    sections = {title: text for title, text in sections.items() if text}
    parts = [f"{'#' if i == 0 else '##'} {title}\n\n{text}" for i, (title, text) in enumerate(sections.items())]
    return "\n\n".join(parts) + "\n"


def _summary(deciding: Any, record: Any) -> str:
    model = scoring_model(deciding)
    name = f"`{type(model).__name__}`"
    if deciding is not model:
        name = f"`{type(deciding).__name__}` of a {name}"
    trained = f", trained {_time(record.trained)}" if record is not None and record.trained else ""
    codes = [_code(label) for label in model.classes_.tolist()]
    labels = (
        f"{', '.join(codes[:-1])} or {codes[-1]}" if len(codes) <= _MOST_CLASSES else f"one of {len(codes)} classes"
    )
    columns = f"{len(model.scorecard_.columns)} of {_n_candidates(model)} columns"
    text = f"A {name}{trained}. It predicts {labels} from {columns}."
    if model.scorecard_.additive() is None:
        return text
    terms = "column and pair of columns" if model.scorecard_.pairs else "column"
    return f"{text} Its score is a sum of points, one per {terms}, so that each prediction can be explained."


def _time(text: str) -> str:
    """Return a time in UTC of a model file, to the minute, as the report writes it."""
    try:
        return f"{datetime.fromisoformat(text):%Y-%m-%d %H:%M} UTC"
    except ValueError:
        return text


def _n_candidates(model: Any) -> int:
    """Return how many columns could be selected: all but those that ``drop`` leaves out, as in the report."""
    return sum(model.why_[name]["reason"] != DROPPED for name in model.column_names_)


def _data(model: Any, record: Any) -> str:
    card = model.scorecard_
    lines = [f"- rows: {card.mass:,.0f}"]
    lines += [f"- class {_code(c)}: {n:,.0f}" for c, n in zip(card.classes.tolist(), card.class_mass, strict=True)]
    for name in ("source", "fingerprint", "command"):
        if value := getattr(record, name, ""):
            lines.append(f"- {name}: {_code(value)}")
    return "\n".join(lines)


def _columns(card: Scorecard) -> str:
    shares = term_importances(card.tables, card.pairs).tolist()
    names = [*(table.name for table in card.tables), *(pair.label for pair in card.pairs)]
    bins = [*(table.partition.n_bins for table in card.tables), *(len(pair.cells) for pair in card.pairs)]
    order = sorted(range(len(names)), key=lambda i: -shares[i])
    rows = [(names[i], str(bins[i]), f"{shares[i]:.1%}") for i in order[:_MOST_COLUMNS]]
    left = len(names) - len(rows)
    more = f"\n\n… and {left} more." if left > 0 else ""
    meaning = (
        "\n\nImportance: mean absolute contribution to the log-odds, as a share of the sum over columns and pairs; fit "
        "and the report divide that of a pair between its two columns."
    )
    return _table(("column", "bins", "importance"), rows) + more + (meaning if card.pairs else "")


def _edits(model: Any) -> str:
    """Return what an expert has changed, and what it costs."""
    changes = getattr(model, "changes_", ())
    if not changes:
        return ""
    rows = [
        (
            str(each.edit),
            each.edit.why,
            " ".join(part for part in (each.edit.author, _time(each.edit.time) if each.edit.time else "") if part),
            "" if isnan(each.difference) else f"{each.difference:+.5f} ± {each.error:.5f}",
            f"{each.decisions:,}",
        )
        for each in changes
    ]
    meaning = (
        "Change of the log loss per row by fits that have not seen the row, with its standard error; empty where "
        "points were not learned again. Edits were chosen by someone who saw all rows. Cross-validated metrics below "
        "are of models without the edits."
    )
    return _table(("edit", "reason", "by", "change of the log loss", "other decisions"), rows) + f"\n\n{meaning}"


def _metrics(record: Any) -> str:
    scores = {} if record is None else record.scores
    if not scores:
        return "Unknown: the model file has no scores of held-out rows. Evaluate the model on new rows before use."
    rows = [(_TITLES.get(name, name), f"{mean:.4f} ± {error:.4f}") for name, (mean, error) in scores.items()]
    if record.profit is not None:
        mean, error = record.profit
        rows.append(("profit per row", f"{mean:.4g} ± {error:.2g}"))
    return f"On {record.evaluation} rows, mean and standard error:\n\n" + _table(("metric", "value"), rows)


def _decision(model: Any) -> str:
    rule = model.threshold_.rule
    if rule.name == "bayes":
        return "The most probable class is predicted."
    level = "" if rule.level is None else f" {rule.level:g}"
    found = "" if rule.name == "probability" else f", found by the rule `{rule.name}{level}`"
    threshold = f"{model.threshold_.probability:.4g}"
    return f"{_code(model.pos_label_)} is predicted if its probability is above {threshold}{found}."


def _benefit_decision(model: Any) -> str:
    """Return the rule of a model with benefits."""
    if model.amount_ is None:
        actions = " or ".join(_code(action) for action in model.actions_.tolist())
        benefits = f"benefits by class: {model.benefit_matrix_.tolist()}"
        return f"The action with the largest expected benefit is chosen, {actions}; {benefits}."
    amount = known_amount(model)
    source = "the expected amount" if amount is None else f"its amount, the value of {_code(amount)},"
    positive = _code(model.pos_label_)
    return f"{positive} is predicted where its probability times {source} is above the cost, {model.cost:g}."


def _amounts(model: Any) -> str:
    """Return the columns of the expected amount; nothing for models without, or where the amount is a column."""
    amount = getattr(model, "amount_", None)
    if not isinstance(amount, BinnedAmount):
        return ""
    start = f"The mean amount of the positive training rows is {float(in_units(amount.model.start)):.4g}"
    if not amount.model.tables:
        return f"{start}; it is the amount of every row."
    rows = [
        (each.name, str(each.partition.n_bins), f"{low:+.4g} to {high:+.4g}")
        for each in amount.model.tables
        for low, high in [(in_units(each.table[:-1]).min(), in_units(each.table[:-1]).max())]
    ]
    return f"{start}. Columns add to it:\n\n" + _table(("column", "bins", "adds"), rows)


def _limits(model: Any) -> str:
    lines = [
        "- Points describe associations in the training data, not causes.",
        "- A category that did not occur in training adds nothing to the score; compare new rows with those of the "
        "training.",
        "- Probabilities hold for rows like the training rows: another mix of classes shifts them.",
    ]
    calibrated = model.scorecard_.calibration is not None
    return "\n".join([*lines, "- Probabilities are calibrated on held-out rows."] if calibrated else lines)


def _commands(file: str) -> str:
    file = " ".join(file.split())
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
    """Return a value as text of one line in which nothing is Markdown, HTML, a link or mathematics."""
    text = _MARKS.sub(r"\\\g<0>", " ".join(str(value).split()))
    return _ADDRESS.sub(lambda match: match[0][:-1] + "\\" + match[0][-1], text)


def _code(value: Any) -> str:
    """Return a value as code of one line, in which a backslash is a character like any other."""
    text = " ".join(str(value).split()).replace("`", "'")
    return f"`{text}`" if text else "` `"
