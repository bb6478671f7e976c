# SPDX-License-Identifier: BSD-3-Clause
"""A fitted classifier as one SQL query that returns log-odds, probability and class per row."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from bayesieve.bins import Groups, Intervals
from bayesieve.data import Scale, is_number
from bayesieve.estimators.fitted_mixins import PredictionMixin
from bayesieve.exact import in_nats
from bayesieve.exceptions import ExportError, MissingPackageError
from bayesieve.export.bin_tests import bin_tests, kind_of_values
from bayesieve.export.exported_model import additive_scorecard, deciding_amounts, known_amount, two_class_rule
from bayesieve.export.literals import (
    ROUNDED,
    balanced_sum,
    class_label,
    comment,
    identifier,
    label,
    moment,
    number,
    points as points_literal,
)
from bayesieve.models import Scorecard
from bayesieve.models.scorecard import AmountModel, in_units

__all__ = ["LOWEST", "export_sql", "points_case", "power_stages"]

_OWN = ("predicted",)
_BENEFITS = ("expected_amount", "expected_profit")
_NOTES = (
    "A null or NaN is a missing value; an empty string is a value. Dates and times are compared as ISO text, in UTC.",
    "ELSE is for values that are unseen in training.",
)
_BACKSLASHES = "A backslash is a character like any other, as in standard SQL; where it is an escape, write two."
_MOST_CLASSES = 100
_LARGEST = "1.7976931348623157e+308"
LOWEST = -700.0
"""The smallest number whose exp is computed."""
_DEGREE, _SCALE, _FOURTH_POWERS = 15, 1024.0, 5  # of exp by multiplication
_READ_AS = "duckdb"  # the query is standard SQL, in which a backslash is a character like any other
_WITHOUT_BOOLEANS = ("oracle", "tsql", "fabric")
_FOLDED_BY_BYTES, _FOLDED_BY_COLLATION = ("mysql",), ("tsql", "fabric")  # where "A" = "a" by default
_FOLDS: dict[str, Callable[[str], str]] = {  # what tests of characters fold all the same
    "tsql": lambda text: text.rstrip(" "),
    "fabric": lambda text: text.rstrip(" "),
    "teradata": lambda text: text.rstrip(" ").casefold(),
}
_LONGEST_TIME = 40  # characters
_LONGEST_NAME = 40  # bytes: with a prefix, some databases have 63


def export_sql(
    model: PredictionMixin,
    *,
    table: str = "data",
    keys: Sequence[str] = (),
    with_exp: bool = True,
    max_bins: int | None = None,
    dialect: str | None = None,
) -> str:
    """Return a query with the predictions of the model for each row of a table.

    Parameters
    ----------
    model : fitted classifier
        A classifier whose log-odds are a sum over columns, such as `SelectiveNaiveBayes`, or a `BenefitClassifier` over
        one, whose query also returns ``expected_amount`` and ``expected_profit``; the amount is a sum over bins, or a
        column.
    table : str, default="data"
        Name of the table.
    keys : sequence of str, default=()
        Columns to return with the predictions; by default those that the model uses.
    with_exp : bool, default=True
        Whether the function ``EXP`` is used, which some builds of SQLite lack. Without it, the query is longer: only
        arithmetic is used, and ``WITH ... AS MATERIALIZED`` (SQLite 3.35, DuckDB, PostgreSQL 12).
    max_bins : int or None, default=None
        Maximum number of bins per column, at least 2; see the classifier's method ``simplify``. None exports all.
    dialect : str or None, default=None
        The dialect of SQL, as sqlglot names it: "postgres", "bigquery", "snowflake", "tsql", "mysql", "spark", "oracle"
        and others; None is standard SQL, which DuckDB, SQLite and PostgreSQL read. It needs ``bayesieve[sql]``.

    Returns
    -------
    query : str
        With two classes, it returns ``log_odds`` and ``probability`` of the positive one; with more, the log-odds of
        each class against the first and the probability of each class. ``predicted`` is the predicted class.
    """
    card, known = additive_scorecard(model, "SQL", max_bins), known_amount(model)
    amounts = deciding_amounts(model, "SQL") if known is None else None
    if card.calibration is not None:
        raise ExportError("Models with calibration cannot be exported as SQL; fit without calibration.")
    classes = card.classes.tolist()
    of_amounts = [each.name for each in amounts.tables] if amounts else [known] if known else []
    used = list(dict.fromkeys([*card.columns, *of_amounts]))
    shown = list(keys) or used
    outputs = _outputs(classes)
    own = [*_OWN, *(_BENEFITS if amounts or known else ())]
    _check(len(classes), used, [*shown, *own, *outputs["log_odds"], *outputs["probability"]])
    _check_labels(_partitions(card, amounts), dialect)
    prefix = _unused_prefix([table, *shown, *(each.name for each in card.tables)])
    scores = [f"{prefix}s{c}" for c in range(len(classes))]
    carried = [identifier(name) for name in shown]
    rows = f"{prefix}rows"
    columns = _columns(card, amounts, prefix)
    stages: list[dict[str, str]] = [
        {columns[name]: _read(f"{rows}.{identifier(name)}", part) for name, part in _partitions(card, amounts)},
        {score: _score(columns, card, c) for c, score in enumerate(scores)},
        {f"{prefix}e{c}": _relative(scores, c) for c in range(len(scores))},
    ]
    exps = list(stages[-1])
    if with_exp:
        stages.append({name: f"EXP({name})" for name in exps})
    else:
        stages += power_stages(exps)
    final, kept = _results(card, outputs, scores, exps, model.positive_index_), list(scores)
    if amounts is None and known is None:
        final["predicted"] = _predicted(model, scores, final, _margin(card))
    else:
        kept.append(f"{prefix}amount")
        if known is not None:
            stages[0][f"{prefix}known"] = _read_number(f"{rows}.{identifier(known)}")
        stages[1][kept[-1]] = f"{prefix}known" if amounts is None else _amount(columns, amounts)
        final |= _decision(model, kept[-1], final["probability"])
    named = {f"{prefix}stage_{i}": stage for i, stage in enumerate(stages)}
    query = _query((identifier(table), rows), carried, kept, named, final, not with_exp)
    notes = [_title(model, classes), *_NOTES]
    if dialect is not None:
        query = _in_dialect(query, dialect)
    elif "\\" in query:
        notes.append(_BACKSLASHES)
    return "\n".join([*map(comment, notes), query]) + "\n"


def _check(n_classes: int, columns: Sequence[str], results: Sequence[str]) -> None:
    if n_classes > _MOST_CLASSES:
        raise ExportError(f"The model has {n_classes} classes; SQL export supports at most {_MOST_CLASSES}.")
    for names, what in ((columns, "model"), (results, "query")):
        # Databases do not distinguish capital and small letters.
        repeated = [name for name, count in Counter(name.casefold() for name in names).items() if count > 1]
        if repeated:
            same = " and ".join(repr(name) for name in names if name.casefold() == repeated[0])
            raise ExportError(f"The columns {same} of the {what} have the same name in a database; rename one.")


def _unused_prefix(names: Sequence[str]) -> str:
    """Return the beginning of the query's own names, which no other name has."""
    folded = [name.casefold() for name in names]
    candidates = ("bayesieve_", *(f"bayesieve{k}_" for k in range(len(names))))
    return next(prefix for prefix in candidates if not any(name.startswith(prefix) for name in folded))


