"""One criterion guides a search, another chooses: against a loop over subsets that knows nothing of the engine."""

import numpy as np
import pytest
from papers.small_problem import make_small

from bayesieve import NaiveBayesSelector

OTHER = {"forward": "backward", "backward": "forward"}


def losses(problem, columns):
    """Return the number of errors on half B and the sum of the probabilities of wrong classes, by plain counts."""
    train, new = problem.train, problem.validation
    classes = np.unique(train.target)
    n = len(train.target)
    logs = np.tile(np.log([(train.target == c).mean() for c in classes]), (len(new.target), 1))
    for j in columns:
        for k, c in enumerate(classes):
            inside = train.indicators[train.target == c, j]
            for value in (0, 1):
                share = ((inside == value).sum() + 1 / (n + 1)) / (len(inside) + 2 / (n + 1))
                logs[new.indicators[:, j] == value, k] += np.log(share)
    p = np.exp(logs - logs.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    wrong = (classes[logs.argmax(axis=1)] != new.target).sum()
    return int(wrong), float(1 - p[np.arange(len(p)), np.searchsorted(classes, new.target)].mean())


def brute(problem, search):
    """Alternate complete phases by probability; choose the smallest subset of the fewest errors in each."""
    everything = range(problem.n_columns)
    first, *second = search.split("-")
    best = tuple(everything) if first == "backward" else ()
    direction, reached = first, None
    while True:
        subset, visited = best, [best]
        while len(subset) < problem.n_columns if direction == "forward" else subset:
            moves = [(*subset, j) for j in everything if j not in subset]
            if direction == "backward":
                left_out = sorted(subset, reverse=True)  # the last one is removed on ties
                moves = [tuple(j for j in subset if j != left) for left in left_out]
            subset = min(moves, key=lambda each: round(losses(problem, each)[1], 10))
            visited.append(subset)
        choice = min(visited, key=lambda each: (losses(problem, each)[0], len(each)))
        loss = losses(problem, choice)[0], len(choice)
        if not second or (reached is not None and loss >= reached):
            return choice if reached is None or loss < reached else best
        best, reached, direction = choice, loss, OTHER[direction]


@pytest.mark.parametrize("search", ["forward", "backward", "forward-backward", "backward-forward"])
@pytest.mark.parametrize("seed", range(2))
def test_the_smallest_subset_of_the_lowest_error_is_chosen_in_every_phase(search, seed):
    problem = make_small(seed, n_columns=6)
    selector = NaiveBayesSelector(search, "error_probability", choose_by="error", tol=None, discretizer=None)
    train, new = problem.train, problem.validation
    selector.fit(train.indicators, train.target, X_val=new.indicators, y_val=new.target)
    assert set(np.flatnonzero(selector.support_)) == set(brute(problem, search))
    visits = list(selector.path_.visits())
    for visit in visits[:: max(1, len(visits) // 5)]:
        columns = [selector.column_names_.index(name) for name in visit.columns]
        wrong, probability = losses(problem, columns)
        assert visit.choice == pytest.approx(-wrong / len(new.target))
        assert visit.score == pytest.approx(-probability, abs=1e-9)


def test_sizes_and_standard_errors_are_those_of_the_choice():
    problem = make_small(3, n_columns=8)
    X, y = problem.train.indicators, problem.train.target
    selector = NaiveBayesSelector(criterion="log_loss", choose_by="error", tol=None, discretizer=None, cv=4).fit(X, y)
    best = max(selector.path_.visits(), key=lambda visit: visit.choice)
    for size, visit in selector.path_.best_by_size().items():
        assert selector.select(size).n_features_ == size
        assert visit.choice == pytest.approx(np.mean(visit.choice_splits))
    one_se = NaiveBayesSelector(criterion="log_loss", choose_by="error", tol=None, discretizer=None, cv=4, one_se=True)
    smaller = one_se.fit(X, y)
    assert smaller.n_features_ <= selector.n_features_
    spread = np.std(best.choice_splits, ddof=1) / 2
    assert smaller.path_.of_size(smaller.n_features_).choice >= best.choice - spread - 1e-12
