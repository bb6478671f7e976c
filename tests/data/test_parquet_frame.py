"""Parquet files are opened and not read: columns by name, rows in blocks, some of them apart."""

import numpy as np
import pytest

from bayesieve import SelectiveNaiveBayes, open_parquet
from bayesieve.data.blocks.parquet_frame import read_memory
from bayesieve.data.blocks.row_blocks import are_held_out
from bayesieve.exceptions import DataError, ParameterError

pl = pytest.importorskip("polars")


def table(n_rows, seed=0):
    rng = np.random.default_rng(seed)
    target = rng.integers(0, 2, n_rows)
    return pl.DataFrame(
        {
            "row": np.arange(n_rows),
            "x": target + rng.normal(size=n_rows),
            "y": [None if i % 7 == 3 else "yes" if each else "no" for i, each in enumerate(target.tolist())],
        }
    )


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr("bayesieve.data.blocks.parquet_frame._MIN_ROWS", 16)
    monkeypatch.setattr("bayesieve.data.blocks.parquet_frame._MAX_ROWS", 16)


@pytest.fixture
def files(tmp_path):
    """Return three files whose rows are numbered through, one of them empty."""
    whole = table(150)
    paths = [tmp_path / f"{i}.parquet" for i in range(3)]
    for path, begin, end in zip(paths, (0, 70, 70), (70, 70, 150), strict=True):
        whole[begin:end].write_parquet(path)
    return paths


def test_columns_are_chosen_by_name(files):
    frame = open_parquet(files)
    assert (len(frame), frame.columns, frame.n_rows_of) == (150, ("row", "x", "y"), (70, 0, 80))
    assert frame["x"].columns == ("x",)
    assert frame[["y", "x"]].columns == ("y", "x")
    assert frame.drop("y").columns == ("row", "x")
    assert frame.head(2).equals(table(150).head(2))


def test_all_rows_are_read_in_order(files, small_blocks):
    frame = open_parquet(files)
    assert len(frame.readers(3)) == 5 + 5
    assert frame.read().equals(table(150))


def test_rows_apart_and_the_others_are_all_rows(files, small_blocks):
    frame = open_parquet(files)
    fitted, apart = (each["row"].read().to_series().to_list() for each in frame.divide(most=1000))
    assert sorted(fitted + apart) == list(range(150))
    assert len(apart) == 150 // 5  # one in five, however many are allowed
    assert all(sum(row // 5 == stretch for row in apart) == 1 for stretch in range(30))
    few = frame.divide(most=12)[1]["row"].read().to_series().to_list()
    assert len(few) <= 12


def test_rows_apart_depend_on_their_number_alone(files, tmp_path):
    table(150).write_parquet(tmp_path / "one.parquet")
    one, three = (open_parquet(paths).divide(most=20)[1] for paths in (tmp_path / "one.parquet", files))
    assert one.read().equals(three.read())


def test_no_period_of_a_table_decides_which_rows_are_held_out():
    for period in (2, 5, 10, 100):
        places = np.flatnonzero(are_held_out(0, 100_000, 100)) % period
        counts = np.bincount(places, minlength=period)
        assert counts.min() > 0.5 * 1000 / period - 10
        assert counts.max() < 1.5 * 1000 / period + 20


def test_values_are_counted_and_rows_without_one_left_out(files, small_blocks):
    frame = open_parquet(files)
    expected = dict(table(150)["y"].value_counts().iter_rows())
    assert frame["y"].count_values() == expected
    known = frame.drop_missing("y")
    assert None not in known["y"].count_values()
    assert len(known["x"].read()) == 150 - expected[None]


def test_nan_is_no_value(tmp_path):
    pl.DataFrame({"y": [1.0, float("nan"), None, 1.0]}).write_parquet(tmp_path / "f.parquet")
    frame = open_parquet(tmp_path / "f.parquet")
    assert frame["y"].count_values() == {1.0: 2, None: 2}
    assert len(frame.drop_missing("y").read()) == 2


def test_a_fit_is_that_of_the_same_rows_in_memory(files, small_blocks):
    frame = open_parquet(files, n_jobs=2).drop_missing("y")
    fitted, _ = frame.divide(most=1000)
    rows = fitted.read()
    options = {"weights": "none", "bins": "best"}
    found = SelectiveNaiveBayes(**options).fit(fitted.drop("y"), fitted["y"])
    expected = SelectiveNaiveBayes(**options).fit(rows.drop("y"), rows["y"].to_numpy())
    assert found.path_.order == expected.path_.order
    assert np.array_equal(found.predict_proba(frame.drop("y")), expected.predict_proba(frame.drop("y").read()))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "does not exist or is not a file"),
        (b"", "cannot be read as Parquet"),
        (b"x,y\n1,2\n" * 20, "cannot be read as Parquet"),
        (b"PAR1" + b"\0" * 200 + b"PAR1", "cannot be read as Parquet"),
    ],
)
def test_what_is_no_parquet_is_said(tmp_path, content, words):
    path = tmp_path / "f.parquet"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(DataError, match=words) as error:
        open_parquet(path)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)


def test_bad_wishes_are_named(files, tmp_path):
    frame = open_parquet(files)
    with pytest.raises(DataError, match="no column 'z'; its columns are 'row', 'x', 'y'"):
        frame["z"]
    with pytest.raises(DataError, match="no column 'z'"):
        frame.drop(["x", "z"])
    with pytest.raises(DataError, match="paths is empty"):
        open_parquet([])
    table(5).rename({"x": "w"}).write_parquet(tmp_path / "other.parquet")
    with pytest.raises(DataError, match=r"other.parquet and .*0.parquet differ in their columns, for instance '[wx]'"):
        open_parquet([*files, tmp_path / "other.parquet"])
    with pytest.raises(ParameterError, match="n_jobs"):
        open_parquet(files, n_jobs=0)
    with pytest.raises(ParameterError, match="memory must be a size"):
        open_parquet(files, memory="lots")


def test_the_target_belongs_to_the_frame(files):
    frame, other = open_parquet(files), open_parquet(files[0])
    wrong = (other["y"], frame[["x", "y"]], frame.drop_missing("y")["y"], ["no"] * 150)
    for target in wrong:
        with pytest.raises(DataError, match="y must be one column of the same frame"):
            SelectiveNaiveBayes(weights="none").fit(frame.drop("y"), target)


@pytest.mark.parametrize(("text", "size"), [("2GB", 2 * 10**9), ("1.5 GiB", 1610612736), ("300mb", 3 * 10**8)])
def test_sizes_of_memory(text, size):
    assert read_memory(text) == size
