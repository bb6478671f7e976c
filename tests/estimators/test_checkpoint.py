"""A search that was interrupted, timed out or killed goes on from its checkpoint to the identical result."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest
from cases import plain_bayes
from sklearn.compose import make_column_selector
from sklearn.datasets import make_classification

from bayesieve import NaiveBayesSelector, ScorecardClassifier, SelectiveNaiveBayes
from bayesieve.data.document import seal
from bayesieve.exceptions import CheckpointError, InterruptedSearchWarning
from bayesieve.search import Observer, StopSearch, checkpoint

X, Y = make_classification(150, n_features=7, n_informative=4, n_redundant=1, random_state=0)
SEARCHES = ["forward", "backward", "forward-backward", "backward-forward", "floating", "fast-forward-backward"]


def make(**parameters):
    """Return a selector that searches all seven columns, the weak ones too."""
    given = {"tol": None, "cv": 3, "discretizer": "equal_frequency", "scoring": ["auc"]}
    return NaiveBayesSelector(**(given | parameters))


def fit(**parameters):
    return make(**parameters).fit(X, Y)


def assert_same(one, other):
    assert one.path_ == other.path_
    assert one.why_ == other.why_
    assert list(one.cv_results_) == list(other.cv_results_)
    for key, values in one.cv_results_.items():
        np.testing.assert_array_equal(values, other.cv_results_[key])


class Stop(Observer):
    """Ends a search after some steps, as Ctrl-C or the clock would."""

    def __init__(self, after, error):
        self._after, self._error = after, error

    def on_step(self, step, n_steps):
        if n_steps == self._after:
            raise self._error


@pytest.fixture
def stop_after(monkeypatch):
    """Return a function that makes the next fits stop after some steps."""
    from contextlib import contextmanager

    from bayesieve.estimators import search_estimator as searching

    original = searching.progress

    def arrange(n_steps, error=StopSearch):
        @contextmanager
        def progress(*arguments):
            with original(*arguments) as watchers:
                yield [*watchers, *([Stop(n_steps, error)] if n_steps else [])]

        monkeypatch.setattr(searching, "progress", progress)

    return arrange


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("n_steps", [1, 3, 6])
def test_resumed_equals_uninterrupted(search, n_steps, tmp_path, stop_after):
    whole = fit(search=search)
    file = tmp_path / "search.json"
    stop_after(n_steps)
    stopped = fit(search=search, checkpoint=file)
    assert not stopped.path_.complete
    assert len(stopped.path_.steps) == n_steps
    stop_after(None)
    assert_same(fit(search=search, checkpoint=str(file)), whole)


@pytest.mark.parametrize("cv", [0, 3])
def test_penalized_weights_are_resumed(cv, tmp_path, stop_after):
    whole = SelectiveNaiveBayes(cv=cv).fit(X, Y)
    stop_after(1)
    stopped = SelectiveNaiveBayes(cv=cv, checkpoint=tmp_path / "c").fit(X, Y)
    assert stopped.path_.steps == whole.path_.steps[:1] != whole.path_.steps
    stop_after(None)
    resumed = SelectiveNaiveBayes(cv=cv, checkpoint=tmp_path / "c").fit(X, Y)
    assert resumed.path_ == whole.path_
    np.testing.assert_array_equal(resumed.predict_proba(X), whole.predict_proba(X))


def test_stopped_again_and_again(tmp_path, stop_after):
    whole = fit(search="floating")
    for n_steps in range(1, len(whole.path_.steps)):
        stop_after(n_steps)
        part = fit(search="floating", checkpoint=tmp_path / "search.json")
        assert part.path_.steps == whole.path_.steps[:n_steps]
    stop_after(None)
    assert_same(fit(search="floating", checkpoint=tmp_path / "search.json"), whole)


def test_interrupted_and_resumed(tmp_path, stop_after):
    whole = fit()
    stop_after(2, KeyboardInterrupt)
    with pytest.warns(InterruptedSearchWarning):
        fit(checkpoint=tmp_path / "c")
    stop_after(None)
    assert_same(fit(checkpoint=tmp_path / "c"), whole)


def test_resuming_scores_nothing_again(tmp_path, monkeypatch):
    from bayesieve.search.engine import ReferenceEngine

    fit(checkpoint=tmp_path / "c", scoring=None)
    calls = []
    score = ReferenceEngine.score
    monkeypatch.setattr(ReferenceEngine, "score", lambda self, *a, **k: calls.append(1) or score(self, *a, **k))
    resumed = fit(checkpoint=tmp_path / "c", scoring=None, backend="reference")
    assert len(calls) <= 3 < len(resumed.path_.steps)  # what why_ asks for, and no step


@pytest.mark.filterwarnings("ignore::bayesieve.exceptions.NothingSelectedWarning")  # of searches without time
def test_out_of_time_and_resumed(tmp_path):
    assert not fit(max_time=0, checkpoint=tmp_path / "c").path_.complete
    assert_same(fit(checkpoint=tmp_path / "c"), fit())


def test_reporting_parameters_may_change(tmp_path, stop_after):
    stop_after(3)
    fit(checkpoint=tmp_path / "c", scoring=None)
    stop_after(None)
    resumed = fit(checkpoint=tmp_path / "c", scoring=["error"], verbose=0, n_jobs=2, one_se=True)
    assert_same(resumed, fit(scoring=["error"], one_se=True))


class TestFolder:
    @pytest.mark.parametrize("name", ["existing", "new/"])
    def test_one_file_for_each_data_set_and_setting(self, tmp_path, name):
        (tmp_path / "existing").mkdir()
        folder = f"{tmp_path}/{name}"
        one, two = fit(checkpoint=folder), fit(checkpoint=folder, criterion="auc")
        other = make(checkpoint=folder).fit(X[:100], Y[:100])
        assert len(os.listdir(folder)) == 3
        assert_same(fit(checkpoint=folder), one)
        assert_same(fit(checkpoint=folder, criterion="auc"), two)
        assert len([file for file in os.listdir(folder) if file.endswith(".json")]) == 3
        assert other.path_.complete

    def test_grid_search_shares_a_folder(self, tmp_path):
        from sklearn.model_selection import GridSearchCV

        grid = {"criterion": ["brier", "auc"]}
        found = [
            GridSearchCV(plain_bayes(cv=0, discretizer="equal_frequency", checkpoint=place), grid, cv=3).fit(X, Y)
            for place in (None, tmp_path, tmp_path)
        ]
        for again in found[1:]:
            np.testing.assert_array_equal(again.cv_results_["mean_test_score"], found[0].cv_results_["mean_test_score"])
        files = [file for file in os.listdir(tmp_path) if file.endswith(".json")]
        assert len(files) == 2 * 3 + 1


class TestRefused:
    @pytest.fixture
    def file(self, tmp_path):
        file = tmp_path / "search.json"
        fit(checkpoint=file)
        return file

    def refused(self, file, message, **parameters):
        before = {path.name: path.read_bytes() for path in file.parent.iterdir()}
        with pytest.raises(CheckpointError, match=message) as caught:
            fit(checkpoint=file, **parameters)
        assert str(caught.value).endswith(".")
        assert {path.name: path.read_bytes() for path in file.parent.iterdir()} == before

    @pytest.mark.parametrize("share", [0, 0.3, 0.99])
    def test_truncated(self, file, share):
        content = file.read_bytes()
        file.write_bytes(content[: int(len(content) * share)])
        self.refused(file, "truncated or damaged; delete it to start again")

    def test_not_text(self, file):
        file.write_bytes(bytes(range(256)))
        self.refused(file, "truncated or damaged")

    @pytest.mark.parametrize("content", ["[1, 2]", '{"format": "other"}', "3", "null"])
    def test_foreign(self, file, content):
        file.write_text(content)
        self.refused(file, "is not a checkpoint; give another name")

    def test_outdated(self, file):
        file.write_text(json.dumps(json.loads(file.read_text()) | {"version": 1}))
        self.refused(file, "has version 1; this release reads 2")

    def test_any_changed_digit(self, file):
        content = file.read_bytes()
        digits = [i for i, byte in enumerate(content) if chr(byte).isdigit()]
        for i in np.random.default_rng(0).choice(digits, 12, replace=False):
            changed = b"%d" % ((int(chr(content[i])) + 1) % 10)
            file.write_bytes(content[:i] + changed + content[i + 1 :])
            self.refused(file, "was edited: its checksum does not match|this release reads|belongs to other data")

    @pytest.mark.parametrize("content", ["[" * 200_000, '{"version": ' + "9" * 5000 + "}", '{"a": 1, "a": 2}'])
    def test_hostile(self, file, content):
        file.write_text(content)
        self.refused(file, "truncated or damaged")

    @pytest.mark.parametrize(
        "parameters",
        [
            {"criterion": "auc"},
            {"search": "floating"},
            {"cv": 4},
            {"n_features": 2},
            {"tol": 0.0},
            {"keep": [0]},
            {"drop": [0]},
            {"start_from": [0]},
            {"feature_groups": {"g": [0, 1]}},
            {"smoothing": 1.0},
            {"discretizer": "equal_width"},
            {"discretizer": "modl"},
            {"random_state": 3},
        ],
        ids=str,
    )
    def test_other_parameters(self, file, parameters):
        self.refused(file, "belongs to other data or parameters; give another file, or a folder", **parameters)

    def test_other_data(self, file):
        changed = X.copy()
        changed[:40, 0] += 3
        with pytest.raises(CheckpointError, match="belongs to other data"):
            make(checkpoint=file).fit(changed, Y)
        with pytest.raises(CheckpointError, match="belongs to other data"):
            make(checkpoint=file).fit(X, np.roll(Y, 1))
        with pytest.raises(CheckpointError, match="belongs to other data"):
            make(checkpoint=file).fit(pd.DataFrame(X).add_prefix("c"), Y)

    @pytest.mark.parametrize(
        ("change", "weight"),
        [(np.exp, 1.0), (lambda x: x**3, 1.0), (lambda x: x.astype(np.float32), 1.0), (lambda x: 10 * x, 1.0),
         (lambda x: x, 0.5), (lambda x: [f"{v:.1f}" for v in x], 1.0)],
        ids=["exp", "cube", "float32", "times ten", "half weights", "text"],
    )  # fmt: skip
    def test_other_values_of_the_same_order(self, tmp_path, change, weight):
        table = pd.DataFrame(X[:, :2].round(1)).add_prefix("x")
        ScorecardClassifier(checkpoint=tmp_path / "c", n_jobs=1).fit(table, Y, sample_weight=np.ones(len(Y)))
        other = table.assign(x0=change(table["x0"]))
        with pytest.raises(CheckpointError, match="belongs to other data"):
            ScorecardClassifier(checkpoint=tmp_path / "c", n_jobs=1).fit(
                other, Y, sample_weight=np.full(len(Y), weight)
            )

    def forge(self, file, change):
        """Change a checkpoint and give it the checksum of its new content."""
        content = json.loads(file.read_text())
        del content["checksum"]
        change(content)
        file.write_text(json.dumps(seal(content)))

    @pytest.mark.parametrize("answers", [[[1]], 3, [None], None, {}])
    def test_damaged_within(self, file, answers):
        self.forge(file, lambda content: content.update(answers=answers))
        self.refused(file, r"is damaged: the document\.answers.* must be .*; delete it to start again")

    def test_missing_parts(self, file):
        self.forge(file, lambda content: content.pop("answers"))
        self.refused(file, "is damaged: the document has no 'answers'")

    @pytest.mark.parametrize(
        ("position", "value", "message"),
        [
            (0, "drop", "steps are not those of this search; delete it and start again"),
            (1, None, "steps are not those of this search"),
            (1, 99, "steps are not those of this search"),
            (2, -0.123, "scores are not those of this data; delete it and start again"),
            (3, 99, "steps are not those of this search"),
            (0, 3, r"answers\[2\]\[0\] must be a string"),
            (1, "x", r"answers\[2\]\[1\] must be an integer"),
            (1, -1, r"answers\[2\]\[1\] must be an integer"),
            (2, "x", r"answers\[2\]\[2\] must be a finite number"),
            (3, 1.5, r"answers\[2\]\[3\] must be an integer"),
            (4, [], r"answers\[2\]\[4\] must be a finite number"),
            (5, 3, r"answers\[2\]\[5\] must be a list"),
            (5, ["x"], r"answers\[2\]\[5\]\[0\] must be a finite number"),
        ],
    )
    def test_changed_answers(self, file, position, value, message):
        self.forge(file, lambda content: content["answers"][2].__setitem__(position, value))
        self.refused(file, message)

    def test_a_runner_up_decides_nothing(self, file):
        self.forge(file, lambda content: content["answers"][2].__setitem__(3, None))
        fit(checkpoint=file)

    @pytest.mark.parametrize("weights", [3, [[0]], [[0, "x"]], [["x", 1.0]], [[0.5, 1.0]], [[99, 1.0]]])
    def test_changed_weights(self, tmp_path, weights):
        model = SelectiveNaiveBayes(checkpoint=tmp_path / "c.json").fit(X, Y)
        self.forge(tmp_path / "c.json", lambda content: content["answers"][-1].__setitem__(7, weights))
        with pytest.raises(CheckpointError, match=r"is damaged|not those of this search"):
            model.fit(X, Y)

    def test_a_folder_that_cannot_be(self, tmp_path):
        (tmp_path / "file").write_text("")
        with pytest.raises(CheckpointError, match="cannot be"):
            fit(checkpoint=tmp_path / "file" / "below")


class TestPrevious:
    @pytest.fixture
    def file(self, tmp_path, monkeypatch):
        """Return a checkpoint written after every answer, so that there is a previous one."""
        monkeypatch.setattr(checkpoint, "_SECONDS_BETWEEN_WRITES", 0.0)
        fit(checkpoint=tmp_path / "c.json")
        return tmp_path / "c.json"

    def test_it_is_an_earlier_state(self, file):
        now, before = (json.loads(path.read_text())["answers"] for path in (file, file.with_name("c.json.previous")))
        assert before
        assert now[: len(before)] == before
        assert sorted(path.name for path in file.parent.iterdir()) == ["c.json", "c.json.previous"]

    def test_damage_never_reaches_it(self, file):
        spare = file.with_name("c.json.previous")
        content = spare.read_bytes()
        file.write_text(file.read_text()[:100])
        for _ in range(2):
            with pytest.raises(CheckpointError, match=r"the previous one is '.*c.json.previous'"):
                fit(checkpoint=file)
            assert spare.read_bytes() == content

    def test_it_can_be_resumed(self, file):
        spare = file.with_name("c.json.previous")
        file.unlink()
        os.replace(spare, file)
        assert_same(fit(checkpoint=file), fit())

    def test_it_can_be_resumed_in_place(self, file):
        assert_same(fit(checkpoint=file.with_name("c.json.previous")), fit())

    def test_without_links(self, tmp_path, monkeypatch):
        def no_links(*paths):
            raise OSError("not supported")

        monkeypatch.setattr(os, "link", no_links)
        monkeypatch.setattr(checkpoint, "_SECONDS_BETWEEN_WRITES", 0.0)
        fit(checkpoint=tmp_path / "c.json")
        assert sorted(path.name for path in tmp_path.iterdir()) == ["c.json", "c.json.previous"]

    @pytest.mark.parametrize("broken", ["fsync", "replace"])
    def test_a_failing_write_leaves_the_file(self, file, monkeypatch, broken):
        before = file.read_bytes()

        def fail(*arguments, **named):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, broken, fail)
        with pytest.raises(CheckpointError, match="cannot be written: No space left on device"):
            fit(checkpoint=file)
        assert file.read_bytes() == before
        assert not [path for path in file.parent.iterdir() if path.suffix == ".new"]


def test_callables_mean_the_same_in_another_process(tmp_path):
    frame = pd.DataFrame(X).add_prefix("c").assign(word=np.where(Y == 1, "a", "b"))
    for _ in range(2):  # another object at another address each time
        selector = make(drop=make_column_selector(dtype_exclude="number"), checkpoint=tmp_path / "c")
        selector.fit(frame, Y)
    assert selector.path_.complete


KILLED = """
import sys, time
from contextlib import contextmanager
import numpy as np
from bayesieve import NaiveBayesSelector, ScorecardClassifier, SelectiveNaiveBayes
from bayesieve.data.document import seal
from bayesieve.estimators import search_estimator as searching
from bayesieve.search import Observer, checkpoint

