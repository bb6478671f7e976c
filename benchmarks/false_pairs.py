# SPDX-License-Identifier: BSD-3-Clause
"""How many pairs are found where there are none, or one: ``python -m benchmarks.false_pairs [N_TABLES]``.

Simulated tables of 300, 1,000 and 4,000 rows with the true additive log-odds as the offset: balanced or 5 % positives,
independent or strongly dependent columns; then the same with a product of two columns. Then the same with four classes:
the scores of two of them are those of the second class before, with opposite signs. Weak pairs that are taken together
are counted, too. Then whole fits: of additive tables whose columns are normal, have a spike at 0 or heavy tails, with
two and three classes; and of an exclusive or of two columns among 200, a tenth as many.
"""

import sys
import time

import numpy as np

from bayesieve import ScorecardClassifier
from bayesieve._typing import Floats
from bayesieve.additive.loss import loss_of_classes
from bayesieve.additive.pairs import PairChoice, find_pairs, find_weak_pairs
from bayesieve.additive.rows import PairRows

_COLUMNS = 30


def main() -> None:
    """Print the counts."""
    n_tables = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    for n_classes, effect in ((2, 0.0), (2, 0.8), (4, 0.0), (4, 0.8)):
        begin = time.process_time()
        found = [pairs_of_table(seed, effect, n_classes) for seed in range(n_tables)]
        seconds = time.process_time() - begin
        pairs = [terms for terms, _ in found]
        n_true = sum((0, 3) in terms for terms in pairs)
        n_false = sum(len(terms) for terms in pairs) - (n_true if effect else 0)
        top = max(factor for _, factor in found)
        print(f"{n_classes} classes, product {effect}: {n_tables} tables, true pair in {n_true}, {n_false} others in "
              f"{sum(bool(set(terms) - {(0, 3)}) for terms in pairs)} tables, largest log Bayes factor {top:.1f}, "
              f"{seconds:.1f} processor seconds")  # fmt: skip
    for kind, n_classes, effect in (
        ("normal", 2, 0.0),
        ("spike", 2, 0.0),
        ("tail", 2, 0.0),
        ("spike", 3, 0.0),
        ("spike", 2, 0.8),
    ):
        others = [pairs_of_fit(seed, kind, n_classes, effect) for seed in range(n_tables)]
        n_true = sum((0, 1) in pairs for pairs in others)
        n_false = sum(bool(pairs - {(0, 1)} if effect else pairs) for pairs in others)
        print(f"whole fits, columns with {kind}, {n_classes} classes, product {effect}: {n_tables} tables, "
              f"true pair in {n_true if effect else 0}, others in {n_false}")  # fmt: skip
    n_fits = max(n_tables // 10, 1)
    fits = [exclusive_or(seed) for seed in range(n_fits)]
    n_found, n_alone = sum(found for found, _ in fits), sum(alone for _, alone in fits)
    print(f"exclusive or among 200 columns: {n_fits} tables, found, and no other pair, in {n_found}, "
          f"no other column in {n_alone}")  # fmt: skip


def exclusive_or(seed: int, n_rows: int = 2000, n_columns: int = 200) -> tuple[bool, bool]:
    """Return whether the pair of two columns whose signs decide four classes in five is found, and no other column."""
    random = np.random.default_rng(seed)
    values = random.normal(size=(n_rows, n_columns))
    a, b = sorted(random.choice(n_columns, 2, replace=False).tolist())
    target = (values[:, a] * values[:, b] > 0) ^ (random.random(n_rows) < 0.2)
    model = ScorecardClassifier().fit(values, target)
    found = bool(model.pairs_ == [(f"x{a}", f"x{b}")])
    return found, found and model.n_features_ == 2


def pairs_of_fit(seed: int, kind: str, n_classes: int, effect: float) -> set[tuple[int, int]]:
    """Return the pairs of a model of 20 columns of which six have an effect, and two of these a product."""
    random, n_columns = np.random.default_rng([9, seed]), 20
    n_rows, base = (400, 1000, 3000)[seed % 3], (0.0, -3.0)[seed // 6 % 2]
    values = random.normal(size=(n_rows, n_columns))
    if seed // 3 % 2:
        values = 0.6 * values + 0.8 * random.normal(size=(n_rows, 4))[:, np.arange(n_columns) % 4]
    effects = values
    if kind == "spike":
        least = random.uniform(-0.5, 1.5, n_columns)
        values = np.where(values > least, np.round(np.exp(values - least) - 0.99, 2), 0.0)
        effects = 0.8 * (values > 0.0) + 0.7 * np.minimum(values, 3.0)
        effects = (effects - effects.mean(0)) / effects.std(0)
    elif kind == "tail":
        values, effects = np.round(np.exp(1.5 * values), 3), np.tanh(values)
    additive = effects[:, :6] @ [1.0, -1.0, 0.8, 0.6, -0.6, 0.5]
    log_odds = additive + effect * effects[:, 0] * effects[:, 1] + base
    if n_classes == 2:
        target = (random.random(n_rows) < 1.0 / (1.0 + np.exp(-log_odds))).astype(int)
    else:
        scores = np.stack([log_odds, effects[:, 7] - 0.5 * additive, np.zeros(n_rows)], axis=1)
        target = (scores + random.gumbel(size=scores.shape)).argmax(axis=1)
    pairs = ScorecardClassifier("best").fit(values, target).pairs_
    return {(int(a[1:]), int(b[1:])) for a, b in pairs}


def pairs_of_table(seed: int, effect: float, n_classes: int) -> tuple[list[tuple[int, int]], float]:
    """Return the pairs of a simulated table, single ones and weak ones, and the largest log Bayes factor."""
    rows, offset = simulated_table(seed, effect, n_classes)
    choice = find_pairs(rows, offset)
    single = [term.columns for term in choice.terms]
    room = _COLUMNS - len(single) if single else 0
    weak = find_weak_pairs(rows, choice.scores, single, room)[-1]
    return single + weak, choice.log_bayes_factors[0][1]


def choice_of_table(seed: int, effect: float, n_classes: int = 2) -> PairChoice:
    """Return the single pairs of a simulated table."""
    return find_pairs(*simulated_table(seed, effect, n_classes))


def simulated_table(seed: int, effect: float, n_classes: int) -> tuple[PairRows, Floats]:
    """Return a simulated table with a product of columns 0 and 3 of a given size, and the additive scores."""
    random = np.random.default_rng(seed)
    n_rows, base = (300, 1000, 4000)[seed % 3], (0.0, -3.5)[seed // 3 % 2]
    values = random.normal(size=(n_rows, _COLUMNS))
    if seed // 6 % 2:
        values = 0.5 * values + random.normal(size=(n_rows, 5))[:, np.arange(_COLUMNS) % 5]
    offset = base + values[:, 0] + np.abs(values[:, 1]) - 0.8 + 0.5 * values[:, 2]
    log_odds = offset + effect * values[:, 0] * values[:, 3]
    target = (random.random(n_rows) < 1.0 / (1.0 + np.exp(-log_odds))).astype(int)
    if n_classes > 2:
        signs = np.array([1.0, -1.0] + [0.0] * (n_classes - 2))
        offset, scores = offset[:, None] * signs, log_odds[:, None] * signs
        target = (scores + random.gumbel(size=scores.shape)).argmax(axis=1)
    else:
        offset = offset[:, None]
    codes = values.argsort(axis=0).argsort(axis=0) * 8 // n_rows
    sizes, loss = np.full(_COLUMNS, 8), loss_of_classes(n_classes)
    fold = random.permutation(n_rows) % 5
    rows = PairRows(np.ascontiguousarray(codes.T.astype(np.uint8)), sizes, target, np.ones(n_rows), fold, loss=loss)
    return rows, offset


if __name__ == "__main__":
    main()
