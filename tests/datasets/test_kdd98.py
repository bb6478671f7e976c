"""The loader of KDD Cup 1998, on files in its exact format; and its fields against the published documents."""

import numpy as np
import pandas as pd
import pytest
from real_data import REAL_DATA, needs_data

from bayesieve.datasets import kdd98, load_kdd98
from bayesieve.datasets.kdd98 import FEATURES, FIELDS, TARGETS, kind_of
from bayesieve.exceptions import DataError, ParameterError

N_ROWS = 7


def cell(field, row):
    """Return a value as the file writes it: periods, blanks and nothing at all are missing."""
    if field == "CONTROLN":
        return str(95515 + row)
    if field == "TARGET_B":
        return str(int(row == 2))
    if field == "TARGET_D":
        return "12.50" if row == 2 else "0"
    if field == "DOB":
        return ["3712", "0", "5202", "", "9713", "1001", "0"][row]
    if field == "ZIP":
        return ["61081", "91326", "27017-", "02840", "", " ", "95953"][row]
    kinds = {
        "nominal": ["X", " ", "L4E", "", "1", "01", "A"],
        "date": ["8901", "9401", "", "9612", ".", "9702", "8601"],
        "numeric": ["0", "60", ".", "", "2.25", "7", "99"],
    }
    return kinds[kind_of(field)][row]


def write(folder, name, fields, n_rows=N_ROWS):
    (folder / "kdd98").mkdir(exist_ok=True)
    lines = [",".join(fields), *(",".join(cell(field, row) for field in fields) for row in range(n_rows))]
    (folder / "kdd98" / name).write_bytes(("\r\n".join(lines) + "\r\n").encode("latin-1"))


@pytest.fixture
def home(tmp_path, monkeypatch):
    few = {name: (file, url, N_ROWS) for name, (file, url, _) in kdd98._FILES.items()}
    monkeypatch.setattr(kdd98, "_FILES", few)
    monkeypatch.delenv("BAYESIEVE_DATA", raising=False)
    monkeypatch.setenv("BAYESIEVE_DATA_URL", "file:///nowhere")
    monkeypatch.setenv("BAYESIEVE_CACHE", str(tmp_path / "cache"))
    write(tmp_path, "cup98LRN.txt", FIELDS)
    write(tmp_path, "cup98VAL.txt", [field for field in FIELDS if field not in TARGETS])
    answers = ["CONTROLN,TARGET_B,TARGET_D", *(f"{95515 + row},{row % 2},{7.5 * (row % 2)}" for row in range(N_ROWS))]
    (tmp_path / "kdd98" / "valtargt.txt").write_text("\n".join([answers[0], *answers[:0:-1]]) + "\n")
    return tmp_path


def test_types_are_the_dictionarys(home):
    mailing = load_kdd98(data_home=home)
    assert mailing.data.shape == (N_ROWS, 478)
    assert list(mailing.data.columns) == mailing.feature_names == list(FEATURES)
    assert mailing.target.tolist() == [0, 0, 1, 0, 0, 0, 0]
    assert mailing.amounts.tolist() == [0, 0, 12.5, 0, 0, 0, 0]
    assert mailing.identifiers[0] == 95515
    assert mailing.cost == 0.68
    data = mailing.data
    assert data["STATE"].tolist()[:3] == ["X", np.nan, "L4E"]
    assert [str(data[name].dtype) for name in ("STATE", "MSA", "RFA_2F")] == ["category"] * 3
    assert data["ZIP"].isna().tolist() == [False] * 4 + [True] * 2 + [False]
    assert data["ZIP"].iloc[3] == "02840"
    np.testing.assert_array_equal(data["AGE"], [0, 60, np.nan, np.nan, 2.25, 7, 99])
    month = pd.Timestamp("1989-01-01")
    assert data["ODATEDW"].iloc[0] == month
    assert data["ODATEDW"].isna().tolist() == [False, False, True, False, True, False, False]
    # Born in 1937, never, in 1952, unknown, in a thirteenth month, in 1910, never.
    assert data["DOB"].isna().tolist() == [False, True, False, True, True, False, True]


def test_answers_of_the_validation_rows_are_found_by_identifier(home):
    mailing = load_kdd98("test", home)
    assert mailing.data.shape == (N_ROWS, 478)
    assert mailing.target.tolist() == [0, 1, 0, 1, 0, 1, 0]
    assert mailing.amounts.tolist() == [0, 7.5, 0, 7.5, 0, 7.5, 0]


def test_wrong_files_are_refused(home):
    with pytest.raises(ParameterError, match="'train' or 'test', got 'all'"):
        load_kdd98("all", home)
    write(home, "cup98LRN.txt", FIELDS, n_rows=5)
    with pytest.raises(DataError, match="must have 7 records, but has 5"):
        load_kdd98(data_home=home)
    write(home, "cup98LRN.txt", [*FIELDS[1:], FIELDS[0]])
    with pytest.raises(DataError, match="481 fields of the dictionary in their order"):
        load_kdd98(data_home=home)
    (home / "kdd98" / "cup98LRN.txt").write_text("CONTROLN\n1\n")
    with pytest.raises(DataError, match="cannot be read as that data set"):
        load_kdd98(data_home=home)
    (home / "kdd98" / "valtargt.txt").write_text("CONTROLN,TARGET_B,TARGET_D\n1,0,0\n")
    with pytest.raises(DataError, match="not those of the validation data"):
        load_kdd98("test", home)
    (home / "kdd98" / "cup98VAL.txt").unlink()
    with pytest.raises(OSError, match=r"holds kdd98/cup98VAL\.txt"):
        load_kdd98("test", home)


def test_fields():
    assert len(FIELDS) == len(set(FIELDS)) == 481
    kinds = [kind_of(field) for field in FEATURES]
    assert {kind: kinds.count(kind) for kind in set(kinds)} == {"nominal": 80, "date": 53, "numeric": 345}


@needs_data
def test_fields_are_the_published_ones():
    lines = (REAL_DATA / "kdd98" / "cup98doc.txt").read_text(encoding="latin-1").splitlines()
    begin = next(i for i, line in enumerate(lines) if line.split() == ["Field", "Name", "Type"])
    end = next(i for i, line in enumerate(lines) if i > begin and "SUMMARY STATISTICS" in line)
    words = [line.replace(".", "").split() for line in lines[begin:end]]
    listed = [each[:2] for each in words if len(each) > 1 and each[1] in ("Num", "Char")]
    assert [name for name, _ in listed] == list(FIELDS)
    strings = {name for name, kind in listed if kind == "Char"}
    codes = {"TCODE", "MSA", "ADI", "DMA", "CLUSTER2"}
    assert {name for name in FIELDS if kind_of(name) == "nominal"} == strings | codes
    words = (REAL_DATA / "kdd98" / "cup98dic.txt").read_text(encoding="latin-1").split()
    assert set(FIELDS) <= set(words)