def _outputs(classes: Sequence[Any]) -> dict[str, list[str]]:
    """Return the names of the result columns of each class; with two classes, of the positive one only."""
    if len(classes) == 2:
        return {"log_odds": ["log_odds"], "probability": ["probability"]}
    names = [str(each) for each in classes]
    if len({name.casefold() for name in names}) < len(names):
        names = [f"{name} ({c})" for c, name in enumerate(names)]
    return {
        "log_odds": [f"log_odds_{name}" for name in names[1:]],
        "probability": [f"probability_{name}" for name in names],
    }


def _title(model: Any, classes: Sequence[Any]) -> str:
    if len(classes) == 2:
        positive, other = classes[model.positive_index_], classes[1 - model.positive_index_]
        return f"Log-odds of {positive!r} against {other!r}, and the probability of {positive!r}."
    return f"Log-odds of each class against {classes[0]!r}, and the probability of each class."


def _partitions(card: Scorecard, amounts: AmountModel | None) -> Iterator[tuple[str, Any]]:
    """Yield the bins of each column; a column may have several, all of one type."""
    for each in (*card.tables, *(amounts.tables if amounts else ())):
        yield each.name, each.partition
    for pair in card.pairs:
        yield from zip(pair.names, pair.partitions, strict=True)


def _columns(card: Scorecard, amounts: AmountModel | None, prefix: str) -> dict[str, str]:
    """Return what the query calls the values of each column; databases cut long names."""
    names = dict.fromkeys(name for name, _ in _partitions(card, amounts))
    return {
        name: identifier(f"{prefix}{name}" if len(name.encode()) <= _LONGEST_NAME else f"{prefix}column_{k}")
        for k, name in enumerate(names)
    }


