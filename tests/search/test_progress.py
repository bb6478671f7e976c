"""Progress: lines are logged once, stages add up to the whole, and one within another is counted once."""

import logging
from contextlib import suppress

import numpy as np
import pytest
from typer.testing import CliRunner

from bayesieve import ScorecardClassifier, SelectiveNaiveBayes
from bayesieve.cli.app import app
from bayesieve.search import log_progress, stage, stage_times


@pytest.fixture
def clock(monkeypatch):
    """A clock that is set by hand."""
    now = [0.0]
    monkeypatch.setattr("time.perf_counter", lambda: now[0])

    def wait(seconds):
        now[0] += seconds

    return wait


def test_stages_are_exclusive_and_add_up(clock):
    with stage_times() as times:
        clock(1)
        with stage("reading"):
            clock(2)
        with stage("predictions"):
            clock(4)
            with stage("bins"):
                clock(8)
            clock(16)
            with stage("reading"):
                clock(32)
        clock(64)
    assert times.seconds == {"reading": 34, "predictions": 20, "bins": 8, "other": 65}
    assert str(times) == "127.00 s: reading 34.00 s, predictions 20.00 s, bins 8.00 s, other 65.00 s"


def test_a_stage_is_noted_by_all_who_measure_and_ends_with_an_error(clock):
    with stage_times() as outer:
        with stage_times() as inner, suppress(ValueError), stage("bins"):
            clock(3)
            raise ValueError
        clock(5)
        with stage("search"):
            clock(7)
    assert inner.seconds["bins"] == outer.seconds["bins"] == 3
    assert "search" not in inner.seconds
    assert outer.seconds == {"bins": 3, "search": 7, "other": 5}


def table():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    return rng.normal(size=(200, 3)) + y[:, None], y


@pytest.mark.parametrize("kind", [SelectiveNaiveBayes, ScorecardClassifier])
def test_verbose_2_logs_the_stages_of_a_fit(kind, caplog):
    with caplog.at_level(logging.INFO, "bayesieve"):
        kind(verbose=2).fit(*table())
    *_, last = caplog.messages
    assert last.startswith(f"{kind.__name__} was fitted in ")
    order = [last.index(f" {name} ") for name in ("reading", "bins", "search", "reasons", "other")]
    assert order == sorted(order)


def test_the_command_prints_shares_that_add_up(tmp_path):
    X, y = table()
    file = tmp_path / "table.csv"
    file.write_text(
        "\n".join(["a,b,c,y", *(",".join(map(str, (*row, label))) for row, label in zip(X, y, strict=True))])
    )
    arguments = [
        "fit",
        str(file),
        "--target",
        "y",
        "--method",
        "nb",
        "--no-compare",
        "--cv",
        "2",
        "--json",
        "--profile",
    ]
    printed = CliRunner().invoke(app, arguments).stderr.splitlines()
    seconds = {line[:12].strip(): float(line[12:].split()[0]) for line in printed if line.endswith(" of processors")}
    stages = (
        "reading",
        "checks",
        "bins",
        "search",
        "reasons",
        "predictions",
        "comparison",
        "report",
        "other",
        "in all",
    )
    assert tuple(seconds) == stages
    assert sum(seconds.values()) == pytest.approx(2 * seconds["in all"], abs=0.1)
    of_processors = [float(line.split()[-4]) for line in printed if line.endswith(" of processors")]
    assert sum(of_processors) == pytest.approx(2 * of_processors[-1], abs=0.1)
    assert of_processors[-1] > 0


def test_progress_goes_to_standard_error_unless_an_application_logs(capsys, monkeypatch):
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    log_progress("step 1")
    assert capsys.readouterr().err == "step 1\n"
    lines = []
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(record.getMessage())
    monkeypatch.setattr(logging.getLogger(), "handlers", [handler])
    log_progress("step 2")
    assert (capsys.readouterr().err, lines) == ("", ["step 2"])
