"""Rows in Dask: fits and predictions as in this process, whatever happens to the workers."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest
from cut_tables import cut, mixed_table
from draws import draws, meetings
from sklearn.base import clone

from bayesieve import NaiveBayesSelector, ScorecardClassifier, SelectiveNaiveBayes, VoteSelector
from bayesieve.additive.blocks import AllRows
from bayesieve.data.blocks import dask_blocks
from bayesieve.estimators import search_estimator
from bayesieve.estimators.progress import progress
from bayesieve.exceptions import DataError, WorkersLostError
from bayesieve.fit import block_folds
from bayesieve.search import Observer

distributed = pytest.importorskip("distributed")
dd = pytest.importorskip("dask.dataframe")
da = pytest.importorskip("dask.array")

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore:Port .* is already in use"),
]


ESTIMATORS = [NaiveBayesSelector(), SelectiveNaiveBayes(weights="none", cv=0), VoteSelector(votes="any")]


@pytest.fixture(scope="module")
def threads():
    with distributed.Client(processes=False, n_workers=2, threads_per_worker=1, dashboard_address=":0") as client:
        yield client


@pytest.fixture(scope="module")
def processes():
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def in_dask(table, y, n_partitions=5):
    frame = dd.from_pandas(table.assign(y=y), npartitions=n_partitions)
    return frame[list(table.columns)], frame["y"]


class AtStep(Observer):
    """Does something once, after a step of the search."""

    def __init__(self, step, act):
        self.step, self.act = step, act

    def on_step(self, step, n_steps):
        if n_steps == self.step:
            self.act()


def with_observer(monkeypatch, estimator, observer):
    """Return an estimator whose next searches have an observer."""

    @contextmanager
    def watched(*arguments):
        with progress(*arguments) as observers:
            yield [*observers, observer]

    monkeypatch.setattr(search_estimator, "progress", watched)
    return estimator


@pytest.mark.slow
@pytest.mark.parametrize(("estimator", "sent"), meetings(ESTIMATORS, [False, True]))
def test_data_frames_and_rows_sent_to_the_workers(threads, estimator, sent):
    table, y = mixed_table()
    expected = clone(estimator).fit(table, y)
    if sent:
        fitted = clone(estimator).set_params(backend="dask").fit(table, y)
    else:
        fitted = clone(estimator).fit(*in_dask(table, y))
    assert fitted.path_.steps == expected.path_.steps
    assert fitted.path_.order == expected.path_.order


def test_arrays_with_weights(threads):
    table, y = mixed_table()
    numbers, weights = table.drop(columns="label").to_numpy(), np.random.default_rng(0).random(len(y))
    expected = NaiveBayesSelector().fit(numbers, y, weights)
    X = da.from_array(numbers, (150, 3))
    assert (
        NaiveBayesSelector().fit(X, da.from_array(y, 150), da.from_array(weights, 150)).path_.steps
        == expected.path_.steps
    )


def test_the_final_shapes_of_a_scorecard_are_those_of_all_rows(threads, monkeypatch):
    monkeypatch.setattr(block_folds, "_MOST_ROWS", 300)
    table, y = mixed_table(900)
    options = {"n_features": "best", "n_pairs": [("x0", "few")]}
    expected = ScorecardClassifier(**options).fit(cut(table, y), None)
    model = ScorecardClassifier(**options).fit(*in_dask(table, y))
    assert model.path_.phases[-1].name == "final fit on all rows"
    np.testing.assert_array_equal(model.predict_proba(table), expected.predict_proba(table))


def test_collections_that_do_not_belong_together_are_refused(threads):
    table, y = mixed_table(100)
    X, labels = in_dask(table, y)
    with pytest.raises(DataError, match="X is a Dask collection and y is not"):
        NaiveBayesSelector().fit(X, y)
    with pytest.raises(DataError, match="y or sample_weight is a Dask collection and X is not"):
        NaiveBayesSelector().fit(table, labels)
    with pytest.raises(DataError, match="5 partitions and y has 2"):
        NaiveBayesSelector().fit(X, labels.repartition(npartitions=2))


def _sent_to_workers(dask_worker):
    return dask_worker.transfer_outgoing_bytes_total


@pytest.mark.slow
def test_a_step_sends_little_and_moves_no_block(processes, monkeypatch):
    """Work stealing is on, as it is by default."""
    written, at_step = [0], []
    write = distributed.comm.tcp.TCP.write

    async def count(self, *args, **kwargs):
        n_bytes = await write(self, *args, **kwargs)
        written[0] += n_bytes
        return n_bytes

    def note():
        at_step.append((written[0], sum(processes.run(_sent_to_workers).values())))

    # Requests and answers pass through this process, as the scheduler is here; blocks would go from worker to worker.
    monkeypatch.setattr(distributed.comm.tcp.TCP, "write", count)
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 10_000)  # a block of a quarter of the rows is larger than what may be sent
    table = pd.DataFrame({f"x{j}": np.round(rng.normal(size=len(y)) + y / (1 + j), 2) for j in range(8)})
    observer = AtStep(None, None)
    observer.on_step = lambda step, n_steps: note()
    selector = NaiveBayesSelector(criterion="auc", n_features=4, cv=0)
    with_observer(monkeypatch, selector, observer).fit(*in_dask(table, y, 4))
    (first_written, first_sent), (last_written, last_sent) = at_step[0], at_step[-1]
    n_steps = len(at_step) - 1
    assert n_steps >= 3
    assert (last_written - first_written) / n_steps / 2 < 2**20
    assert last_sent - first_sent < 2**14


_written = [0]


def _count_writes():
    """Count what this process, here or a worker's, writes to others."""
    write = distributed.comm.tcp.TCP.write

    async def count(self, *args, **kwargs):
        n_bytes = await write(self, *args, **kwargs)
        _written[0] += n_bytes
        return n_bytes

    distributed.comm.tcp.TCP.write = count


