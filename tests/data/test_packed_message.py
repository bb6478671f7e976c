"""Messages between processes: every bit comes back, and numbers with few leading bits take fewer bytes."""

import numpy as np
import pytest
from draws import draws

from bayesieve.data.blocks.packed_message import pack, unpack


def n_bytes(message):
    packed = pack(message)
    return len(packed.head) + sum(len(array.data) for array in packed.arrays)


@pytest.mark.parametrize("seed", range(draws(20, 100)))
def test_every_bit_comes_back(seed):
    rng = np.random.default_rng(seed)
    n, dtype = int(rng.choice([0, 1, 5, 3000, 40_000])), rng.choice(["i8", "f8", "f4", "u2", "i1", "?"])
    array = (rng.normal(size=(n, 2)) * 1e3).astype(dtype)
    message = [(array, "name"), {"turned": np.asfortranarray(array), "some": array[::2], 3: None}]
    (first, name), rest = unpack(pack(message))
    assert name == "name"
    for one, other in [(first, array), (rest["turned"], array), (rest["some"], array[::2])]:
        assert (one.dtype, one.shape, one.tobytes()) == (other.dtype, other.shape, other.tobytes())
    assert first.flags.writeable


def test_numbers_that_are_not_finite_come_back():
    values = np.tile([np.nan, np.inf, -np.inf, -0.0, 5e-324], 10_000)
    assert unpack(pack(values)).tobytes() == values.tobytes()


def test_a_pass_over_a_hundred_columns_of_126_bins_is_below_a_mebibyte_per_worker():
    rng, n = np.random.default_rng(0), 4 * 100 * 126  # four members
    # Five million rows per worker, in bins of about the same weight.
    residuals, masses = rng.normal(size=n) * 80, rng.uniform(0.8, 1.2, size=n) * 7.5e3
    sums = np.asfortranarray(np.rint(np.stack([residuals, masses], axis=1) * 2.0**20).astype(np.int64))
    scores = np.rint(rng.normal(size=n) * 0.1 * 2.0**20) / 2.0**20
    variances = np.rint(rng.random(n // 4) * 0.01 * 2.0**20) / 2.0**20
    # A client sends to the scheduler, and the scheduler to two workers; sums of both take two steps each.
    assert 3 * n_bytes([scores, variances]) / 2 + 4 * n_bytes(sums) / 2 < 2**20


def test_many_small_arrays_are_sent_in_few_bytes():
    places = [np.arange(126, dtype=np.uint16) for _ in range(100)]
    assert n_bytes(places) < 4000
    assert all((own == np.arange(126)).all() and own.flags.writeable for own in unpack(pack(places)))


def test_the_largest_integers_come_back():
    extremes = np.tile([-(2**63), 2**63 - 1, -1, 0, 1], 10_000)
    assert (unpack(pack(extremes)) == extremes).all()


def test_noise_is_sent_as_it_is():
    noise = np.frombuffer(np.random.default_rng(0).bytes(100_000), dtype=np.uint8)
    assert n_bytes(noise) < 100_000 + 500
