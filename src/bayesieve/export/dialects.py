# SPDX-License-Identifier: BSD-3-Clause
"""A query in the dialect of a database, by sqlglot."""

from typing import Any

from bayesieve.exceptions import ExportError, MissingPackageError

__all__ = ["in_dialect"]

_READ_AS = "duckdb"  # the query is standard SQL, in which a backslash is a character like any other
_WITHOUT_BOOLEANS = ("oracle", "tsql")
_LONGEST_TIME = 40  # characters


def in_dialect(query: str, dialect: str) -> str:
    """Return a query of this package as a database of another dialect reads it."""
    sqlglot = _import_sqlglot()
    known = sorted(name.value for name in sqlglot.Dialects if name.value)
    if dialect not in known:
        raise ExportError(f"dialect is {dialect!r}; sqlglot has {', '.join(known)}.")
    tree = sqlglot.parse_one(query, read=_READ_AS).transform(lambda node: _adapted(sqlglot, node, dialect))
    written: str = tree.sql(dialect=dialect, pretty=True)
    return written


def _adapted(sqlglot: Any, node: Any, dialect: str) -> Any:
    """Replace what a dialect lacks: booleans by 1 and 0, text without a length in comparisons of Oracle."""
    if isinstance(node, sqlglot.exp.Boolean) and dialect in _WITHOUT_BOOLEANS:
        return sqlglot.exp.Literal.number(int(node.this))
    if isinstance(node, sqlglot.exp.DataType) and dialect == "oracle":
        return sqlglot.exp.DataType.build(f"VARCHAR({_LONGEST_TIME})")
    return node


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
