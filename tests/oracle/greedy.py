"""Searches written again, as loops over subsets, to hold the library's against.

``Rules`` repeats the rules in words: an addition must raise the score by more than the price of its columns, a removal
may lower it by at most that price; of equal additions the first unit wins, of equal removals the last.
"""

from dataclasses import dataclass, field
from random import Random


@dataclass(frozen=True)
class Rules:
    """What a search may do; ``units`` are tuples of columns, ``score`` scores a collection of columns."""

    score: object
    units: list
    smallest: int
    largest: int
    forced: bool = False
    tol: float | None = 0.0
    locked: frozenset = frozenset()
    n_starts: int = 1
    seed: int = 0
    beam_width: int = 5
    memory: dict = field(default_factory=dict)

    def value(self, chosen):
        columns = frozenset(self.columns(chosen))
        if columns not in self.memory:
            self.memory[columns] = self.score(sorted(columns))
        return self.memory[columns]

    def columns(self, chosen):
        return [j for u in chosen for j in self.units[u]]

    def size(self, chosen):
        return len(self.columns(chosen))

    def worth(self, chosen):
        return self.value(chosen) - (self.tol or 0.0) * self.size(chosen)


def best_added(rules, chosen, largest):
    """Return the subset after the best addition, None if none fits."""
    best = None
    for u in range(len(rules.units)):
        if u in chosen or rules.size([*chosen, u]) > largest:
            continue
        candidate = [*chosen, u]
        if best is None or rules.value(candidate) > rules.value(best):
            best = candidate
    return best


def best_removed(rules, chosen, smallest):
    """Return the subset after the best removal, None if none fits."""
    best = None
    for u in sorted(chosen):
        candidate = [v for v in chosen if v != u]
        if u in rules.locked or rules.size(candidate) < smallest:
            continue
        if best is None or rules.value(candidate) >= rules.value(best):
            best = candidate
    return best


def forward(rules, chosen, smallest=None, largest=None, forced=None):
    """Return the subsets of a forward search, the first included."""
    smallest, largest, forced = _bounds(rules, smallest, largest, forced)
    visited = [chosen]
    while (candidate := best_added(rules, visited[-1], largest)) is not None:
        n_new = rules.size(candidate) - rules.size(visited[-1])
        gain = rules.value(candidate) - rules.value(visited[-1])
        pays = rules.tol is None or gain > rules.tol * n_new
        if not (forced or rules.size(visited[-1]) < smallest or pays):
            break
        visited.append(candidate)
    return visited


def backward(rules, chosen, smallest=None, largest=None, forced=None):
    """Return the subsets of a backward search, the first included."""
    smallest, largest, forced = _bounds(rules, smallest, largest, forced)
    visited = [chosen]
    while (candidate := best_removed(rules, visited[-1], smallest)) is not None:
        n_gone = rules.size(visited[-1]) - rules.size(candidate)
        loss = rules.value(visited[-1]) - rules.value(candidate)
        harmless = rules.tol is None or loss <= rules.tol * n_gone
        if not (forced or rules.size(visited[-1]) > largest or harmless):
            break
        visited.append(candidate)
    return visited


def alternating(first, second):
    """Return a search of whole phases, each from the best subset of the one before, while they improve."""

    def run(rules, chosen):
        n_locked, n_columns = rules.size(rules.locked), rules.size(range(len(rules.units)))
        visited, turn, last = [], 0, None
        while True:
            phase = (first, second)[turn % 2](rules, chosen, n_locked, n_columns, False)
            visited += phase
            chosen = choose(rules, phase)
            reached = (rules.worth(chosen), -rules.size(chosen))
            if last is not None and reached <= last:
                break
            last, turn = reached, turn + 1
        if rules.size(chosen) < rules.smallest:
            visited += forward(rules, chosen)
        elif rules.size(chosen) > rules.largest:
            visited += backward(rules, chosen)
        return visited

    return run


