"""scikit-learn's callbacks (1.9) see each step; before 1.9 there are none to see it."""

import numpy as np
import pytest
import sklearn
from cases import plain_bayes
from sklearn.datasets import make_classification
from sklearn.utils.fixes import parse_version

from bayesieve import NaiveBayesSelector
from bayesieve.estimators.progress import progress

X, Y = make_classification(150, n_features=6, n_informative=4, n_redundant=0, random_state=0)
HAS_CALLBACKS = parse_version(sklearn.__version__) >= parse_version("1.9")
with_callbacks = pytest.mark.skipif(not HAS_CALLBACKS, reason="scikit-learn has callbacks since 1.9")


def make(kind, **parameters):
    """Return an estimator that searches all six columns, the weak ones too."""
    return kind(discretizer="equal_frequency", **parameters)


class Recorder:
    """Writes down every hook; asks to stop after some steps."""

    def __init__(self, stop_after=None):
        self.events = []
        self.stop_after = stop_after

    def setup(self, estimator, context):
        self.events.append(("setup", context.task_name))
        self.max_subtasks = context.max_subtasks

    def teardown(self, estimator, context):
        self.events.append(("teardown", context.task_name))

    def on_fit_task_begin(self, estimator, context, *, X=None, y=None):
        self.events.append(("begin", context.task_name))
        if context.task_name == "fit":
            self.given = X, y

    def on_fit_task_end(self, estimator, context):
        self.events.append(("end", context.task_name))
        return self.stop_after is not None and self.events.count(("end", "step")) >= self.stop_after


@pytest.mark.parametrize("kind", [NaiveBayesSelector, plain_bayes])
@with_callbacks
class TestCallbacks:
    def test_every_step_is_a_task(self, kind):
        recorder = Recorder()
        estimator = make(kind, n_features=3).set_callbacks(recorder).fit(X, Y)
        step = [("begin", "step"), ("end", "step")]
        assert recorder.events == [("setup", "fit"), ("begin", "fit"), *step * 3, ("end", "fit"), ("teardown", "fit")]
        assert recorder.max_subtasks == 3
        assert recorder.given[0] is X
        assert estimator.path_ == make(kind, n_features=3).fit(X, Y).path_

    @pytest.mark.parametrize("search", ["forward", "backward", "forward-backward", "floating"])
    @pytest.mark.parametrize("n_features", ["auto", 4, (1, 3)])
    def test_no_more_steps_than_announced(self, kind, search, n_features):
        recorder = Recorder()
        estimator = make(kind, search=search, n_features=n_features).set_callbacks(recorder).fit(X, Y)
        assert recorder.events.count(("end", "step")) == len(estimator.path_.steps)
        assert recorder.max_subtasks is None or len(estimator.path_.steps) <= recorder.max_subtasks

    def test_a_callback_may_stop_the_search(self, kind):
        recorder = Recorder(stop_after=2)
        estimator = make(kind, n_features="all").set_callbacks(recorder).fit(X, Y)
        assert not estimator.path_.complete
        assert len(estimator.path_.steps) == 2
        assert recorder.events[-1] == ("teardown", "fit")
        assert estimator.n_features_ <= 2

    def test_a_failed_fit_is_torn_down(self, kind, tmp_path):
        recorder = Recorder()
        (tmp_path / "file").write_text("nonsense")
        with pytest.raises(ValueError, match="truncated or damaged"):
            make(kind, checkpoint=tmp_path / "file").set_callbacks(recorder).fit(X, Y)
        assert recorder.events[-1] == ("teardown", "fit")

    def test_progress_bar(self, kind, capfd):
        pytest.importorskip("rich")
        from sklearn.callback import ProgressBar

        estimator = make(kind, n_features=3).set_callbacks(ProgressBar()).fit(X, Y)
        assert estimator.path_.complete
        assert type(kind()).__name__ in "".join(capfd.readouterr())

    def test_nothing_of_the_fit_stays(self, kind):
        estimator = make(kind, n_features=3).set_callbacks(Recorder()).fit(X, Y)
        assert not [name for name in vars(estimator) if "ctx" in name or "teardown" in name]


@pytest.mark.skipif(HAS_CALLBACKS, reason="the stand-in is for releases before 1.9")
def test_without_callbacks_nothing_watches():
    selector = NaiveBayesSelector()
    assert not hasattr(selector, "set_callbacks")
    with progress(selector, 3, X, Y) as watchers:
        assert watchers == []


def test_stand_in_of_old_releases(monkeypatch):
    """Whatever the release: an estimator without callbacks is not watched; with verbose, it prints lines."""

    class Plain:
        verbose = 0

    with progress(Plain(), 3, X, Y) as watchers:
        assert watchers == []
    monkeypatch.setattr(Plain, "verbose", 1)
    with progress(Plain(), 3, X, Y) as watchers:
        assert [type(watcher).__name__ for watcher in watchers] == ["Lines"]
    assert np.isfinite(X).all()
