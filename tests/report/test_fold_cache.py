"""Stored folds are read as they were written, and a damaged file is ignored."""

import numpy as np
import pytest

from bayesieve.report import FoldCache
from bayesieve.report.held_out_predictions import FoldPredictions


@pytest.mark.parametrize("amounts", [None, np.arange(5) / 7])
def test_a_fold_is_read_as_it_was_written(tmp_path, amounts):
    rng = np.random.default_rng(0)
    fold = FoldPredictions(
        np.arange(5),
        (1, 3),
        rng.random((3, 5, 2)),
        np.arange(15).reshape(3, 5) % 2,
        ("a", "é b"),
        False,
        amounts,
    )
    cache = FoldCache(tmp_path, "key")
    assert cache.read(0) is None
    cache.write(0, fold)
    stored = cache.read(0)
    for name in ("rows", "stages", "decisions"):
        written, read = getattr(fold, name), getattr(stored, name)
        assert (written.dtype, written.tobytes()) == (read.dtype, read.tobytes())
        assert written.shape == read.shape
    assert (stored.sizes, stored.columns, stored.complete) == (fold.sizes, fold.columns, fold.complete)
    assert (stored.amounts is None) if amounts is None else np.array_equal(stored.amounts, amounts)
    assert cache.count(3) == 1
    assert FoldCache(tmp_path, "another key").read(0) is None


def test_a_damaged_file_is_no_fold(tmp_path):
    cache = FoldCache(tmp_path, "key")
    cache.write(0, FoldPredictions(np.arange(2), (), np.full((1, 2, 2), 0.5), np.zeros((1, 2), dtype=np.intp), ()))
    (file,) = tmp_path.iterdir()
    content = file.read_bytes()
    for damaged in (
        b"",
        content[:-9],
        content.replace(b"true", b"null"),
        b"damaged",
        b"[1]",
        content + b"\n" + content,
    ):
        file.write_bytes(damaged)
        assert cache.read(0) is None
