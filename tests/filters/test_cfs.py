"""Correlation-based selection against its definition."""

import numpy as np
import pytest
from filters.brute_filters import best_first, merit, su
from filters.filter_cases import random_rows, tables_of

from bayesieve.filters import select_by_correlation


def test_equals_the_definition():
    rng = np.random.default_rng(0)
    n_added = 0
    for _ in range(60):
        rows, columns, weights, target = random_rows(rng, n_columns=5, largest=4)
        found = select_by_correlation(rows, tables_of(rows))
        searched = best_first(weights, columns, target)
        assert found.columns[: found.n_searched] == searched
        inside = list(searched)
        relevance = [su(weights, x, target) for x in columns]
        for j in sorted(range(5), key=lambda j: (-found.relevance[j], j)):
            near = [su(weights, columns[i], columns[j]) for i in inside]
            if j not in inside and relevance[j] > 1e-12 and all(each <= relevance[j] + 1e-12 for each in near):
                inside.append(j)
        assert found.columns == tuple(inside)
        n_added += len(inside) > len(searched)
        for k, value in enumerate(found.merits, 1):
            assert value == pytest.approx(merit(weights, [columns[j] for j in found.columns[:k]], target), abs=1e-9)
    assert n_added > 0


def test_columns_that_stay():
    rows, _, _, _ = random_rows(np.random.default_rng(1), n_columns=5)
    assert select_by_correlation(rows, tables_of(rows), start=[4, 2]).columns[:2] == (4, 2)
