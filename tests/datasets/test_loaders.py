"""Every data set against the counts that its publishers and documentation give."""

from functools import cache

import numpy as np
import pytest
from real_data import REAL_DATA, needs_data
from scipy import sparse

from bayesieve import datasets
from bayesieve.data import read_file, read_table
from bayesieve.datasets import download
from bayesieve.datasets.loading import load_entry
from bayesieve.datasets.manifest import ENTRIES, Entry, PublishedSums, Subset
from bayesieve.datasets.readers import DenseMatrix
from bayesieve.exceptions import DataError, ParameterError

# rows, features, rows of the positive class (None: unlabeled), missing cells
COUNTS = {
    ("arcene", "train"): (100, 10000, 44, 0),
    ("arcene", "valid"): (100, 10000, 44, 0),
    ("dexter", "train"): (300, 20000, 150, 0),
    ("dexter", "valid"): (300, 20000, 150, 0),
    ("dexter", "test"): (2000, 20000, None, 0),
    ("dexter", "all"): (600, 20000, 300, 0),
    ("dorothea", "train"): (800, 100000, 78, 0),
    ("dorothea", "valid"): (350, 100000, 34, 0),
    ("dorothea", "test"): (800, 100000, None, 0),
    ("madelon", "train"): (2000, 500, 1000, 0),
    ("madelon", "valid"): (600, 500, 300, 0),
    ("madelon", "test"): (1800, 500, None, 0),
    ("madelon", "all"): (2600, 500, 1300, 0),
    ("breast_w", "all"): (699, 9, 241, 16),
    ("pima", "all"): (768, 8, 268, 0),
    ("heart_statlog", "all"): (270, 13, 120, 0),
    ("spect", "train"): (80, 22, 40, 0),
    ("spect", "test"): (187, 22, 172, 0),
    ("spect", "all"): (267, 22, 212, 0),
    ("vote", "all"): (435, 16, 168, 392),
    ("horse_colic", "train"): (300, 22, 109, None),
    ("horse_colic", "test"): (68, 22, 27, None),
    ("horse_colic", "all"): (368, 22, 136, None),
    ("crx", "all"): (690, 15, 307, 67),
    ("german", "all"): (1000, 20, 300, 0),
    ("hepatitis", "all"): (155, 19, 32, 167),
    ("ionosphere", "all"): (351, 34, 126, 0),
    ("kdd98_targets", "all"): (96367, 2, 4873, 0),
}
# The organizers' own sums over all values.
SUMS = {
    ("arcene", "train"): 70726744,
    ("arcene", "valid"): 71410108,
    ("dexter", "train"): 2816528,
    ("dexter", "valid"): 2820952,
    ("dexter", "test"): 19127295,
    ("dorothea", "train"): 727760,
    ("dorothea", "valid"): 317752,
    ("dorothea", "test"): 730851,
    ("madelon", "train"): 488083511,
    ("madelon", "valid"): 146395833,
    ("madelon", "test"): 439209553,
}
FRAMES = {"vote", "horse_colic", "crx", "german", "hepatitis"}
SPARSE = {"dexter", "dorothea"}


@cache
def load(name, subset):
    return getattr(datasets, f"load_{name}")(subset, data_home=REAL_DATA)


def missing_cells(data):
    if sparse.issparse(data):
        return int(np.isnan(data.data).sum())
    return int(np.isnan(data).sum()) if isinstance(data, np.ndarray) else int(data.isna().to_numpy().sum())


@needs_data
@pytest.mark.parametrize(("name", "subset"), COUNTS)
def test_counts(name, subset):
    bunch = load(name, subset)
    n_rows, n_features, n_positive, n_missing = COUNTS[name, subset]
    assert bunch.data.shape == (n_rows, n_features)
    assert len(bunch.feature_names) == len(set(bunch.feature_names)) == n_features
    if n_positive is None:
        assert bunch.target is None
    else:
        assert bunch.target.shape == (n_rows,)
        assert int((bunch.target == 1).sum()) == n_positive
    assert n_missing is None or missing_cells(bunch.data) == n_missing
    assert bunch.DESCR
    if name in SPARSE:
        assert bunch.data.format == "csr"
    elif name in FRAMES:
        assert list(bunch.data.columns) == bunch.feature_names
    else:
        assert isinstance(bunch.data, np.ndarray)
        assert bunch.data.flags.c_contiguous
    if (name, subset) in SUMS:
        assert bunch.data.sum() == SUMS[name, subset]


@needs_data
def test_class_names_have_the_positive_class_last():
    assert load("breast_w", "all").target_names == ["benign", "malignant"]
    assert load("hepatitis", "all").target_names == ["LIVE", "DIE"]
    assert load("crx", "all").target_names == ["-", "+"]
    assert set(load("arcene", "train").target.tolist()) == {-1, 1}
    assert "target_names" not in load("arcene", "train")


