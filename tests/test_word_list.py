"""The word list finds the project's former dialect, and leaves ordinary sentences alone."""

import importlib.util
from pathlib import Path

import pytest

_FILE = Path(__file__).parents[1] / "tools" / "word_list.py"

FOUND = [
    "The class that is looked for.",
    "The class asked for is the second.",
    "The share of what is said.",
    "This is what each column says.",
    "The frequency as said, and as it happened.",
    "An honest score is not flattering.",
    "On rows that the tables do not know.",
    "On rows that the fit never saw.",
    "The fitting rows are few.",
    "A column is taken at its word.",
    "The evidence of a bin is large.",
    "The evidence of the column is large.",
    "There is some doubt.",
    "A charge is added for each column.",
    "All are weighed anew.",
    "It does not pay for its weight.",
    "One part is best.",
    "Such columns are mute.",
    "A silent column.",
    "The wishes of a user.",
    "It returns one row a bin.",
    "It holds a table a column.",
    "One output a value is expected.",
    "The table knows its rows.",
    "Rows judge the subset.",
    "It stops until there are so many.",
    "There is no bin: this is no bin.",
    "class Teacher:",
    "told = read(path)",
    "Tables are fitted beside the others.",
    '"""Those of each fold."""',
]

LEFT = [
    "The weight of evidence of a bin is its log-odds ratio.",
    "The log Bayes factor of the column is large.",
    "One row per bin, one table per column.",
    "Return a value that JSON can hold.",
    "There is no column with two bins, and no score is larger.",
    "The second of two classes is the positive class.",
    "Each column is one part of the sum over columns.",
    "Pass rows as a table.",
]


@pytest.fixture(scope="module")
def word_list():
    if not _FILE.exists():
        pytest.skip("needs a checkout: tools/ is not installed")
    spec = importlib.util.spec_from_file_location("word_list", _FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("sentence", FOUND)
def test_dialect_is_found(word_list, tmp_path, sentence):
    page = tmp_path / "page.md"
    page.write_text(sentence.replace(" ", "\n", 1) if sentence.startswith("The class") else sentence)
    assert list(word_list.findings(page))


@pytest.mark.parametrize("sentence", LEFT)
def test_ordinary_sentences_are_left_alone(word_list, tmp_path, sentence):
    page = tmp_path / "page.md"
    page.write_text(sentence)
    assert not list(word_list.findings(page))