def _n_written():
    return _written[0]


@pytest.mark.slow
def test_a_pass_over_a_hundred_columns_sends_less_than_three_mebibytes_per_worker(processes, monkeypatch):
    """Everything is counted: from here to the scheduler, to the workers, and back through the scheduler."""
    monkeypatch.setattr(block_folds, "_MOST_ROWS", 800)
    processes.run(_count_writes)
    monkeypatch.setattr(distributed.comm.tcp.TCP, "write", distributed.comm.tcp.TCP.write)  # put back at the end
    _count_writes()
    sent, ask = [], AllRows.whole_sums

    def everywhere():
        return _n_written() + sum(processes.run(_n_written).values())

    def whole_sums(rows, model):
        assert int(rows.sample.offsets[-1]) >= 100 * 120
        before = everywhere()
        sums = ask(rows, model)
        sent.append((everywhere() - before) / 2)
        return sums

    monkeypatch.setattr(AllRows, "whole_sums", whole_sums)
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, draws(3000, 20_000))
    table = pd.DataFrame({f"x{j}": rng.normal(size=len(y)) + y / (1 + j) for j in range(100)})
    ScorecardClassifier("best", n_pairs=0).fit(*in_dask(table, y, 2))
    assert sent
    assert max(sent) < 3 * 2**20


# The last test of this cluster.
@pytest.mark.slow
def test_a_lost_worker_changes_nothing(processes, monkeypatch):
    table, y = mixed_table(2000)
    expected = NaiveBayesSelector(n_features=5).fit(table, y)
    killed = []

    def kill():
        pid = next(iter(processes.run(os.getpid).values()))
        os.kill(pid, signal.SIGKILL)
        killed.append(pid)

    fitted = with_observer(monkeypatch, NaiveBayesSelector(n_features=5), AtStep(2, kill)).fit(*in_dask(table, y))
    assert killed
    assert fitted.path_.steps == expected.path_.steps


