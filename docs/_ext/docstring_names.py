"""What of a class is shown, and names with a last underscore where reStructuredText would take them for links."""

import re
from typing import Any

from sphinx.application import Sphinx

_TYPE = re.compile(r"^(\S.* : )(.*)$")


def escape_types(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Write ``n_features_in_`` in the type of a parameter so that it is text; numpydoc looks after the names itself."""
    for i, line in enumerate(lines):
        if found := _TYPE.match(line):
            lines[i] = found[1] + re.sub(r"(\w)_(?!\w|`)", r"\1\\_", found[2])


def skip_foreign(app: Sphinx, what: str, name: str, obj: Any, skip: bool, options: Any) -> bool | None:
    """Leave out what scikit-learn gives to every estimator: its own pages explain it."""
    module = getattr(obj, "__module__", None) or getattr(getattr(obj, "fget", None), "__module__", None) or ""
    return True if module.startswith("sklearn.") else None


def setup(app: Sphinx) -> dict[str, bool]:
    """Come before numpydoc, which reads docstrings at priority 500."""
    app.connect("autodoc-process-docstring", escape_types, priority=400)
    app.connect("autodoc-skip-member", skip_foreign)
    return {"parallel_read_safe": True}
