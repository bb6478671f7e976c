"""Lines of growth: where they end, the blocks that are asked again, and the page's tables."""

import json

import numpy as np
import pytest
from benchmarks import growth
from benchmarks.growth_page import FOLDER, GrowthFigures
from benchmarks.growth_peers import JOBS, sizes_in_time
from benchmarks.problems import Shape, additions, make_segment
from benchmarks.quality_page import with_tables

from bayesieve.models import NaiveBayes
from bayesieve.search.criteria import CRITERIA
from bayesieve.search.engine import DistributedEngine, scatter


def test_a_line_ends_before_a_size_that_is_expected_to_take_too_long():
    runs = []

    def quadratic(n):
        runs.append(n)
        return n**2 / 1e6

    assert sizes_in_time([1_000, 2_000, 4_000, 8_000], quadratic, 20.0) == {1_000: 1.0, 2_000: 4.0, 4_000: 16.0}
    assert runs == [1_000, 2_000, 4_000]
    assert sizes_in_time([10, 1_000], lambda n: 1.0, 99.0) == {10: 1.0}  # in proportion, a hundred times as long


@pytest.mark.parametrize("job", JOBS)
def test_tables_have_the_size_that_is_asked_for(job):
    X, y = JOBS[job].table(50, 12)
    assert X.shape == (50, 12)
    assert sorted(np.unique(y).tolist()) == [0, 1]
    assert JOBS[job].fits["bayesieve"](X, y) > 0


def test_rows_that_are_asked_again_score_as_copies_of_them(monkeypatch):
    monkeypatch.setattr(growth, "_BLOCK", Shape(2, 8, 500, 9))
    segment = make_segment(growth._BLOCK)
    scores = []
    for rows in (growth._repeated(segment, 1_500), scatter([segment], 2)):
        engine = DistributedEngine(rows, NaiveBayes(), CRITERIA["brier"])
        engine.reset({0: 1.0})
        scores.append(engine.score(additions(1, 9)))
    np.testing.assert_allclose(*scores, rtol=1e-6)


def test_tables_of_hand_made_figures():
    steps = {"rows 10": 2.0, "rows 1000": 1.0, "read 1": 0.1}
    jobs = {
        "search: bayesieve, rows 10": 0.1,
        "search: bayesieve, rows 100": 0.36,
        "search: peer, rows 10": 1.0,
        "search: peer, rows 100": 36.0,
    }
    rows = [{"name": name, "ours": value} for name, value in {**steps, **jobs}.items()]
    tables = GrowthFigures({"machine": {"cores": 2, "load": 0.5}, "sections": {"growth": {"rows": rows}}}).tables()
    assert "| rows |   10 | 1,000 |" in tables["growth of a step"]
    assert "one thread 0.1 ns, 10 times less" in tables["growth of a step"]
    peer = tables["growth of jobs"].splitlines()[-1].replace(" ", "")
    assert peer == "|search,rows|peer|100|36|100|1.6|2×10^3|"  # 100 × (3600 / 36) ^ (1 / log10 36)
    ours = tables["growth of jobs"].splitlines()[-2].replace(" ", "")
    assert ours == "|search,rows|bayesieve|100|0.36||0.6|1×10^6|"  # 0.26 s more per 90 rows


def test_the_page_has_the_saved_figures():
    figures = json.loads((FOLDER / "growth.json").read_text(encoding="utf-8"))
    page = (FOLDER / "scale.md").read_text(encoding="utf-8")
    tables = GrowthFigures(figures).tables()
    assert page.count("<!-- table: growth of") == len(tables)
    assert with_tables(page, tables) == page
    assert (FOLDER / "growth.svg").read_text(encoding="utf-8") == GrowthFigures(figures).step_picture()
    assert (FOLDER / "growth_jobs.svg").read_text(encoding="utf-8") == GrowthFigures(figures).job_picture()
