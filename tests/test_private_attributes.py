"""No room reads the private state of another: an estimator is known by its public attributes."""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "bayesieve"
OUTSIDE = [path for path in sorted(SOURCE.rglob("*.py")) if path.relative_to(SOURCE).parts[0] != "estimators"]

# Private names of other libraries, each in the one file that needs it.
FOREIGN = {
    ("data/blocks/dask_blocks.py", "_meta"),
    ("exceptions.py", "_getframe"),
}


def is_private(name):
    return name.startswith("_") and not name.endswith("__")


def own_names(tree):
    """Return the private names that the classes of a module define: methods, fields, and attributes of self."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            yield node.name
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and is_self(node.value):
            yield node.attr


def is_self(node):
    return isinstance(node, ast.Name) and node.id in ("self", "cls")


def private_reads(tree):
    """Return the private attributes of other objects than self, and the lines that name them."""
    own = set(own_names(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and not is_self(node.value):
            name = node.attr
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("getattr", "setattr"):
            name = node.args[1].value if isinstance(node.args[1], ast.Constant) else ""
        else:
            continue
        if is_private(name) and name not in own:
            yield name, node.lineno


def test_no_private_attribute_of_another_module_is_read():
    assert len(OUTSIDE) > 300
    found = []
    for path in OUTSIDE:
        place = path.relative_to(SOURCE).as_posix()
        reads = private_reads(ast.parse(path.read_text(encoding="utf-8")))
        found += [(place, name, line) for name, line in reads if (place, name) not in FOREIGN]
    assert found == []


@pytest.mark.parametrize(
    "line",
    ["model._names", "model.scorecard_._tables[0]", "f(model)._offers", 'getattr(model, "_mass")', "x._counts = 1"],
)
def test_such_reads_are_seen(line):
    assert list(private_reads(ast.parse(line)))