def _read(column: str, partition: Any) -> str:
    """Return the values of a column: numbers as a fit reads them, NaN as null; dates and times as text.

    A database may compare integers beyond 2^53 exactly, or have numbers as text. NaN differs from itself in some
    databases; in others it is larger than every number, and so is text that cannot be read as a number in SQLite, where
    what it is compared with has a type.
    """
    if _is_number(partition):
        return _read_number(column)
    if isinstance(partition, Groups):
        return column
    return f"REPLACE(CAST({column} AS VARCHAR), 'T', ' ')"


def _read_number(column: str) -> str:
    return f"CASE WHEN {column} <= {_double(_LARGEST)} THEN {_double(column)} END"


def _double(expression: str) -> str:
    return f"CAST({expression} AS DOUBLE PRECISION)"


def _score(columns: Mapping[str, str], card: Scorecard, c: int) -> str:
    """Return the score of a class minus that of the first."""
    if c == 0:
        return number(0.0)
    terms = [number(float(in_nats(card.start[c] - card.start[0])))]
    for each in card.tables:
        points = in_nats(each.table[:, c] - each.table[:, 0]).tolist()
        terms.append(points_case(columns[each.name], each.name, each.partition, points))
    for pair in card.pairs:
        cells = in_nats(pair.table[..., c] - pair.table[..., 0]).tolist()
        terms.append(_pair_case(columns, pair.names, pair.partitions, cells))
    return balanced_sum(terms)


def _relative(scores: Sequence[str], c: int) -> str:
    """Return a score minus the largest one, or the smallest number whose exp is computed."""
    least = " OR ".join(f"{scores[c]} - {other} < {number(LOWEST)}" for other in scores if other != scores[c])
    return f"CASE WHEN {least} THEN {number(LOWEST)} ELSE {scores[c]} - {_largest(scores, scores)} END"


def _largest(scores: Sequence[str], values: Sequence[str], margin: float = 0.0) -> str:
    """Return the value that belongs to the largest score, the first where they differ by the margin at most."""
    whens = []
    for score, value in zip(scores[:-1], values, strict=False):
        own = f"{score} + {number(margin)}" if margin else score
        tests = " AND ".join(f"{own} >= {other}" for other in scores if other != score)
        whens.append(f"WHEN {tests} THEN {value}")
    return f"CASE {' '.join(whens)} ELSE {values[-1]} END"


def _results(
    card: Scorecard, outputs: Mapping[str, Sequence[str]], scores: Sequence[str], exps: Sequence[str], positive: int
) -> dict[str, str]:
    """Return the log-odds and the probabilities; of two classes, those of the positive one."""
    total, is_first = balanced_sum(exps), len(exps) == 2 and positive == 0
    results = dict(zip(outputs["log_odds"], [f"{scores[0]} - {scores[1]}"] if is_first else scores[1:], strict=True))
    shown = exps if len(exps) > 2 else [exps[positive]]
    for name, each in zip(outputs["probability"], shown, strict=True):
        results[name] = f"{each} / {total}"
        if card.laplace:
            half, mass = number(0.5 / len(exps)), number(card.mass)
            results[name] = f"({mass} * {results[name]} + {half}) / {number(card.mass + 0.5)}"
    return results


def _margin(card: Scorecard) -> float:
    """Return how far the sum of points with few decimals may be from that of the model: a tie stays a tie."""
    return ROUNDED * (len(card.tables) + len(card.pairs))


def _predicted(model: Any, scores: Sequence[str], results: Mapping[str, str], margin: float) -> str:
    """Return the predicted class; scores that differ by the margin at most are equal."""
    labels = [class_label(each) for each in model.classes_.tolist()]
    if model.threshold_.rule.name == "bayes":
        return _largest(scores, labels, margin)
    rule = two_class_rule(model, model.positive_index_)
    limit = rule.limit if rule.of == "probability" else rule.limit + (margin if rule.above else -margin)
    test = f"{results[rule.of]} {'>' if rule.above else '<'} {number(limit)}"
    return f"CASE WHEN {test} THEN {labels[rule.chosen]} ELSE {labels[1 - rule.chosen]} END"


def _amount(columns: Mapping[str, str], amounts: AmountModel) -> str:
    """Return the expected amount before it is kept from being negative."""
    terms = [number(float(in_units(amounts.start)))]
    for each in amounts.tables:
        terms.append(points_case(columns[each.name], each.name, each.partition, in_units(each.table).tolist()))
    return balanced_sum(terms)


