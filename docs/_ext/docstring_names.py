"""Members of classes to show, and names with a last underscore, which reStructuredText would treat as links."""

import re
from typing import Any

from sphinx.application import Sphinx

_TYPE = re.compile(r"^(\S.* : )(.*)$")


def escape_types(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Write ``n_features_in_`` in the type of a parameter so that it is text; numpydoc escapes the names itself."""
    for i, line in enumerate(lines):
        if match := _TYPE.match(line):
            lines[i] = match[1] + re.sub(r"(\w)_(?!\w|`)", r"\1\\_", match[2])


def skip_foreign(app: Sphinx, what: str, name: str, obj: Any, skip: bool, options: Any) -> bool | None:
    """Skip the methods that estimators inherit from scikit-learn, which documents them."""
    module = getattr(obj, "__module__", None) or getattr(getattr(obj, "fget", None), "__module__", None) or ""
    return True if module.startswith("sklearn.") else None


def setup(app: Sphinx) -> dict[str, bool]:
    """Register before numpydoc, which reads docstrings at priority 500."""
    app.connect("autodoc-process-docstring", escape_types, priority=400)
    app.connect("autodoc-skip-member", skip_foreign)
    return {"parallel_read_safe": True}
