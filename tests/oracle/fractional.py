"""Fractional weights written again as loops, the objective recomputed from raw rows for every weight vector."""

import math
from random import Random

from oracle import brute_force

STRENGTH, EXPONENT = 0.1, 0.95


def objective(case, weights, costs, null_cost, n_rows):
    """Return prior plus rows in nats; ``weights`` has an entry for each column."""
    return STRENGTH * prior(weights, costs, null_cost) + data_cost(case, weights, n_rows)


def prior(weights, costs, null_cost):
    """Return what the weights cost, before its strength."""
    total = math.log(2) + sum(b * w**EXPONENT for b, w in zip(costs, weights, strict=True) if w)
    if not any(weights):
        return total + null_cost
    ceiling = math.ceil(sum(weights))
    return total + universal(ceiling) - math.log(math.factorial(ceiling))


def universal(n):
    """Return Rissanen's code length of n >= 1, in nats."""
    bits, x = 0.0, math.log2(n)
    while x > 0:
        bits, x = bits + x, math.log2(x)
    return math.log(2.86511) + math.log(2) * bits


def data_cost(case, weights, n_rows):
    """Return the sum over rows of -log p~, from raw rows."""
    (rows,) = brute_force.believed(case, {j: w for j, w in enumerate(weights) if w})
    total = 0.0
    for scores, c, weight in rows:
        p = brute_force.posterior(scores)[c]
        total -= weight * case.unit * math.log((n_rows * p + 0.5 / case.n_classes) / (n_rows + 0.5))
    return total


def descend(case, costs, null_cost, n_rows, order, seed):
    """Return the weights and every objective on the way."""
    weights, random = [0.0] * len(costs), Random(seed)
    trace = [objective(case, weights, costs, null_cost, n_rows)]
    tolerance = 0.01 * (1 + abs(trace[0])) / (1 + n_rows)
    step, now = 1.0, list(order)
    for _ in range(math.ceil(math.log2(n_rows + 1))):
        for _ in range(2):
            before = trace[-1]
            for sign in (1, -1):
                for k in now:
                    changed = list(weights)
                    changed[k] = min(1.0, max(0.0, weights[k] + sign * step))
                    if changed == weights or (sign < 0 and not weights[k]):
                        continue
                    found = objective(case, changed, costs, null_cost, n_rows)
                    if found < trace[-1] - sign * tolerance:
                        weights = changed
                        trace.append(found)
                keys = [random.random() for _ in order]
                now = [order[i] for i in sorted(range(len(order)), key=lambda i: keys[i])]
            if not before - trace[-1] > tolerance:
                break
        step /= 2
    return weights, trace