def floating(rules, chosen):
    """Return the subsets of sequential floating forward selection."""
    visited, record = [chosen], {rules.size(chosen): rules.value(chosen)}
    while (candidate := best_added(rules, visited[-1], rules.largest)) is not None:
        n_new = rules.size(candidate) - rules.size(visited[-1])
        gain = rules.value(candidate) - rules.value(visited[-1])
        small = rules.size(visited[-1]) < rules.smallest
        if not (rules.forced or small or rules.tol is None or gain > rules.tol * n_new):
            break
        visited.append(candidate)
        _note(record, rules, candidate)
        while (smaller := best_removed(rules, visited[-1], rules.size(rules.locked))) is not None:
            if rules.size(smaller) in record and rules.value(smaller) <= record[rules.size(smaller)]:
                break
            visited.append(smaller)
            _note(record, rules, smaller)
    return visited


def fast_forward_backward(rules, chosen):
    """Return the subsets of passes in random order, from every start, and of the way to the sizes wanted."""
    random, visited = Random(rules.seed), []
    for _ in range(rules.n_starts):
        visited.append(list(chosen))
        for _ in range(5):
            before = visited[-1]
            for u in _shuffled(random, len(rules.units)):
                _take_if_it_pays(rules, visited, [*visited[-1], u], u not in visited[-1])
            for u in _shuffled(random, len(rules.units)):
                free = u in visited[-1] and u not in rules.locked
                _take_if_it_pays(rules, visited, [v for v in visited[-1] if v != u], free)
            if visited[-1] == before:
                break
    best = choose(rules, visited)
    if rules.size(best) < rules.smallest:
        visited += forward(rules, best)
    elif rules.size(best) > rules.largest:
        visited += backward(rules, best)
    return visited


def beam(rules, chosen):
    """Return the subsets of a beam search; one that does not extend the last one is preceded by its parent."""
    visited, front = [list(chosen)], [list(chosen)]
    while True:
        level = {}
        for parent in front:
            for u in range(len(rules.units)):
                child = [*parent, u]
                if u not in parent and rules.size(child) <= rules.largest:
                    level.setdefault(frozenset(child), (parent, child))
        kept = sorted(level.values(), key=lambda pair: -rules.worth(pair[1]))[: rules.beam_width]
        if not kept:
            return visited
        gain = rules.value(kept[0][1]) - rules.value(front[0])
        n_new = rules.size(kept[0][1]) - rules.size(front[0])
        small = rules.size(front[0]) < rules.smallest
        if not (rules.forced or small or rules.tol is None or gain > rules.tol * n_new):
            return visited
        here = front[-1]
        for parent, child in kept:
            visited += [child] if parent == here else [parent, child]
            here = child
        front = [child for _, child in kept]


def _shuffled(random, n):
    keys = [random.random() for _ in range(n)]
    return sorted(range(n), key=lambda u: keys[u])


def _take_if_it_pays(rules, visited, there, allowed):
    here = visited[-1]
    n_new = rules.size(there) - rules.size(here)
    if not allowed or (n_new > 0 and rules.size(there) > rules.largest):
        return
    if rules.value(there) - rules.value(here) > (rules.tol or 0.0) * n_new:
        visited.append(there)


def choose(rules, visited):
    """Return the subset of greatest worth; of those the smallest, then the earliest."""
    best = visited[0]
    for chosen in visited[1:]:
        if (rules.worth(chosen), -rules.size(chosen)) > (rules.worth(best), -rules.size(best)):
            best = chosen
    return best


def _note(record, rules, chosen):
    size = rules.size(chosen)
    record[size] = max(rules.value(chosen), record.get(size, rules.value(chosen)))


def _bounds(rules, smallest, largest, forced):
    if smallest is None:
        return rules.smallest, rules.largest, rules.forced
    return smallest, largest, forced


SEARCHES = {
    "forward": forward,
    "backward": backward,
    "forward-backward": alternating(forward, backward),
    "backward-forward": alternating(backward, forward),
    "floating": floating,
    "beam": beam,
    "fast-forward-backward": fast_forward_backward,
}
