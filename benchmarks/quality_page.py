# SPDX-License-Identifier: BSD-3-Clause
"""A page of the documentation whose tables are made from saved results."""

import re
from collections.abc import Mapping

__all__ = ["with_tables"]

_TABLE = re.compile(r"<!-- table: (?P<name>.*?) -->\n.*?<!-- end of table -->", re.DOTALL)


def with_tables(page: str, tables: Mapping[str, str]) -> str:
    """Return the page with its tables, each between two comments of which the first has its name, made anew."""

    def table(found: re.Match[str]) -> str:
        name = found["name"]
        return f"<!-- table: {name} -->\n\n{tables[name]}\n\n<!-- end of table -->"

    return _TABLE.sub(table, page)
