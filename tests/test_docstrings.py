"""Every example in a docstring of the installed package, and in the README, runs as printed."""

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import bayesieve

README = Path(__file__).parents[1] / "README.md"
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def module_names():
    # __main__ runs the command line when imported.
    found = pkgutil.walk_packages(bayesieve.__path__, prefix="bayesieve.")
    return ["bayesieve", *(module.name for module in found if not module.name.endswith("__main__"))]


def test_docstring_examples(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    modules = [importlib.import_module(name) for name in module_names()]
    results = {module.__name__: doctest.testmod(module, optionflags=FLAGS) for module in modules}
    assert {name: result.failed for name, result in results.items() if result.failed} == {}
    assert sum(result.attempted for result in results.values()) > 0


def test_readme_examples(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", README.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    assert blocks
    namespace = {}
    for block in blocks:
        if ">>>" in block:
            example = doctest.DocTestParser().get_doctest(block, namespace, "README.md", str(README), 0)
            assert doctest.DocTestRunner(optionflags=FLAGS).run(example, clear_globs=False).failed == 0
            namespace = example.globs
        else:
            exec(compile(block, str(README), "exec"), namespace)
