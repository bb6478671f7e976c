"""Scores become indicators: by thresholds given or found, on either side, merged or not, and back again."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from bayesieve import IndicatorGrid, NaiveBayesSelector
from bayesieve.exceptions import DataError, NoIndicatorWarning, ParameterError

SCORES = {
    "u_test[w=50]": [0.001, 0.2, np.nan, 0.005, 0.7],
    "shift": [3.0, 0.1, 2.0, 0.2, np.nan],
}
FRAMES = pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])


def brute_force(X, grid):
    """Compare each value of each row with each threshold, one by one; nothing is merged."""
    rows = []
    for row in X.tolist():
        answers = []
        for value, (thresholds, side) in zip(row, grid, strict=True):
            answers += [int(value <= t if side == "<=" else value >= t) for t in thresholds]
        rows.append(answers)
    return rows


@pytest.mark.parametrize("seed", range(5))
def test_agrees_with_comparing_one_by_one(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 3)).round(rng.integers(0, 3))
    X[rng.random(X.shape) < 0.1] = np.nan
    wanted = [
        (rng.normal(size=4).round(1), "<="),
        (rng.normal(size=3).round(1), ">="),
        (X[~np.isnan(X[:, 2]), 2], "<="),
    ]
    grid = [(sorted(set(levels.tolist())), side) for levels, side in wanted]
    fitted = IndicatorGrid({j: levels for j, (levels, _) in enumerate(wanted)}, sides={1: ">="}, merge=False).fit(X)
    assert list(fitted.thresholds_.values()) == [levels for levels, _ in grid]
    out = fitted.transform(X)
    assert out.dtype == np.uint8
    assert out.tolist() == brute_force(X, grid)
    assert len(set(fitted.get_feature_names_out())) == out.shape[1]


@FRAMES
def test_frames_have_readable_names(library):
    X = library(SCORES)
    grid = IndicatorGrid([0.005, 0.1], sides={"shift": ">="}, merge=False).fit(X)
    names = ["u_test[w=50] <= 0.005", "u_test[w=50] <= 0.1", "shift >= 0.005", "shift >= 0.1"]
    assert grid.get_feature_names_out().tolist() == names
    expected = [[1, 1, 1, 1], [0, 0, 1, 1], [0, 0, 1, 1], [1, 1, 1, 1], [0, 0, 0, 0]]
    assert grid.transform(X).tolist() == expected
    for output, frame in (("pandas", pd.DataFrame), ("polars", pl.DataFrame)):
        shown = grid.set_output(transform=output).transform(X)
        assert isinstance(shown, frame)
        assert list(shown.columns) == names


def test_thresholds_that_look_alike_have_all_their_digits():
    close = [0.1, np.nextafter(0.1, 1)]
    names = IndicatorGrid(close, merge=False).fit([[0.0], [1.0]]).get_feature_names_out()
    assert [float(name.split()[-1]) for name in names] == close
    assert len(set(names)) == 2


@pytest.mark.parametrize("n", [1, 3, 9])
def test_quantiles_are_values_with_that_share_at_or_below(n):
    values = np.random.default_rng(0).exponential(size=101)
    (thresholds,) = IndicatorGrid(n).fit(values[:, None]).thresholds_.values()
    ordered = np.sort(values)
    assert thresholds == [ordered[int(np.ceil(101 * i / (n + 1))) - 1] for i in range(1, n + 1)]


def test_quantiles_do_not_see_missing_values_and_do_not_repeat():
    X = np.array([[0.0]] * 8 + [[1.0]] * 2 + [[np.nan]] * 30)
    grid = IndicatorGrid(4, merge=False).fit(X)
    assert grid.thresholds_ == {"x0": [0.0]}
    assert IndicatorGrid(4, merge=False).fit(np.column_stack([X, np.arange(40)])).thresholds_["x0"] == [0.0]
    late = np.full((3, 2), np.nan)
    late[:, 1] = [1, 2, 3]
    assert IndicatorGrid(1).fit(late).thresholds_ == {"x0": [], "x1": [2.0]}


def test_merging_tells_who_stands_for_whom():
    X = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "b": [10.0, 20.0, 30.0, 40.0]})
    grid = IndicatorGrid({"a": [0, 2, 2.5, 3, 9], "b": [20, 35]}).fit(X)
    assert grid.get_feature_names_out().tolist() == ["a <= 2", "a <= 3"]
    assert grid.merged_ == {
        "duplicates": {"a <= 2": ["a <= 2.5", "b <= 20"], "a <= 3": ["b <= 35"]},
        "constant": {"a <= 0": 0, "a <= 9": 1},
    }
    assert grid.thresholds_ == {"a": [0, 2, 2.5, 3, 9], "b": [20, 35]}
    apart = IndicatorGrid({"a": [0, 2, 2.5, 3, 9], "b": [20, 35]}, merge=False).fit(X)
    assert apart.merged_ == {"duplicates": {}, "constant": {}}
    full = pd.DataFrame(apart.transform(X), columns=apart.get_feature_names_out())
    for kept, others in grid.merged_["duplicates"].items():
        for other in others:
            assert full[kept].tolist() == full[other].tolist()


def test_inverse_view_of_a_selection():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    X = pd.DataFrame({"noise": rng.normal(size=300), "score": y + rng.normal(scale=0.3, size=300)})
    grid = IndicatorGrid([-0.5, 0.5, 1.5]).fit(X)
    out = pd.DataFrame(grid.transform(X), columns=grid.get_feature_names_out())
    selector = NaiveBayesSelector(n_features=1, discretizer=None, cv=0).fit(out, y)
    by_mask = grid.kept_thresholds(selector.support_)
    assert by_mask == grid.kept_thresholds(selector.get_feature_names_out()) == {"score": [0.5]}
    assert grid.kept_thresholds(["score <= 1.5", "noise <= -0.5", "score <= 0.5"]) == {
        "noise": [-0.5],
        "score": [0.5, 1.5],
    }
    assert grid.kept_thresholds([]) == {}
    with pytest.raises(ParameterError, match=r"did you mean 'score <= 0\.5'"):
        grid.kept_thresholds(["score <= 0.50"])


def test_nothing_left_warns_and_gives_no_columns():
    with pytest.warns(NoIndicatorWarning, match="none is left"):
        grid = IndicatorGrid().fit([[1.0], [1.0]])
    assert grid.transform([[1.0], [2.0], [3.0]]).shape == (3, 0)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"thresholds": {"a": [1.0]}}, "thresholds has no entry for the column 'b'"),
        ({"thresholds": {"a": [1.0], "b": [np.inf]}}, "column 'b' must be finite numbers"),
        ({"thresholds": {"a": "often", "b": 3}}, "column 'a' must be finite numbers"),
        ({"thresholds": {"a": 0, "b": 3}}, "has 0 quantiles for the column 'a'"),
        ({"thresholds": {"c": 3}}, "thresholds names the column 'c'"),
        ({"sides": {"a": "<"}}, r"sides\['a'\] must be '<=' or '>=', got '<'"),
        ({"sides": "<"}, "sides"),
    ],
)
def test_refusals_name_the_column(parameters, words):
    with pytest.raises(ValueError, match=words):
        IndicatorGrid(**parameters).fit(pd.DataFrame({"a": [1.0, 2.0], "b": [1.0, 2.0]}))


def test_labels_are_no_scores():
    with pytest.raises(DataError, match="Column 'town' is not numeric"):
        IndicatorGrid().fit(pd.DataFrame({"a": [1.0, 2.0], "town": ["x", "y"]}))