@pytest.mark.slow
@needs_data
def test_newsgroups():
    train, test = load("20newsgroups", "train"), load("20newsgroups", "test")
    sizes = [len(bunch.data) for bunch in (train, test)]
    assert sizes == [len(train.target), len(test.target)] == [11314, 7532]
    megabytes = [round(sum(len(text.encode()) for text in bunch.data) / 1e6, 3) for bunch in (train, test)]
    assert megabytes == [22.055, 13.801]
    assert len(train.target_names) == 20
    counts = np.bincount(train.target) + np.bincount(test.target)
    pair = [train.target_names.index(group) for group in ("comp.graphics", "rec.autos")]
    assert counts[pair].sum() == 1963


@needs_data
def test_gifts_of_the_mailing_add_up():
    bunch = load("kdd98_targets", "all")
    gifts = bunch.data[:, bunch.feature_names.index("TARGET_D")]
    assert round(gifts.sum(), 2) == 76089.64
    assert ((gifts > 0) == (bunch.target == 1)).all()


def as_values(column):
    if column.ordered:
        return column.values
    labels = (*column.labels, None)
    return [labels[position] for position in column.ids]


@needs_data
def test_horse_colic_is_the_usual_table():
    ours, theirs = load("horse_colic", "all"), read_file(REAL_DATA / "horse-colic" / "colic.arff")
    assert ours.feature_names == theirs.columns[:-1]
    for mine, other in zip(read_table(ours.data), read_table(theirs[:, :-1]), strict=True):
        np.testing.assert_array_equal(as_values(mine), as_values(other), err_msg=mine.name)
    assert [ours.target_names[code] for code in ours.target] == theirs["surgical_lesion"].to_list()


@needs_data
@pytest.mark.parametrize(("name", "file"), [("heart_statlog", "heart-statlog"), ("hepatitis", "hepatitis")])
def test_tables_agree_with_their_other_copy(name, file):
    ours, theirs = load(name, "all"), read_file(REAL_DATA / file / f"{file}.arff")
    assert ours.feature_names == theirs.columns[:-1]
    labels = [ours.target_names[code] for code in ours.target]
    assert labels == theirs[:, -1].to_list()
    for mine, other in zip(read_table(ours.data), read_table(theirs[:, :-1]), strict=True):
        if other.ordered:
            np.testing.assert_array_equal(mine.values, other.values)
        else:  # their names of the codes differ
            pairs = set(zip(as_values(mine), as_values(other), strict=True))
            assert len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})


@needs_data
def test_leading_zeros_of_a_number_are_read():
    assert load("crx", "all").data["A14"].iloc[0] == 202


def test_subsets_are_checked():
    with pytest.raises(ParameterError, match=r"subset of spect must be one of 'train', 'test', 'all', got 'valid'"):
        datasets.load_spect("valid")
    with pytest.raises(ParameterError, match=r"subset of pima must be one of 'all', got 'train'"):
        datasets.load_pima("train")


def test_a_matrix_without_a_fingerprint_is_checked_against_published_sums(tmp_path):
    rows = np.arange(12.0).reshape(4, 3)
    sums = PublishedSums(4, 2, 66.0)
    entry = Entry("small", "", "", DenseMatrix(3), {"train": Subset(("m.data", "m.labels"), sums=sums)})
    (tmp_path / "small").mkdir()
    np.savetxt(tmp_path / "small" / "m.data", rows, "%d")
    (tmp_path / "small" / "m.labels").write_text("1\n-1\n1\n-1\n")
    assert np.array_equal(load_entry(entry, "train", tmp_path).data, rows)
    (tmp_path / "small" / "m.labels").write_text("1\n1\n1\n-1\n")
    with pytest.raises(DataError, match="positive rows 3, expected 2"):
        load_entry(entry, "train", tmp_path)
    (tmp_path / "small" / "m.labels").write_text("1\n-1\n1\n-1\n")
    np.savetxt(tmp_path / "small" / "m.data", rows + np.eye(4, 3), "%d")
    with pytest.raises(DataError, match="sum of all numbers 69, expected 66"):
        load_entry(entry, "train", tmp_path)


@needs_data
def test_the_sums_of_gisette_are_those_of_its_organizers():
    lines = [line.split() for line in (REAL_DATA / "gisette" / "gisette.param").read_text().splitlines()]
    published = {line[0].lower(): line[1:] for line in lines if line and line[0] in ("Train", "Valid", "Test")}
    for name, subset in ENTRIES["gisette"].subsets.items():
        positive, _, n_rows, total = published[name]
        assert subset.sums == PublishedSums(int(n_rows), int(positive), float(total))


def test_gisette_that_is_absent_names_what_is_missing(tmp_path, monkeypatch):
    monkeypatch.setattr(download, "download", lambda url, names, others, folder: None)
    with pytest.raises(DataError, match=r"gisette: gisette_train.data was downloaded into"):
        datasets.load_gisette(data_home=tmp_path)
