"""The filters by their definitions, row by row: weights are counted with Counter, entropies with math.log."""

import math
from collections import Counter


def entropy(weights, *columns):
    mass = Counter()
    for key, weight in zip(zip(*columns, strict=True), weights, strict=True):
        mass[key] += weight
    total = sum(weights)
    return -sum(n / total * math.log(n / total) for n in mass.values() if n)


def information(weights, a, b):
    return entropy(weights, a) + entropy(weights, b) - entropy(weights, a, b)


def conditional(weights, a, b, given):
    h = entropy
    return h(weights, a, given) + h(weights, b, given) - h(weights, a, b, given) - h(weights, given)


def pair(a, b):
    return list(zip(a, b, strict=True))


def univariate(name, w, x, y):
    shared, h_x, h_y = information(w, x, y), entropy(w, x), entropy(w, y)
    if name == "mutual_info":
        return shared
    if name == "conditional_entropy":
        return h_y - shared
    if name == "gain_ratio":
        return shared / h_x if h_x > 1e-12 else 0.0
    if name == "symmetric_uncertainty":
        return 2 * shared / (h_x + h_y) if min(h_x, h_y) > 1e-12 else 0.0
    return chi_square(w, x, y)


def chi_square(w, x, y):
    total, result = sum(w), 0.0
    for a in set(x):
        for b in set(y):
            both = sum(n for n, i, j in zip(w, x, y, strict=True) if (i, j) == (a, b))
            rows = sum(n for n, i in zip(w, x, strict=True) if i == a)
            columns = sum(n for n, j in zip(w, y, strict=True) if j == b)
            expected = rows * columns / total
            result += (both - expected) ** 2 / expected if expected else 0.0
    return result


def subset_score(name, w, f, chosen, y, beta=1.0):  # noqa: C901, PLR0911  (a line a filter)
    relevance = information(w, f, y)
    if not chosen:
        return relevance
    redundancy = [information(w, f, s) for s in chosen]
    given_class = [conditional(w, f, s, y) for s in chosen]
    joint = [information(w, pair(f, s), y) for s in chosen]
    lost = [a - b for a, b in zip(redundancy, given_class, strict=True)]
    match name:
        case "mrmr":
            return relevance - sum(redundancy) / len(chosen)
        case "mrmr_ratio":
            return relevance / max(sum(redundancy) / len(chosen), 2.0**-20)
        case "mifs":
            return relevance - beta * sum(redundancy)
        case "jmi":
            return sum(joint)
        case "cmim":
            return min([relevance, *(conditional(w, f, y, s) for s in chosen)])
        case "disr":
            whole = [entropy(w, f, s, y) for s in chosen]
            return sum(a / b if b > 1e-12 else 0.0 for a, b in zip(joint, whole, strict=True))
        case "icap":
            return relevance - sum(max(0.0, each) for each in lost)
        case "cife":
            return relevance - sum(lost)
        case "condred":
            return relevance + sum(given_class)


def su(w, a, b):
    return univariate("symmetric_uncertainty", w, a, b)


def merit(w, columns, y):
    inner = sum(su(w, a, b) for i, a in enumerate(columns) for b in columns[:i])
    return sum(su(w, x, y) for x in columns) / math.sqrt(len(columns) + 2 * inner)


def best_first(w, columns, y):
    """Weka's search, one insertion after the other."""
    best, best_merit, stale = (), 0.0, 0
    waiting = [((), 0.0)]
    while stale < 5 and waiting:
        subset, _ = waiting.pop(0)
        added = False
        for j in range(len(columns)):
            if j in subset:
                continue
            larger = (*subset, j)
            found = merit(w, [columns[i] for i in sorted(larger)], y)
            _insert(waiting, larger, found)
            if found - best_merit > 1e-5:
                best, best_merit, added = larger, found, True
        stale = 0 if added else stale + 1
    return best


def _insert(waiting, subset, found):
    if len(waiting) == 5:
        if found <= waiting[-1][1]:
            return
        waiting.pop()
    at = next((i for i, (_, each) in enumerate(waiting) if found > each), len(waiting))
    waiting.insert(at, (subset, found))


def difference(x, y, n_labels):
    """Two values of a column; ``n_labels`` is None for numbers from 0 to 1."""
    if n_labels is not None:
        return 1 - 1 / n_labels if x is None or y is None else float(x != y)
    if x is None and y is None:
        return 1.0
    if x is None or y is None:
        known = y if x is None else x
        return max(known, 1 - known)
    return abs(x - y)


def relieff(columns, n_labels, y, k, sigma=None):
    """Weka's ReliefF on columns of numbers from 0 to 1, or labels; None is missing."""
    rows, classes = range(len(y)), sorted(set(y))
    share = {c: sum(label == c for label in y) / len(y) for c in classes}
    weights = [0.0] * len(columns)
    for i in rows:
        gaps = {j: [difference(x[i], x[j], n) for x, n in zip(columns, n_labels, strict=True)] for j in rows if j != i}
        for c in classes:
            near = sorted((j for j in gaps if y[j] == c), key=lambda j: (sum(gaps[j]), j))[:k]
            influence = [1.0 if sigma is None else math.exp(-((r / sigma) ** 2)) for r in range(len(near))]
            factor = -1.0 if c == y[i] else share[c] / (1 - share[y[i]]) if len(classes) > 2 else 1.0
            for j, part in zip(near, influence, strict=True):
                for f, gap in enumerate(gaps[j]):
                    weights[f] += factor * part / sum(influence) * gap / len(y)
    return weights
