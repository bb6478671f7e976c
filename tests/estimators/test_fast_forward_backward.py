"""Fast forward-backward search from the estimator's side: seeds, sizes, and a story that fits the selection."""

import numpy as np
import pytest
from sklearn.datasets import make_classification

from bayesieve import NaiveBayesSelector

X, Y = make_classification(200, 12, n_informative=5, n_redundant=3, random_state=2)


def fit(**parameters):
    given = {"search": "fast-forward-backward", "criterion": "map", "discretizer": "equal_frequency"}
    return NaiveBayesSelector(**(given | {"cv": 0} | parameters)).fit(X, Y)


def starts(selector):
    return [phase for phase in selector.path_.phases if phase.name == "fast-forward-backward"]


def test_there_are_log2_of_columns_times_rows_starts():
    assert len(starts(fit())) == int(np.ceil(np.log2(12 * 200)))
    assert len(starts(fit(cv=0.25, random_state=0))) == int(np.ceil(np.log2(12 * 50)))


def test_weights_count_as_rows():
    heavy = NaiveBayesSelector("fast-forward-backward", discretizer="equal_frequency", cv=0)
    assert len(starts(heavy.fit(X, Y, np.full(200, 4.0)))) == int(np.ceil(np.log2(12 * 800)))


def test_it_can_be_repeated():
    assert fit().path_ == fit().path_ == fit(random_state=0).path_
    assert fit(random_state=np.random.RandomState(3)).path_ == fit(random_state=np.random.RandomState(3)).path_
    assert fit(random_state=1).path_ != fit().path_


@pytest.mark.parametrize("criterion", ["map", "brier", "auc"])
def test_threads_and_engines_do_not_matter(criterion):
    expected = fit(criterion=criterion, backend="reference")
    for how in ({"n_jobs": 1}, {"n_jobs": 2}):
        assert fit(criterion=criterion, **how).path_ == expected.path_


def test_every_step_pays():
    selector = fit()
    path = selector.path_
    ends = [*(phase.first_step for phase in path.phases[1:]), len(path.steps)]
    for phase, end in zip(path.phases, ends, strict=True):
        assert (np.diff([phase.score, *path.scores[phase.first_step : end]]) > 0).all()
    assert path.choose(selector_sizes()).columns == path.order


def selector_sizes():
    from bayesieve.search import Stopping

    return Stopping(0, 12)


def test_reasons_tell_the_start_that_was_chosen():
    selector = fit()
    path = selector.path_
    reached = next(visit for visit in path.visits() if visit.columns == path.order)
    begin = max(phase.first_step for phase in path.phases if phase.first_step <= reached.step)
    entered = {name: entry["step"] for name, entry in selector.why_.items() if entry["selected"]}
    assert list(path.order) == sorted(entered, key=entered.get)
    for name, step in entered.items():
        assert begin < step <= reached.step + 1
        assert path.steps[step - 1].action == "add"
        assert path.steps[step - 1].column == name


@pytest.mark.parametrize("n_features", [0, 2, 9, 12, (3, 5), "all"])
def test_sizes_are_reached(n_features):
    found = fit(n_features=n_features).n_features_
    low, high = n_features if isinstance(n_features, tuple) else (n_features, n_features)
    assert found == 12 if n_features == "all" else low <= found <= high


def test_what_is_kept_stays():
    selector = fit(keep=[11], feature_groups={"pair": [0, 1]})
    assert all("x11" in visit.columns for visit in selector.path_.visits())
    assert all(("x0" in visit.columns) == ("x1" in visit.columns) for visit in selector.path_.visits())


def test_no_worse_than_forward_selection():
    """Many starts find a subset at least as probable here, as they should nearly always."""
    best = [fit(search=search).path_.best(0.0).score for search in ("fast-forward-backward", "forward")]
    assert best[0] >= best[1]


@pytest.mark.filterwarnings("ignore::bayesieve.exceptions.NothingSelectedWarning")  # of searches without time
def test_time_may_end():
    assert not fit(max_time=0).path_.complete