class Slow(Observer):
    def on_step(self, step, n_steps):
        time.sleep(0.1)

@contextmanager
def progress(*arguments):
    yield [Slow()]

if __name__ == "__main__":
    searching.progress = progress
    checkpoint._SECONDS_BETWEEN_WRITES = 0.0
rng = np.random.default_rng(0)
y = rng.integers(0, 2, 200)
X = rng.normal(size=(200, 40)) + y[:, None] * rng.random(40)
how = {"n_features": "all", "cv": 3, "discretizer": "equal_frequency"}
if __name__ == "__main__":
    NaiveBayesSelector(checkpoint=sys.argv[1], **how).fit(X, y)
"""


@pytest.mark.slow
def test_a_killed_process_leaves_a_readable_checkpoint(tmp_path):
    file = tmp_path / "c.json"
    running = subprocess.Popen([sys.executable, "-c", KILLED, str(file)])
    deadline = time.monotonic() + 60
    while not (tmp_path / "c.json.previous").exists() and time.monotonic() < deadline:
        time.sleep(0.005)
    running.send_signal(signal.SIGKILL)
    running.wait()
    answers = json.loads(file.read_text())["answers"]
    assert 1 <= len(answers) < 40
    problem = {"__name__": "problem"}
    exec(KILLED, problem)
    resumed, whole = (
        NaiveBayesSelector(checkpoint=place, **problem["how"]).fit(problem["X"], problem["y"]) for place in (file, None)
    )
    assert resumed.path_.to_dict() == whole.path_.to_dict()
    assert resumed.why_ == whole.why_
