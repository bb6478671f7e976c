"""Costs that Khiops printed in its reports, to every printed digit.

Iris: a sample of 105 rows, 4 attributes. Adult: a sample of 34,291 rows, 15 attributes. The granularity is not in the
reports; it is the one that gives the printed preparation cost.
"""

import numpy as np
import pytest

from bayesieve.bins.modl.code_lengths import to_nats
from bayesieve.bins.modl.criterion import GroupShape, KhiopsPrior, group_cost, interval_cost, level

IRIS, ADULT = 4, 15

INTERVALS = {
    "PetalWidth": (IRIS, "38,0,0 / 0,31,2 / 0,1,33", 4, ("28.4221", "9.79546", "0.663031")),
    "PetalLength": (IRIS, "38,1,0 / 0,26,0 / 0,5,9 / 0,0,26", 3, ("31.9046", "11.2655", "0.621617")),
    "education_num": (
        ADULT,
        "4227,255 / 9350,1752 / 6207,1438 / 1919,667 / 3308,2337 / 842,1000 / 264,725",
        5,
        ("78.8343", "16635.5", "0.112569"),
    ),
    "hours_per_week": (
        ADULT,
        "5519,406 / 1967,362 / 12595,3344 / 2123,1137 / 3201,2515 / 712,410",
        5,
        ("69.0858", "17414.5", "0.0717333"),
    ),
}
GROUPS = {
    "sex": ("15937,6944 / 10180,1230", GroupShape(2, 2, 0, 1), ("20.8234", "17935.5", "0.0466409")),
    "relationship": (
        "8433,6949 / 7982,886 / 5269,79 / 3394,227 / 1039,33",
        GroupShape(6, 5, 0, 5),
        ("53.9185", "14859.9", "0.208145"),
    ),
    "marital_status": (
        "8650,6986 / 11896,579 / 5571,609",
        GroupShape(7, 3, 0, 7),
        ("39.2070", "15068.3", "0.197864"),
    ),
    "native_country": (
        "24334,7822 / 1317,90 / 466,262",
        GroupShape(40, 3, 0, 12),
        ("73.6660", "18638.4", "0.0065218"),
    ),
}


def read(table):
    return np.array([[int(count) for count in part.split(",")] for part in table.split("/")])


def check(cost, null, expected):
    for value, reported in zip(
        (to_nats(cost.preparation), to_nats(cost.data), level(cost.total, null.total)), expected, strict=True
    ):
        decimals = len(reported.partition(".")[2])
        assert f"{value:.{decimals}f}" == reported


@pytest.mark.parametrize("name", INTERVALS)
def test_intervals(name):
    n_attributes, table, granularity, expected = INTERVALS[name]
    counts, prior = read(table), KhiopsPrior(n_attributes)
    null = interval_cost(counts.sum(axis=0, keepdims=True), 1.0, prior)
    check(interval_cost(counts, 1.0, prior, granularity), null, expected)


@pytest.mark.parametrize("name", GROUPS)
def test_groups(name):
    table, shape, expected = GROUPS[name]
    counts, prior = read(table), KhiopsPrior(ADULT)
    null = interval_cost(counts.sum(axis=0, keepdims=True), 1.0, prior)
    cost = group_cost(counts, 1.0, prior, shape)
    check(cost, null, expected)
    assert f"{to_nats(cost.construction):.5g}" == "3.4012"


@pytest.mark.parametrize(
    ("counts", "expected"),
    [([38, 32, 35], ("0.693147", "8.64312", "110.25")), ([26117, 8174], ("0.693147", "10.4427", "18827.2"))],
)
def test_null_models(counts, expected):
    null = interval_cost(np.array([counts]), 1.0, KhiopsPrior(7))
    assert tuple(f"{to_nats(c):.6g}" for c in (null.construction, null.preparation, null.data)) == expected
    assert level(null.total, null.total) == 0.0
