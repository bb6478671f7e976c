"""Random partitions, and documents with something changed, for tests of what files hold."""

import copy
import hashlib
import json
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal

import numpy as np
from hypothesis import strategies as st

from bayesieve.bins import Groups, Intervals, PartitionCost
from bayesieve.data import Scale

finite = st.floats(allow_nan=False, allow_infinity=False)
zones = st.sampled_from([None, UTC, timezone(timedelta(hours=-3, minutes=-30))])
labels = st.one_of(
    st.text(max_size=6),
    st.text(st.characters(), max_size=3),  # surrogates too
    st.integers(),
    st.floats(allow_nan=False),
    st.booleans(),
    st.binary(max_size=4),
    st.dates(),
    st.datetimes(timezones=zones).map(lambda moment: moment.replace(fold=0)),  # equal whatever the fold is
    st.times().map(lambda moment: moment.replace(fold=0)),
    st.timedeltas(),
    st.decimals(allow_nan=False),
    st.sampled_from([np.str_("x"), np.int64(7), np.float64(-0.0), np.bool_(True), np.bytes_(b"z")]),
)
costs = st.none() | st.builds(PartitionCost, finite, finite, finite)
levels = st.none() | st.floats(0, 1)


@st.composite
def partitions(draw):
    """Draw intervals or groups, with everything that they may have."""
    missing = draw(st.booleans())
    if draw(st.booleans()):
        bounds = np.array(sorted(draw(st.sets(finite, max_size=5))))
        special = tuple(draw(st.sets(finite, max_size=2)))
        n_bins = len(bounds) + 1 + len(special) + missing
        joined = draw(st.none() | st.integers(0, len(bounds)))
        scale = draw(st.sampled_from(Scale))
        return Intervals(bounds, missing, joined, special, scale, *draw(measures(n_bins)))
    values = draw(st.lists(labels, max_size=6, unique_by=lambda label: (label, hash(label))))
    groups = _grouped(values, draw(st.lists(st.integers(1, 3), min_size=6, max_size=6)))
    place = st.none() | st.integers(0, len(groups) - 1) if groups else st.none()
    # Labels of dates are dates; only numbers stand for something else.
    return Groups(groups, missing, draw(place), draw(place), Scale.numeric, *draw(measures(len(groups) + missing)))


def _grouped(values, sizes):
    groups, rest = [], list(values)
    for size in sizes:
        if rest:
            groups.append(tuple(rest[:size]))
            rest = rest[size:]
    return tuple(groups)


@st.composite
def measures(draw, n_bins):
    """Draw counts, level and cost."""
    n_classes = draw(st.integers(1, 3))
    cells = draw(st.sampled_from([st.integers(0, 2**62), st.floats(0, 1e300)]))
    drawn = draw(st.lists(cells, min_size=n_bins * n_classes, max_size=n_bins * n_classes))
    counts = np.array(drawn, dtype=np.int64 if drawn and isinstance(drawn[0], int) else np.float64)
    return draw(st.sampled_from([None, counts.reshape(n_bins, n_classes)])), draw(levels), draw(costs)


STRANGE = (None, True, -1, 0, 1, 2**70, 0.5, -0.0, "", "x", "2020-01-01", [], [1], [[0]], {}, {"a": 1}, {"date": "x"})


def mutate(document, rng, n_changes=1):
    """Return a copy of a document in which entries were deleted, repeated or replaced."""
    changed = copy.deepcopy(document)
    for _ in range(n_changes):
        holders = [each for each in _containers(changed) if each]
        if not holders:
            break
        holder = holders[rng.integers(len(holders))]
        key = list(holder)[rng.integers(len(holder))] if isinstance(holder, dict) else int(rng.integers(len(holder)))
        action = rng.choice(["delete", "replace", "replace", "add", "nudge"])
        if action == "delete":
            del holder[key]
        elif action == "add" and isinstance(holder, dict):
            holder[str(rng.choice(["extra", "kind", "missing"]))] = STRANGE[rng.integers(len(STRANGE))]
        elif action == "add":
            holder.insert(key, copy.deepcopy(holder[key]))
        elif action == "nudge" and type(holder[key]) in (int, float):
            holder[key] += [-1, 1, 0.5][rng.integers(3)]
        else:
            holder[key] = copy.deepcopy(STRANGE[rng.integers(len(STRANGE))])
    return changed


def signed(document):
    """Return the bytes of a document with the checksum of what it holds now."""
    content = {key: value for key, value in document.items() if key != "checksum"}
    canonical = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
    return json.dumps({**content, "checksum": "sha256:" + hashlib.sha256(canonical).hexdigest()}).encode()


def _containers(value):
    if isinstance(value, dict | list):
        yield value
        for each in value.values() if isinstance(value, dict) else value:
            yield from _containers(each)


EXAMPLES = (
    "text", "", "\ud800", "\ud83d\ude00", "ü\0", 0, -1, 10**30, 10**5000, 0.1, -0.0, 1e308, 5e-324, float("inf"), True,
    b"\xff", date(1, 1, 1), datetime(2020, 2, 29, 1, 2, 3, 4), datetime(2020, 1, 1, tzinfo=UTC), time(23, 59, 59, 1),
    timedelta(-1, 3, 5), Decimal("1.50"), Decimal("Infinity"),
)  # fmt: skip
