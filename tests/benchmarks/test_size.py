"""The automatic size: what its tables come to, and that those of the page are of the saved results."""

import re

import pytest
from benchmarks.quality_results import SAVED
from benchmarks.size import has_gain, is_steady, kept_share, page_tables
from benchmarks.size_fits import SAVED_SIZES, SizedFit, SizeFits

PAGE = SAVED.parents[1] / "size.md"


def sized(method, split=0, *, loss, error=0.01, n_columns=3):
    return SizedFit(
        "pima",
        split,
        method,
        "",
        500,
        8,
        n_columns,
        0,
        loss,
        0.6,
        own_loss=loss,
        error=0.1,
        gain_error=error,
        seconds=1.0,
    )


def test_a_share_is_that_of_the_gain_over_all_folds():
    fits = [sized("auto", loss=0.5), sized("best", loss=0.4), sized("auto", 1, loss=0.45), sized("best", 1, loss=0.5)]
    by_key = {fit.key: fit for fit in fits}
    assert kept_share(by_key, "pima") == pytest.approx((0.1 + 0.15) / (0.2 + 0.1))
    assert kept_share(by_key, "crx") is None
    assert has_gain(by_key, "pima")
    assert not has_gain({fit.key: fit for fit in [sized("best", loss=0.58)]}, "pima")


def test_steady_sizes_are_near_their_median():
    assert is_steady([2, 3, 3, 4])
    assert is_steady([16, 18, 20, 22, 24])
    assert not is_steady([5, 10, 20, 40])


def test_tables_of_the_page_are_those_of_the_saved_results():
    page = PAGE.read_text(encoding="utf-8")
    for name, table in page_tables(SizeFits(SAVED_SIZES).read()).items():
        found = re.search(f"<!-- table: {name} -->\n\n(.*?)\n\n<!-- end of table -->", page, re.DOTALL)
        assert found, name
        assert found[1] == table