# Weights have one answer more: their start without columns.
@pytest.mark.slow
@pytest.mark.parametrize(("kind", "n_answers"), [(NaiveBayesSelector, 2), (SelectiveNaiveBayes, 3)][-draws(1, 2) :])
def test_without_workers_there_is_an_error_and_the_checkpoint_goes_on_elsewhere(kind, n_answers, tmp_path, monkeypatch):
    monkeypatch.setattr(dask_blocks, "_PATIENCE", 1.0)
    table, y = mixed_table()
    expected = kind(n_features=5).fit(table, y)
    selector = kind(n_features=5, checkpoint=tmp_path / "steps.json")
    with distributed.Client(processes=False, n_workers=1, threads_per_worker=1, dashboard_address=":0") as client:
        lose = AtStep(2, lambda: _send_away(client))
        with pytest.raises(WorkersLostError, match="No Dask worker has been available"):
            with_observer(monkeypatch, selector, lose).fit(*in_dask(table, y))
    assert len(json.loads((tmp_path / "steps.json").read_text())["answers"]) == n_answers
    with distributed.Client(processes=False, n_workers=2, threads_per_worker=1, dashboard_address=":0"):
        fitted = with_observer(monkeypatch, selector, AtStep(99, None)).fit(*in_dask(table, y))
    assert fitted.path_.steps == expected.path_.steps


def _send_away(client):
    client.cluster.scale(0)
    while client.scheduler_info()["workers"]:
        time.sleep(0.05)


def test_a_worker_without_the_compiled_core_gives_the_same(threads):
    table, y = mixed_table()
    expected = NaiveBayesSelector().fit(table, y)
    assert NaiveBayesSelector(backend="reference").fit(*in_dask(table, y)).path_.steps == expected.path_.steps


def test_interrupting_cancels_what_is_asked(threads):
    held = dask_blocks.dask_blocks(_slow, [5.0, 5.0])
    timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        held.reduce(_slow, max)
    assert time.monotonic() - begin < 4.0


def _slow(seconds):
    time.sleep(seconds)
    return seconds


def test_a_client_is_that_of_the_process_or_one_of_threads(monkeypatch):
    monkeypatch.setattr(distributed, "default_client", lambda: (_ for _ in ()).throw(ValueError("No clients found")))
    with dask_blocks.open_client() as client:
        assert client.submit(sum, [1, 2]).result() == 3
    monkeypatch.setattr(distributed, "default_client", lambda: client)
    assert dask_blocks.open_client() is client
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(DataError, match="dask"):
        dask_blocks.open_client()


SERVERS = """
import os, warnings
import dask, dask.dataframe as dd, numpy as np, pandas as pd, psutil
from bayesieve import FilterSelector, ScorecardClassifier, SelectiveNaiveBayes, evaluate

warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
y = rng.integers(0, 2, 200)
frame = dd.from_pandas(pd.DataFrame({"a": y + rng.normal(size=200), "y": y}), npartitions=2)
listening = lambda: [each.laddr for each in psutil.Process().net_connections() if each.status == "LISTEN"]
seen = []


class Watched(SelectiveNaiveBayes):
    def _options(self, rows):
        seen.extend(listening())
        return super()._options(rows)


for fit in (
    lambda: Watched(cv=0).fit(frame[["a"]], frame["y"]),
    lambda: ScorecardClassifier().fit(frame[["a"]], frame["y"]),
    lambda: evaluate(None, SelectiveNaiveBayes(cv=0), (frame[["a"]], frame["y"]), cv=2),
):
    fit()
    assert listening() == [], listening()
    assert dask.config.get("scheduler", None) is None
assert all(address.ip == "127.0.0.1" for address in seen), seen
assert frame["a"].sum().compute() != 0
print("none listen")
"""


@pytest.mark.slow
def test_a_fit_without_a_client_leaves_no_server_and_no_scheduler():
    pytest.importorskip("psutil")
    done = subprocess.run([sys.executable, "-c", SERVERS], capture_output=True, text=True, timeout=300, check=False)
    assert done.stdout == "none listen\n", done.stderr