def _decision(model: Any, amount: str, probability: str) -> dict[str, str]:
    """Return the expected amount, the expected profit of acting, and the action.

    An estimate below 0 counts as 0; an amount that is known is what it is.
    """
    expected = amount
    if known_amount(model) is None:
        expected = f"CASE WHEN {amount} < {number(0.0)} THEN {number(0.0)} ELSE {amount} END"
    profit = f"({probability}) * ({expected}) - {number(float(model.cost))}"
    nothing, act = (class_label(each) for each in model.actions_.tolist())
    predicted = f"CASE WHEN {profit} > {number(0.0)} THEN {act} ELSE {nothing} END"
    return {"expected_amount": expected, "expected_profit": profit, "predicted": predicted}


def _query(
    table: tuple[str, str],
    carried: Sequence[str],
    scores: Sequence[str],
    stages: Mapping[str, Mapping[str, str]],
    final: Mapping[str, str],
    materialized: bool,
) -> str:
    """Return the query: one common table expression per stage, each of which reads the previous one.

    ``table`` is the name of the table and of its rows: SQLite reads a name that no column has as text, unless it is
    written with the rows.
    """
    hint = " AS MATERIALIZED" if materialized else " AS"
    source, rows = " AS ".join(table), table[1]
    kept, parts = [f"{rows}.{name} AS {name}" for name in carried], []
    for i, (stage_name, stage) in enumerate(stages.items()):
        made = [f"{expression} AS {name}" for name, expression in stage.items()]
        parts.append(f"{stage_name}{hint} (\n  SELECT {_list([*kept, *made])}\n  FROM {source}\n)")
        source = stage_name
        kept = [*carried, *(scores if i else ())]
    made = [f"{expression} AS {identifier(name)}" for name, expression in final.items()]
    return f"WITH {', '.join(parts)}\nSELECT {_list([*carried, *made])}\nFROM {source}"


def _list(items: Sequence[str]) -> str:
    return ",\n    ".join(items)


def points_case(column: str, name: str, partition: Any, points: Sequence[float]) -> str:
    """Return an expression for the points of the bin of each row.

    Parameters
    ----------
    column : str
        What the query calls the values of the column.
    name : str
        Name of the column.
    partition : Intervals or Groups
        The bins of the column.
    points : sequence of float
        The points of each bin; the last entry is for values that are unseen in training.
    """
    return _case(column, name, partition, [points_literal(value) for value in points])


def _pair_case(
    columns: Mapping[str, str],
    names: tuple[str, str],
    partitions: tuple[Any, Any],
    points: Sequence[Sequence[float]],
) -> str:
    """Return an expression for the points of the cell of each row: a ``CASE`` of one column in each bin of the other.

    ``points`` have one row per bin of the first column and one column per bin of the second; the last ones are for
    values that are unseen in training.
    """
    (first, second), (outer, inner) = names, partitions
    cells = [
        points_case(columns[second], second, inner, row) if len(set(row)) > 1 else points_literal(row[0])
        for row in points
    ]
    return _case(columns[first], first, outer, cells)


def _case(column: str, name: str, partition: Any, values: Sequence[str]) -> str:
    """Return an expression that has one of these expressions as its value in each bin."""
    *tests, rest = bin_tests(name, partition, values, "SQL")
    literal = _group_literal(name, partition) if isinstance(partition, Groups) else _bound_literal(name, partition)
    lines = []
    for test in tests:
        if test.kind == "missing":
            condition = f"{column} IS NULL"
        elif test.kind == "at most":
            condition = f"{column} <= {literal(test.values[0])}"
        elif isinstance(partition, Groups):
            condition = f"{column} IN ({', '.join(map(literal, test.values))})"
        else:
            condition = f"{column} = {literal(test.values[0])}"
        lines.append(f"      WHEN {condition} THEN {values[test.code]}")
    return "\n".join(["CASE", *lines, f"      ELSE {values[rest.code]}", "    END"])


def _is_number(partition: Any) -> bool:
    if isinstance(partition, Intervals):
        return partition.scale is Scale.numeric
    return isinstance(partition, Groups) and any(is_number(value) for group in partition.groups for value in group)


def _bound_literal(name: str, partition: Intervals) -> Callable[[float], str]:
    if partition.scale is Scale.numeric:
        return number
    if partition.special:
        raise ExportError(
            f"Column {name!r} has dates or times with a bin of their own, which standard SQL cannot express."
        )
    return partial(moment, scale=partition.scale, column=name)


def _group_literal(name: str, partition: Groups) -> Callable[[Any], str]:
    if partition.scale is not Scale.numeric:
        raise ExportError(f"Column {name!r} has groups of dates or times, which standard SQL cannot express.")
    kind_of_values(name, partition, "a database column")
    return partial(label, column=name)


