"""A search on four hosts that are killed, cut off or filled: the same bits, or a sentence and a checkpoint."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cluster.hosts import PORT, Hosts, why_not

pytest.importorskip("distributed")
pytestmark = [
    pytest.mark.cluster,
    pytest.mark.timeout(1500),
    pytest.mark.skipif(why_not() is not None, reason=str(why_not())),
]
HERE = Path(__file__).parent
ADDRESS = f"tcp://10.77.0.1:{PORT}"
WORKERS = ("one", "two", "three", "four")


@pytest.fixture(scope="module")
def truth():
    done = subprocess.run(
        [sys.executable, str(HERE / "distant_fit.py"), "-", ""], capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)["answer"]


@pytest.fixture(scope="module")
def hosts(tmp_path_factory):
    made = Hosts(tmp_path_factory.mktemp("cluster"))
    try:
        for name in ("scheduler", *WORKERS, "client"):
            made.add(name)
        made.start_scheduler()
        for name in WORKERS:
            made.start_worker(name)
        yield made
    finally:
        made.close()


def fit(hosts, meanwhile, checkpoint=""):
    """Return the answer of a fit, of which something happens after its beginning."""
    log = hosts.folder / "client.log"
    seen = log.stat().st_size if log.exists() else 0
    process = hosts.start("client", str(HERE / "distant_fit.py"), ADDRESS, str(checkpoint))

    def lines():
        return log.read_bytes()[seen:].decode(errors="replace").splitlines()

    while "began" not in lines() and process.poll() is None:
        time.sleep(0.2)
    time.sleep(1.0)
    meanwhile()
    process.wait(timeout=900)
    answers = [line for line in lines() if line.startswith("{")]
    assert answers, lines()[-20:]
    return json.loads(answers[-1])


def test_four_hosts_find_what_one_process_finds(hosts, truth):
    assert fit(hosts, lambda: None) == {"answer": truth}


def test_a_killed_host_changes_nothing(hosts, truth):
    assert fit(hosts, lambda: hosts.kill("one")) == {"answer": truth}
    hosts.start_worker("one")


def test_a_link_that_is_cut_and_healed_changes_nothing(hosts, tmp_path, truth):
    def cut():
        hosts.cut("two")
        time.sleep(5.0)
        hosts.heal("two")

    checkpoint = tmp_path / "checkpoint.json"
    found = fit(hosts, cut, checkpoint)
    if "answer" not in found:
        assert found["error"] == "WorkersLostError"
        found = fit(hosts, lambda: None, checkpoint)
    assert found == {"answer": truth}


def test_a_worker_beyond_its_memory_changes_nothing(hosts, truth):
    fill = [str(HERE / "fill_memory.py"), ADDRESS, "three"]
    assert fit(hosts, lambda: hosts.run("scheduler", *fill)) == {"answer": truth}


def test_a_restarted_scheduler_is_reported_and_the_checkpoint_goes_on(hosts, tmp_path, truth):
    checkpoint = tmp_path / "checkpoint.json"

    def restart():
        hosts.kill("scheduler")
        time.sleep(2.0)
        hosts.start_scheduler()

    found = fit(hosts, restart, checkpoint)
    if "answer" not in found:
        assert found["error"] == "WorkersLostError"
        assert found["sentence"].endswith(".") or ":" in found["sentence"]
        for name in WORKERS:
            hosts.kill(name)
            hosts.start_worker(name)
        found = fit(hosts, lambda: None, checkpoint)
    assert found == {"answer": truth}
