"""Blocks in files: what is kept comes back, tasks run in order, and nothing stays behind."""

import gc
from operator import add

import numpy as np
import pytest

from bayesieve.data.blocks.disk_blocks import DiskBlocks, KeptFiles, read_kept, write_kept
from bayesieve.data.blocks.row_blocks import MemoryBlocks


def test_kept_objects_come_back_as_mapped_bytes(tmp_path):
    rng = np.random.default_rng(0)
    kept = {"codes": rng.integers(0, 9, (3, 1000)).astype(np.uint8), "none": np.empty((0, 4)), "words": ["a", 1.5]}
    write_kept(kept, tmp_path / "a.block")
    found = read_kept(tmp_path / "a.block")
    np.testing.assert_array_equal(found["codes"], kept["codes"])
    assert found["none"].shape == (0, 4)
    assert found["words"] == kept["words"]
    assert not found["codes"].flags.writeable
    write_kept("no arrays", tmp_path / "b.block")
    assert read_kept(tmp_path / "b.block") == "no arrays"


@pytest.mark.parametrize("n_threads", [1, 3])
@pytest.mark.parametrize("n_blocks", [1, 2, 5, 7, 8, 13])
def test_answers_are_merged_in_the_order_of_pairs(n_blocks, n_threads):
    letters = "abcdefghijklm"[:n_blocks]
    files = KeptFiles()
    disk = DiskBlocks([lambda letter=letter: letter for letter in letters], files, n_threads)
    blocks = [disk, disk.map(str.upper).map(str.lower).keep(), disk.keep().hold(), MemoryBlocks(letters)]
    for each in blocks:
        assert each.reduce(lambda letter: letter, lambda a, b: f"({a}{b})") == blocks[-1].reduce(
            lambda letter: letter, lambda a, b: f"({a}{b})"
        )
        assert each.zip(range(n_blocks)).reduce(lambda pair: pair[1], add) == n_blocks * (n_blocks - 1) // 2
        assert each.ask(n_blocks - 1, str.upper) == letters[-1].upper()


def test_an_error_in_a_block_is_raised_and_files_go():
    files = KeptFiles()
    disk = DiskBlocks([lambda k=k: k for k in (1, 0, 2)], files, 2)
    with pytest.raises(ZeroDivisionError):
        disk.reduce(lambda k: 1 / k, add)
    kept, folder = disk.keep(), files.path
    assert len(list(folder.iterdir())) == 3
    del kept, disk, files
    gc.collect()
    assert not folder.exists()
