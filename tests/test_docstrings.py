"""Every example in a docstring, in the README, in the tutorials, in how-tos and in examples/ runs as printed."""

import doctest
import importlib
import pkgutil
import re
import runpy
import shlex
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import pytest
from report.report_cases import compare_shortly
from typer.testing import CliRunner

import bayesieve
from bayesieve.cli.app import app

ROOT = Path(__file__).parents[1]
PAGES = [
    ROOT / "README.md",
    ROOT / "docs" / "index.md",
    ROOT / "docs" / "explanation" / "filters.md",
    ROOT / "docs" / "explanation" / "boosting.md",
    ROOT / "docs" / "explanation" / "scorecard.md",
    ROOT / "docs" / "explanation" / "accuracy_is_the_wrong_aim.md",
    *(
        page
        for folder in ("tutorials", "how-to")
        for page in sorted((ROOT / "docs" / folder).glob("*.md"))
        if page.stem != "index"  # a list of the others
    ),
]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def module_names():
    # __main__ runs the command line when imported.
    found = pkgutil.walk_packages(bayesieve.__path__, prefix="bayesieve.")
    return ["bayesieve", *(module.name for module in found if not module.name.endswith("__main__"))]


def test_docstring_examples(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    modules = [importlib.import_module(name) for name in module_names()]
    found = [each for module in modules for each in doctest.DocTestFinder().find(module)]
    # To run a docstring without examples takes three milliseconds, for thousands of them.
    examples = [each for each in found if each.examples]
    results = {each.name: doctest.DocTestRunner(optionflags=FLAGS).run(each) for each in examples}
    assert {name: result.failed for name, result in results.items() if result.failed} == {}
    assert len(results) > 40


# Dask leaves sockets to the collector of garbage.
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pages(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    plt.close("all")  # matplotlib warns of the twenty-first figure, whichever tests have drawn the others
    if page.name != "README.md":
        compare_shortly(monkeypatch)
    found = re.findall(r"^```(python|console)\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert found
    namespace = {}
    for language, block in found:
        if language == "console":
            for line in block.splitlines():
                result = CliRunner().invoke(app, shlex.split(line)[2:])  # $ bayesieve ...
                assert result.exit_code == 0, (line, result.output)
        elif ">>>" in block:
            example = doctest.DocTestParser().get_doctest(block, namespace, page.name, str(page), 0)
            assert doctest.DocTestRunner(optionflags=FLAGS).run(example, clear_globs=False).failed == 0
            namespace = example.globs
        else:
            exec(compile(block, str(page), "exec"), namespace)


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem)
def test_examples(example, tmp_path, monkeypatch, capsys):
    """A small number as the only argument makes an example short."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(example), "120"])
    runpy.run_path(str(example), run_name="__main__")
    plt.close("all")
    assert capsys.readouterr().out
