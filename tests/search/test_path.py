"""The record of a search: which visit is chosen of equals, and its description."""

import pytest

from bayesieve.exceptions import ParameterError
from bayesieve.search.path import Phase, SelectionPath, Step
from bayesieve.search.space import Stopping

NAMES = ("a", "b", "c", "d", "e", "f")


def added(scores, **changes):
    """Return a path that adds columns in turn, given the score and the scores on two segments after each."""
    steps = [
        Step("add", name, sum(split) / 2, n + 1, None, None, (name,), split)
        for n, (name, split) in enumerate(zip(NAMES, scores, strict=False))
    ]
    start = Phase("forward", 0, (), -1.0, (-1.0, -1.0))
    return SelectionPath("brier", True, tuple(steps), (start,), tuple(step.column for step in steps), **changes)


@pytest.mark.parametrize(
    ("n", "complete", "text"),
    [
        (0, True, "SelectionPath(brier: 0 steps; selected: no column)"),
        (2, False, "SelectionPath(brier: 2 steps, stopped early; selected: a, b)"),
        (5, True, "SelectionPath(brier: 5 steps; selected: a, b, c, d, e)"),
        (6, True, "SelectionPath(brier: 6 steps; selected: a, b, c, d, e, … (6 columns))"),
    ],
)
def test_a_path_says_its_first_columns(n, complete, text):
    assert repr(added([(-0.5, -0.5)] * n, complete=complete)) == text


def test_the_smallest_within_one_standard_error_is_chosen():
    # The best score, -0.25, has a standard error of 0.125: -0.375 is just within it.
    path = added([(-0.376, -0.376), (-0.375, -0.375), (-0.3, -0.3), (-0.375, -0.125)])
    assert path.choose(Stopping(0, 6)).columns == ("a", "b", "c", "d")
    assert path.choose(Stopping(0, 6), one_se=True).columns == ("a", "b")
    assert path.choose(Stopping(3, 6), one_se=True).columns == ("a", "b", "c")
    # No visit has the size asked for, as after an interruption: the best of all.
    assert path.choose(Stopping(6, 6)).columns == ("a", "b", "c", "d")


def test_of_equals_the_smaller_and_the_earlier_is_chosen():
    path = added([(-0.5, -0.5), (-0.25, -0.25), (-0.25, -0.25)])
    assert path.best(0.0).columns == ("a", "b")
    assert path.best(0.25).columns == ("a",)
    again = Phase("backward", 3, ("a", "b", "c"), -0.25, (-0.25, -0.25))
    dropped = Step("drop", "a", -0.25, 2, None, None, ("a",), (-0.25, -0.25))
    longer = SelectionPath("brier", True, (*path.steps, dropped), (*path.phases, again))
    assert [visit.step for visit in longer.visits()] == [None, 0, 1, 2, None, 3]
    assert list(longer.visits())[-1].columns == ("b", "c")
    assert longer.best_by_size()[2].columns == ("a", "b")
    assert longer.best_by_size()[3].step == 2


def test_a_size_that_was_not_visited_is_refused():
    path = added([(-0.5, -0.5)] * 3)
    grown = Phase("forward", 3, NAMES[:5], -0.5, (-0.5, -0.5))
    path = SelectionPath("brier", True, path.steps, (*path.phases, grown))
    assert path.of_size(3).columns == ("a", "b", "c")
    with pytest.raises(ParameterError, match=r"subsets of 0-3, 5 columns; fit with n_features=4 for one of 4"):
        path.of_size(4)


def test_values_of_a_loss_are_positive_and_plain_data_has_no_empty_choice():
    path = added([(-0.5, -0.5)])
    assert path.values == (0.5,)
    plain = path.to_dict()
    assert plain["complete"] is True
    assert "choice" not in plain["steps"][0]
    assert "choice_splits" not in plain["phases"][0]
