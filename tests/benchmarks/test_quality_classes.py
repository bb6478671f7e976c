"""The comparison of several classes: the page shows saved results, and a fit gives them again."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("resource", reason="fits are limited by a facility of Unix")

from benchmarks import quality_fit
from benchmarks.quality_classes import SAVED_CLASSES, SETS, ClassSet, class_tables
from benchmarks.quality_exchange import Answer, Problem
from benchmarks.quality_methods import METHODS
from benchmarks.quality_page import with_tables
from benchmarks.quality_results import ResultsFile, measure

PAGE = Path(__file__).resolve().parents[2] / "research" / "quality.md"


def test_the_page_shows_the_saved_results():
    page, tables = PAGE.read_text(encoding="utf-8"), class_tables(ResultsFile(SAVED_CLASSES))
    assert all(f"<!-- table: {name} -->" in page for name in tables)
    assert page == with_tables(page, tables)
    assert {result.set for result in ResultsFile(SAVED_CLASSES).read().values()} <= set(SETS)


@pytest.mark.parametrize("method", ["scorecard", "snb"])
def test_a_saved_result_is_what_a_fit_gives(method, tmp_path):
    data = ClassSet("wine")
    X, y = data.load()
    split = next(iter(data.splits(y)))
    Problem(X.iloc[split.train], y[split.train], X.iloc[split.test], METHODS[method].settings).write(tmp_path)
    quality_fit.run(tmp_path)
    answer, saved = Answer.read(tmp_path), ResultsFile(SAVED_CLASSES).read()["wine", 0, method]
    found = measure(y[split.test], np.array(answer.probabilities))
    assert found == pytest.approx({name: getattr(saved, name) for name in found}, rel=1e-5)
    assert (answer.n_columns, answer.n_pairs) == (saved.n_columns, saved.n_pairs)
