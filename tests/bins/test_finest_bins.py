"""Elementary bins against the rule written as a loop."""

import numpy as np
import pytest
from draws import draws

from bayesieve.bins import FinestBins, Groups, Intervals, Summary
from bayesieve.bins.finest_bins import slot_cuts
from bayesieve.bins.summary import weigh_labels


def cuts_by_loop(mass, n_slots):
    """Cut after a heavy value, before one, and from both ends when a part has its share of the light ones."""
    n = len(mass)
    if n <= n_slots:
        return list(range(1, n))
    heavy = np.zeros(n, dtype=bool)
    while True:
        rest, left = mass[~heavy].sum(), n_slots - heavy.sum()
        if left <= 1 or rest == 0 or not (new := ~heavy & (mass >= rest / left)).any():
            break
        heavy |= new
    share = max(1, mass[~heavy].sum()) / max(1, n_slots - heavy.sum())
    cuts, first = set(), 0
    for end in [*np.flatnonzero(heavy), n]:
        cuts |= {end, end + 1}
        low, high = first, end
        while True:
            left = next((i for i in range(low, high + 1) if mass[low:i].sum() >= share), None)
            right = next((i for i in range(high, low - 1, -1) if mass[i:high].sum() >= share), None)
            if left is None or left > right:
                break
            cuts |= {left, right}
            low, high = left, right
        first = end + 1
    return sorted(cut for cut in cuts if 0 < cut < n)


def test_slots_against_the_loop():
    for seed in range(draws(80, 200)):
        rng = np.random.default_rng(seed)
        n, n_slots = int(rng.integers(1, 120)), int(rng.integers(2, 20))
        mass = rng.integers(1, 5, size=n) * np.where(rng.random(n) < 0.1, rng.integers(1, 400), 1)
        assert slot_cuts(mass, n_slots).tolist() == cuts_by_loop(mass, n_slots), seed


def test_a_spike_leaves_the_tail_its_bins():
    mass = np.append(9200, np.ones(800, dtype=np.int64))
    cuts = slot_cuts(mass, 128)
    assert cuts[0] == 1
    assert 100 <= len(cuts) <= 127


def test_numbers_and_labels():
    counts = np.array([[3, 0], [0, 2], [1, 1], [0, 0]])
    numbers = FinestBins().learn(Summary("a", np.array([1.0, 2.0, 4.0]), counts, 1.0))
    assert isinstance(numbers, Intervals)
    assert numbers.bounds.tolist() == [1.5, 3.0]
    assert not numbers.missing
    counts = np.array([[1, 0], [5, 5], [0, 1], [2, 0], [0, 4]])
    labels = FinestBins(n_labels=2).learn(Summary("b", ("p", "q", "r", "s"), counts, 1.0))
    assert labels == Groups((("q",), ("s",), ("p", "r")), missing=True)


def test_only_missing_values():
    summary = Summary("a", np.array([1.0]), np.array([[0, 0], [2, 3]]), 1.0)
    assert FinestBins().learn(summary).n_bins == 1


@pytest.mark.parametrize(("few", "n_rows", "n_bins"), [(9, 800, 1), (10, 800, 2), (1, 50, 2), (12, 10_000, 1)])
def test_a_column_that_hardly_varies_is_one_part(few, n_rows, n_bins):
    counts = np.array([[n_rows - few, 0], [0, few], [0, 0]])
    assert FinestBins().learn(Summary("a", np.array([0.0, 1.0]), counts, 1.0)).n_bins == n_bins


def draw_summary(rng, n_rows):
    """Return numbers or labels, some of which do not occur, with or without missing values; some hardly vary."""
    n_labels = int(rng.choice([1, 2, 3, 20, 64, 65, 150]))
    shares = rng.dirichlet(np.ones(n_labels + 1)) if rng.random() < 0.6 else np.eye(n_labels + 1)[0]
    shares = np.where(rng.random(n_labels + 1) < 0.2, 0.0, shares) + 1e-3 * (np.arange(n_labels + 1) < 2)
    if rng.random() < 0.5:
        shares[-1] = 0.0
    mass = rng.multinomial(n_rows, shares / shares.sum())
    first = rng.binomial(mass, 0.3)
    labels = np.sort(rng.choice(1000, n_labels, replace=False)).astype(float)
    given = labels if rng.random() < 0.7 else tuple(f"{x:.0f}" for x in labels)
    return Summary("a", given, np.column_stack([first, mass - first]), 1.0)


@pytest.mark.parametrize("seed", range(draws(16, 40)))
def test_columns_learned_together_against_the_loop(seed):
    rng = np.random.default_rng(seed)
    n_rows = int(rng.choice([30, 800, 3000]))
    summaries = [draw_summary(rng, n_rows) for _ in range(25)]
    offsets = np.cumsum([0, *(len(summary.counts) for summary in summaries)])
    weights = weigh_labels(np.concatenate([each.counts for each in summaries]), offsets)
    left_whole = FinestBins().has_single_bin(weights, 1.0)
    learned = FinestBins().learn_all(summaries)
    for summary, partition, is_whole in zip(summaries, learned, left_whole, strict=True):
        few = n_rows - summary.weights.max()
        assert is_whole == (few < min(n_rows / 64, np.log2(n_rows)))
        if is_whole:
            assert partition.n_bins == 1
        elif isinstance(partition, Intervals):
            occurs = summary.mass > 0
            distinct, room = summary.labels[occurs], min(128, max(64, n_rows // 16))
            cuts = cuts_by_loop(summary.mass[occurs], room)
            assert partition.n_bins == len(cuts) + 1 + summary.missing
            for bound, cut in zip(partition.bounds, cuts, strict=True):
                assert distinct[cut - 1] <= bound < distinct[cut]
        else:
            assert not isinstance(summary.labels, np.ndarray) or not summary.mass.any()
