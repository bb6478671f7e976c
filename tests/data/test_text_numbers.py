"""Numbers read from the bytes of a file: the kernel gives what its Python twin gives, and what polars would."""

import numpy as np
import pytest
from draws import draws

from bayesieve._native import core
from bayesieve.data import read_file_table
from bayesieve.data.files import text_numbers
from bayesieve.data.files.table_file import MISSING, FileOptions
from bayesieve.data.files.text_numbers import OTHER, REAL, WHOLE, read_numbers_python

CELLS = (
    ["1", "12", "-3", "0", "907", "123456789012345678", "-999999999999999999"],
    [
        "1.5",
        "-0.0",
        ".5",
        "-.25",
        "0.25",
        "1234567.1234567",
        "12345678.5",
        "9007199254740993.5",
        "0.1000000000000000055",
    ],
    ["1e3", "-2.5E-7", "1e22", "1.7976931348623157e308", "4.9e-324"],
    ["", " ", "NA", " NA ", "?", "."],
    [" 7", "8 ", "  -9.5 "],
    ["-0", "+4", "5.", "007", "-01", "00.5", "1234567890123456789", "1e999", "1e-999", "0e5", "0" * 70, "9" * 70],
    ["nan", "inf", "a", "12%", "2024-01-31", "-", "e5", "1e", "1.2.3", "\t9", "é", "1_000", "٣"],
)

needs_core = pytest.mark.skipif(core is None, reason="no compiled core")


def random_text(rng, n_columns, separator, decimal="."):
    n_rows = rng.integers(1, 9)
    columns = []
    for _ in range(n_columns):
        shares = [0.8, 0.5, 0.2, 0.4, 0.3, 0.05, 0.05]
        kinds = [CELLS[k] for k in np.flatnonzero(rng.random(len(CELLS)) < shares)] or [CELLS[0]]
        cells = [cell.replace(".", decimal) for kind in kinds for cell in kind if separator not in cell] or ["5"]
        columns.append([cells[k] for k in rng.integers(0, len(cells), n_rows)])
    lines = [separator.join(row) for row in zip(*columns, strict=True)]
    return "\n".join(lines) + "\n" * int(rng.integers(2))


def same(first, second):
    if first is None or second is None:
        return first is second
    kinds, n_missing, values, missing = first
    read = kinds != OTHER
    return (
        np.array_equal(kinds, second[0])
        and np.array_equal(n_missing[read], second[1][read])
        and np.array_equal(values[read], second[2][read])
        and np.array_equal(missing[read], second[3][read])
    )


@needs_core
@pytest.mark.parametrize("part", range(10))
def test_kernel_reads_as_its_twin(part):
    for seed in range(part, draws(300, 5000), 10):
        args = kernel_case(seed)
        assert same(core.read_numbers(*args), read_numbers_python(*args)), seed


def kernel_case(seed):
    """Return what the kernel and its twin are asked."""
    rng = np.random.default_rng(seed)
    decimal, separator = [(".", ","), (",", ";"), (".", " "), (".", "\t")][seed % 4]
    n_columns = int(rng.integers(1, 5))
    content = ("header\n" + random_text(rng, n_columns, separator, decimal)).encode()
    if seed % 10 == 0:  # another number of values
        content = content.replace(separator.encode(), b"\n" if seed % 20 else b"", 1)
    skipped = (rng.random(n_columns) < 0.1).astype(np.uint8)
    marks = [b"NA", b"?", b".", *([b"12", b"-3"] if seed % 3 == 0 else []), *([b""] if seed % 5 == 0 else [])]
    return content, content.index(b"\n") + 1, skipped, (separator + decimal).encode(), marks


@pytest.mark.parametrize("seed", range(draws(100, 3000)))
def test_a_file_has_the_types_and_values_of_the_long_way(seed, tmp_path, monkeypatch):
    rng = np.random.default_rng(seed)
    n_columns = int(rng.integers(2, 6))
    separator, decimal = (";", [".", ","][seed % 8 // 4]) if seed % 4 == 0 else (",", ".")
    path = tmp_path / "table.csv"
    header = separator.join(f"x{j}" for j in range(n_columns))
    path.write_text(f"{header}\n{random_text(rng, n_columns, separator, decimal)}", encoding="utf-8")
    options = FileOptions(
        (*MISSING, *(["12"] if seed % 3 == 0 else [])),
        types={"x0": "categorical"} if seed % 6 == 0 else {},
        coerce=seed % 5 == 0,
        separator=separator,
        missing_in={f"x{n_columns - 1}": ["0"]} if seed % 7 == 0 else {},
    )
    short = read_file_table(path, options)
    monkeypatch.setattr(text_numbers, "core", None)
    long = read_file_table(path, options)
    assert short.frame.schema == long.frame.schema
    assert short.frame.equals(long.frame)
    assert short.conversions == long.conversions
    for name in short.frame.columns:  # equals does not tell -0.0 from 0.0
        assert list(map(repr, short.frame[name])) == list(map(repr, long.frame[name]))


def test_kinds_of_columns():
    content = b"a,b,c,d\n1,1,,x\n-2,.5,NA,1\n"
    kinds, n_missing, values, _ = read_numbers_python(content, 8, np.zeros(4, dtype=np.uint8), b",.", [b"NA"])
    assert kinds.tolist() == [WHOLE, REAL, WHOLE, OTHER]
    assert n_missing[:3].tolist() == [0, 0, 2]
    assert values[0].tolist() == [1, -2]
    assert values[1].view(np.float64).tolist() == [1.0, 0.5]


@needs_core
def test_long_columns_become_real_late():
    cells = [str(i) for i in range(9000)] + ["0.1"]
    content = "\n".join(f"{cell},{cell},{i}" for i, cell in enumerate(cells)).encode()
    kinds, _, values, _ = core.read_numbers(content, 0, np.array([0, 1, 0], dtype=np.uint8), b",.", [])
    assert kinds.tolist() == [REAL, OTHER, WHOLE]
    assert np.array_equal(values[0].view(np.float64), np.array(cells, dtype=np.float64))


@needs_core
@pytest.mark.parametrize(
    ("begin", "n_columns", "signs", "message"),
    [(9, 1, b",.", "begin"), (0, 0, b",.", "n_columns"), (0, 1, b",", "signs"), (0, 1, b"1.", "must not occur")],
)
def test_arguments_are_checked(begin, n_columns, signs, message):
    with pytest.raises(ValueError, match=message):
        core.read_numbers(b"1\n", begin, np.zeros(n_columns, dtype=np.uint8), signs, [])


@pytest.mark.parametrize("first", [b"\n", b"  \n"])
def test_a_blank_first_line_is_no_header(first, tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes(first + b"a\n1\n2\n")
    assert read_file_table(path).frame.to_dict(as_series=False) == {"a": [1, 2]}


@pytest.mark.parametrize("separator", ["1", "-", "e", "."])
def test_separators_that_numbers_may_have(separator, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(f"a{separator}b\n2{separator}3\n4{separator}5\n")
    frame = read_file_table(path, FileOptions(separator=separator)).frame
    assert frame.to_dict(as_series=False) == {"a": [2, 4], "b": [3, 5]}
