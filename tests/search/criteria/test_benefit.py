"""The regret of a row by hand: the best benefit of its class minus that of the action that is expected to pay."""

from types import SimpleNamespace

import numpy as np

from bayesieve.search.criteria.benefit import Benefit

LETTER = [[0.0, 0.0], [-1.0, 5.0]]  # no letter, a letter; without and with an answer
PREDICTED = SimpleNamespace(probabilities=np.array([[0.5, 0.5, 0.9, 0.9], [0.5, 0.5, 0.1, 0.1]]))
TARGET = np.array([0, 1, 0, 1], dtype=np.int32)


def regrets(benefits, rows=slice(None)):
    predicted = SimpleNamespace(probabilities=PREDICTED.probabilities[:, rows])
    return (Benefit(np.array(benefits)).losses(predicted, TARGET[rows]) / 2.0**40).tolist()


def test_one_matrix_for_all_rows():
    assert regrets([LETTER]) == [1.0, 0.0, 0.0, 5.0]


def test_a_matrix_per_row():
    dear = [[0.0, 0.0], [-8.0, 5.0]]
    assert regrets([LETTER, dear, LETTER, LETTER]) == [1.0, 5.0, 0.0, 5.0]
    assert regrets([LETTER, dear], slice(2)) == [1.0, 5.0]
    small = [[0.0, 0.0], [-8.0, 2.0]]  # what the second row could have had is its own
    assert regrets([LETTER, small], slice(2)) == [1.0, 2.0]
