"""Class ties are never counted as correct, even if a search can make many of them."""

import numpy as np
import pytest

from bayesieve.papers.paper_004.problem import Problem, Sample
from bayesieve.papers.paper_004.wrappers import Wrapper

N = 60  # rows of a quarter


def make_trap(seed, near):
    """Return a problem in which some columns cause ties between classes, and others are weakly informative.

    There are twice as many rows of class 0 as of class 1 (and of 2, and of 3). A trap is 1 in all rows of class 1 and
    in half of those of class 0: where it is 1, P(0) P(1|0) = P(1) P(1|1) up to the pseudo-count. With ``near``, one row
    more breaks the tie by a hundredth.
    """
    rng = np.random.default_rng(seed)
    sizes = [2 * N, N, N, N]
    target = np.repeat(np.arange(4), sizes).astype(np.int32)

    def sample():
        columns = []
        for other in (1, 2, 3):
            trap = (target == other).astype(np.uint8)
            half = rng.permutation(np.flatnonzero(target == 0))[: N + near]
            trap[half] = 1
            columns.append(trap)
        hints = [(target == c) ^ (rng.random(len(target)) < 0.35) for c in range(4)]
        columns += [hint.astype(np.uint8) for hint in hints for _ in range(2)]  # each twice
        return Sample(np.column_stack(columns), target)

    names = tuple(f"trap{c}" for c in (1, 2, 3)) + tuple(f"hint{c}{k}" for c in range(4) for k in range(2))
    return Problem(names, sample(), sample(), sample())


def evidence(problem, sample, columns):
    """Return log P(c) + sum of log P(x|c), recomputed from the rows of half A."""
    train = problem.train
    n = np.bincount(train.target)
    pseudo = 1 / (len(train.target) + 1)
    scores = np.tile(np.log(n / n.sum()), (len(sample.target), 1))
    for j in columns:
        for c in range(4):
            ones = train.indicators[train.target == c, j].sum()
            frequencies = (np.array([n[c] - ones, ones]) + pseudo) / (n[c] + 2 * pseudo)
            scores[:, c] += np.log(frequencies[sample.indicators[:, j]])
    return scores


def generous(scores, target, tolerance=0.02):
    """Count as errors only clear defeats: the rule that lets a search exploit ties."""
    own = scores[np.arange(len(target)), target]
    return int((own < scores.max(axis=1) - tolerance).sum())


def subsets(trace):
    inside = list(trace.start)
    yield tuple(inside)
    for column, sign in trace.moves:
        inside = [*inside, column] if sign > 0 else [j for j in inside if j != column]
        yield tuple(inside)


@pytest.mark.parametrize("near", [0, 1])
@pytest.mark.parametrize("search", ["forward", "backward", "forward-backward", "backward-forward"])
@pytest.mark.parametrize("seed", range(3))
def test_searches_cannot_exploit_ties(seed, search, near):
    problem = make_trap(seed, near)
    sample = problem.validation
    traces = Wrapper(problem, "error").run(search)
    optimism = n_recounted = 0
    for trace in traces:
        for columns, wrong in zip(subsets(trace), trace.wrong_b, strict=True):
            scores = evidence(problem, sample, columns)
            *_, second, first = np.sort(scores, axis=1).T
            if (first - second > 1e-9).all():  # ties are near and not exact: floats can tell
                assert wrong == (scores.argmax(axis=1) != sample.target).sum()
                n_recounted += 1
            assert wrong >= generous(scores, sample.target)
            optimism = max(optimism, wrong - generous(scores, sample.target))
    assert optimism > N / 2  # the trap is there: another rule would have reported far fewer errors
    assert n_recounted > 2
    choice = traces[-1].choose()
    assert choice.wrong_b == min(wrong for trace in traces for wrong in trace.wrong_b)


@pytest.mark.filterwarnings("ignore::bayesieve.exceptions.NothingSelectedWarning")
def test_a_tie_goes_to_the_first_class():
    """Two classes of equal size, and a column with equal tables: every row is a tie, and class 0 is predicted."""
    target = np.repeat([0, 1, 2, 3], 20).astype(np.int32)
    column = np.tile([0, 1], 40).astype(np.uint8)[:, None]
    sample = Sample(column, target)
    (trace,) = Wrapper(Problem(("even",), sample, sample, sample), "error").run("forward")
    assert trace.wrong_b == (60, 60)
    assert trace.choose().columns == ()
