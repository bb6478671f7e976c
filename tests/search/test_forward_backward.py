"""Phases in turn: as long as one of them improves on the one before."""

from types import SimpleNamespace

import pytest

from bayesieve.search import forward_backward
from bayesieve.search.forward_backward import Alternating
from bayesieve.search.space import Stopping


def visit(worth):
    return SimpleNamespace(worth=lambda price: worth)


@pytest.mark.parametrize(
    ("worths", "n_phases"),
    [
        ([(1.0, -2), (1.0, -2), (9.0, -1)], 2),
        ([(1.0, -2), (0.5, -2), (9.0, -1)], 2),
        ([(1.0, -3), (2.0, -3), (3.0, -3), (3.0, -2), (3.0, -2), (9.0, -1)], 5),
    ],
)
def test_phases_alternate_while_the_result_improves(monkeypatch, worths, n_phases):
    order, left = [], iter(worths)
    state = SimpleNamespace(
        n_locked=0, n_columns=4, best_of_phase=lambda price: visit(next(left)), return_to=lambda best: None
    )
    monkeypatch.setattr(forward_backward, "reach_sizes", lambda state, stopping: order.append("sizes"))
    phases = [lambda state, stopping, name=name: order.append(name) for name in ("forward", "backward")]
    Alternating(*phases)(state, Stopping(1, 2))
    assert order == [*(["forward", "backward"] * 3)[:n_phases], "sizes"]