def power_stages(names: Sequence[str]) -> list[dict[str, str]]:
    """Return stages, each a mapping of name to expression; after the last, a column holds its own exp.

    Not every database has the function. exp(x) = exp(x / 1024)^1024 for x from -700 to 0: the first by a polynomial
    whose error is below 1e-15, the power by taking the fourth power five times; the relative error is about 1e-12.
    The expressions of a stage read a column several times, so that each stage must be computed before the next.
    """
    stages = [{name: _polynomial(name) for name in names}]
    stages += [{name: f"{name} * {name} * {name} * {name}" for name in names}] * _FOURTH_POWERS
    return stages


def _polynomial(name: str) -> str:
    """Return 1 + u (1 + u/2 (1 + u/3 (...))) with u = x / 1024."""
    nested = "1.0e0"
    for k in range(_DEGREE, 0, -1):
        nested = f"(1.0e0 + {name} / {k * _SCALE:.1f}e0 * {nested})"
    return nested


def _in_dialect(query: str, dialect: str) -> str:
    """Return a query of this package as a database of another dialect reads it."""
    sqlglot = _import_sqlglot()
    known = sorted(name.value for name in sqlglot.Dialects if name.value)
    if dialect not in known:
        raise ExportError(f"dialect is {dialect!r}; sqlglot has {', '.join(known)}.")
    tree = sqlglot.parse_one(query, read=_READ_AS).transform(lambda node: _adapted(sqlglot.exp, node, dialect))
    written: str = tree.sql(dialect=dialect, pretty=True)
    return written


def _adapted(exp: Any, node: Any, dialect: str) -> Any:
    """Replace what a dialect lacks: booleans by 1 and 0, Oracle's own types, comparisons of text by its characters."""
    if isinstance(node, exp.Boolean) and dialect in _WITHOUT_BOOLEANS:
        return exp.Literal.number(int(node.this))
    if dialect == "oracle" and isinstance(node, exp.DataType):
        if node.this == exp.DataType.Type.DOUBLE:
            return exp.DataType(this=exp.DataType.Type.USERDEFINED, kind="BINARY_DOUBLE")
        return exp.DataType.build(f"VARCHAR({_LONGEST_TIME})")
    if dialect == "oracle" and isinstance(node, exp.Literal) and node.this == _LARGEST:
        return exp.Literal.string("17976931348623157e292")  # as a number it is beyond those of Oracle
    if isinstance(node, exp.In) and any(each.is_string for each in node.expressions):
        return _by_characters(exp, node, dialect)
    return node


def _by_characters(exp: Any, test: Any, dialect: str) -> Any:
    """Return a test of text that does not fold case, accents or blanks, as collations of some databases do."""
    if dialect in _FOLDED_BY_BYTES:
        values = [_bytes(exp, exp.Literal.string(each.this)) for each in test.expressions]
        return exp.In(this=_bytes(exp, test.this), expressions=values)
    if dialect in _FOLDED_BY_COLLATION:
        column = exp.Collate(this=test.this, expression=exp.Var(this="Latin1_General_BIN2"))
        return exp.In(this=column, expressions=[exp.National(this=each.this) for each in test.expressions])
    return test


def _bytes(exp: Any, text: Any) -> Any:
    """Return the bytes of a text in UTF-8, whatever the character set of the column or the connection."""
    if isinstance(text, exp.Literal) and text.this.isascii():
        return text
    unicode = exp.DataType(this=exp.DataType.Type.CHARACTER_SET, kind=exp.Var(this="utf8mb4"))
    return exp.Cast(this=exp.Cast(this=text, to=unicode), to=exp.DataType.build("BINARY"))


def _check_labels(partitions: Iterable[tuple[str, Any]], dialect: str | None) -> None:
    """Refuse categories that a database takes for one, whatever the collation."""
    fold = _FOLDS.get(str(dialect))
    for name, partition in partitions:
        if fold is None or not isinstance(partition, Groups):
            continue
        labels = [value for group in partition.groups for value in group if isinstance(value, str)]
        repeated = [text for text, count in Counter(map(fold, labels)).items() if count > 1]
        if repeated:
            same = " and ".join(repr(label) for label in labels if fold(label) == repeated[0])
            raise ExportError(f"The categories {same} of the column {name!r} are one in {dialect}; rename one.")


def _import_sqlglot() -> Any:
    try:
        import sqlglot
    except ModuleNotFoundError as error:
        if error.name != "sqlglot":
            raise
        raise MissingPackageError(
            "A dialect of SQL needs sqlglot, which is missing: pip install 'bayesieve[sql]'."
        ) from None
    return sqlglot
