"""The hostile suite, bounded: some cases of every part, and a registry that lists every public name."""

import inspect
import time

import pytest
from hostile.formats import FORMATS, try_formats
from hostile.functions import FUNCTIONS
from hostile.parts import PARTS
from hostile.registry import COMMANDS, ESTIMATORS, STORED_FILES, TABLE_FORMATS
from hostile.representations import REPRESENTATIONS, try_representations
from hostile.stored import KINDS

import bayesieve
from bayesieve.cli.app import app
from bayesieve.data.files import table_file
from bayesieve.data.files.binary_files import BINARY

SECONDS = 0.5  # of each part, always the first cases; `make fuzz MINUTES=30` begins anywhere and does more


@pytest.mark.parametrize("part", PARTS)
def test_some_cases(part):
    began, seed = time.monotonic(), 0
    while seed == 0 or time.monotonic() - began < SECONDS:
        text, outcome = PARTS[part](seed)
        assert not outcome.problems, f"python -m hostile --part {part} --first {seed} --count 1: {text}"
        seed += 1


@pytest.mark.parametrize(
    ("trained", "given"),
    [
        ("M8[ns]", "int 20200131"), ("int 20200131", "M8[ns]"), ("M8[ns]", "epoch seconds"), ("m8[ns]", "int64"),
        ("int64", "m8[ns]"), ("M8[ns]", "m8[ns]"), ("object times", "m8[ns]"), ("M8[ns]", "text"), ("text", "bool"),
        ("M8[ns]", "bool"),
    ],
)  # fmt: skip
def test_values_of_another_kind_are_refused(trained, given):
    for seed in range(4):  # among them each model
        text, outcome = try_representations(seed, [(name, REPRESENTATIONS[name]) for name in (trained, given)])
        assert (outcome.word, outcome.problems) == ("refused", []), text


@pytest.mark.parametrize(
    ("kind", "trained", "given", "word"),
    [
        ("time of day", "CSV", "Excel", "passed"), ("time of day", "Excel", "JSON lines", "passed"),
        ("date", "JSON lines", "CSV", "passed"), ("moment", "JSON lines", "Parquet", "passed"),
        ("thousands", "CSV", "semicolons", "passed"), ("duration", "JSON lines", "Parquet", "refused"),
    ],
)  # fmt: skip
def test_a_table_in_another_format_has_the_same_answer_or_a_sentence(kind, trained, given, word):
    text, outcome = try_formats(0, (trained, given), kind)
    assert (outcome.word, outcome.problems) == (word, []), text


def test_every_public_name_is_attacked():
    public = {name for name in bayesieve.__all__ if hasattr(getattr(bayesieve, name), "get_params")}
    assert set(ESTIMATORS) == {name for name in public if inspect.isclass(getattr(bayesieve, name))}
    assert not set(bayesieve.__all__) ^ {*ESTIMATORS, *FUNCTIONS}


def test_every_command_is_attacked():
    assert set(COMMANDS) == {command.callback.__name__ for command in app.registered_commands}


def test_every_format_of_tables_is_attacked():
    assert {*table_file._DELIMITED, *BINARY, ".arff", ".csv.gz"} == set(TABLE_FORMATS)
    assert {suffix for suffix, _ in FORMATS.values()} < set(TABLE_FORMATS)


def test_every_stored_file_is_attacked():
    assert set(KINDS) == set(STORED_FILES)
