# SPDX-License-Identifier: BSD-3-Clause
"""How often intervals of class probabilities hold the truth: ``python -m benchmarks intervals [--draws N]``.

Simulated tables with known class probabilities. Eight columns of numbers and two of categories are independent; each
has no effect, or is a line, a wave, an absolute value, a step or the effects of its categories, drawn for each
table, and for each class; with pairs, two columns multiply, or their signs do. A share is that of new rows and classes
whose probability given the selected columns is inside: other columns are averaged out. The intervals of the most
accurate model, which drops only columns without a visible effect, are also compared with the probability given all.
"""

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from bayesieve import ScorecardClassifier
from bayesieve._typing import Floats

N_NEW = 500
_RESAMPLED = 200  # values of other columns per row, over which the truth is averaged
_NUMBERS = tuple(f"x{j}" for j in range(8))
_CATEGORIES = {"c4": 4, "c12": 12}

Effect = Callable[[Any], Floats]


@dataclass(frozen=True)
class Truth:
    """Log-odds or scores of classes: a sum of effects of columns, and of a pair of columns or none."""

    intercepts: Floats
    effects: Sequence[dict[str, Effect]]
    pair: tuple[str, str, str] | None
    of_pair: Floats

    @classmethod
    def draw(cls, random: np.random.Generator, n_classes: int, has_pair: bool) -> "Truth":
        """Return a truth; with two classes, the score of the first is 0."""
        free = range(1 if n_classes == 2 else 0, n_classes)
        size = 1.0 if n_classes == 2 else 0.7
        effects: list[dict[str, Effect]] = [{} for _ in range(n_classes)]
        without_effect = set(random.choice(list(_NUMBERS), 2, replace=False).tolist())
        for c in free:
            effects[c] = {name: _draw_effect(random, size) for name in _NUMBERS if name not in without_effect}
            effects[c] |= {name: _draw_levels(random, n, size) for name, n in _CATEGORIES.items()}
        intercepts = np.where(np.isin(np.arange(n_classes), free), random.normal(size=n_classes) * 0.5, 0.0)
        a, b = random.choice(list(_NUMBERS), 2, replace=False).tolist()
        pair = (a, b, str(random.choice(["product", "signs"]))) if has_pair else None
        of_pair = np.where(np.isin(np.arange(n_classes), free), random.choice([-0.8, 0.8], n_classes) * size, 0.0)
        return cls(intercepts, effects, pair, of_pair)

    def scores(self, table: pd.DataFrame) -> Floats:
        """Return the score of each row and class."""
        scores = np.tile(self.intercepts, (len(table), 1))
        for c, own in enumerate(self.effects):
            for name, effect in own.items():
                scores[:, c] += effect(table[name].to_numpy())
        if self.pair is not None:
            a, b = (table[name].to_numpy() for name in self.pair[:2])
            product = a * b
            scores += np.outer(product if self.pair[2] == "product" else np.sign(product), self.of_pair)
        return scores

    def probabilities(self, table: pd.DataFrame) -> Floats:
        """Return the probability of each class in each row."""
        e = np.exp(self.scores(table))
        return np.asarray(e / e.sum(axis=1, keepdims=True))

    def given(self, columns: Sequence[str], table: pd.DataFrame, random: np.random.Generator) -> Floats:
        """Return the probabilities given some columns: means over values of the others, which are independent."""
        others = [name for name in table.columns if name not in columns]
        if not others:
            return self.probabilities(table)
        total = np.zeros((len(table), len(self.intercepts)))
        for _ in range(_RESAMPLED):
            total += self.probabilities(table.assign(**draw_rows(random, len(table))[others]))
        return total / _RESAMPLED


def _draw_effect(random: np.random.Generator, size: float) -> Effect:
    """Return a line, a wave, an absolute value or a step of a random size."""
    b, shift = size * random.choice([-1.0, 1.0]) * random.uniform(0.2, 0.8), random.normal() * 0.5
    kinds: list[Effect] = [
        lambda x: b * x,
        lambda x: b * np.sin(2.0 * (x - shift)),
        lambda x: b * (np.abs(x - shift) - 0.8),
        lambda x: b * np.sign(x - shift),
    ]
    return kinds[int(random.integers(4))]


def _draw_levels(random: np.random.Generator, n: int, size: float) -> Effect:
    levels = random.normal(size=n) * 0.4 * size
    return lambda labels: levels[np.array([int(label[1:]) for label in labels])]


def draw_rows(random: np.random.Generator, n_rows: int) -> pd.DataFrame:
    """Return rows of independent columns."""
    table = pd.DataFrame(random.normal(size=(n_rows, len(_NUMBERS))), columns=list(_NUMBERS))
    for name, n in _CATEGORIES.items():
        table[name] = np.array([f"v{k}" for k in range(n)])[random.integers(0, n, n_rows)]
    return table


def coverage(
    n_rows: int, n_classes: int, has_pair: bool, seed: int, n_features: str = "auto", level: float = 0.9
) -> tuple[float, float, float]:
    """Return the shares of intervals with the truth given the selected columns, and given all, and their mean width."""
    random = np.random.default_rng([seed, n_rows, n_classes, has_pair])
    truth, table, new = Truth.draw(random, n_classes, has_pair), draw_rows(random, n_rows), draw_rows(random, N_NEW)
    target = (truth.probabilities(table).cumsum(axis=1) < random.random((n_rows, 1))).sum(axis=1)
    model = ScorecardClassifier(n_features, n_jobs=1).fit(table, target)
    ends = model.predict_interval(new, level)
    low, high = np.moveaxis(ends if n_classes > 2 else ends[:, None], -1, 0)
    shares = []
    for known in (truth.given(model.scorecard_.columns, new, random), truth.probabilities(new)):
        own = known if n_classes > 2 else known[:, 1:]
        shares.append(float(((low <= own) & (own <= high)).mean()))
    return shares[0], shares[1], float((high - low).mean())


def main(arguments: Sequence[str]) -> None:
    """Print a table: a line per number of classes and rows, without and with a pair."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks intervals", description=__doc__)
    parser.add_argument("--draws", type=int, default=10, help="tables per line")
    parser.add_argument("--rows", type=int, nargs="*", default=[500, 1000, 2000, 5000, 20000], help="numbers of rows")
    parser.add_argument("--classes", type=int, nargs="*", default=[2, 3, 5], help="numbers of classes")
    args = parser.parse_args(arguments)
    begin, every = time.process_time(), []
    print("| classes | rows | pair | auto, given its columns | best, given its columns | best, given all | width |")
    print("| ---: | ---: | --- | ---: | ---: | ---: | ---: |")
    for n_classes in args.classes:
        for n_rows in args.rows:
            for has_pair in (False, True):
                case = n_rows, n_classes, has_pair
                auto = np.array([coverage(*case, seed) for seed in range(args.draws)])
                best = np.array([coverage(*case, seed, "best") for seed in range(args.draws)])
                every.append([auto[:, 0].mean(), best[:, 0].mean(), best[:, 1].mean()])
                cells = [_mean(auto[:, 0]), _mean(best[:, 0]), _mean(best[:, 1]), f"{best[:, 2].mean():.3f}"]
                kind = "yes" if has_pair else "no"
                print(f"| {n_classes} | {n_rows:,} | {kind} | {' | '.join(cells)} |", flush=True)
    print(f"\nMean over lines: {', '.join(f'{share:.3f}' for share in np.mean(every, axis=0))}. "
          f"Least and largest: {np.min(every):.3f}, {np.max(every):.3f}. "
          f"{args.draws} tables per line, {time.process_time() - begin:.0f} processor seconds.")  # fmt: skip


def _mean(shares: Floats) -> str:
    """Return a mean with its standard error."""
    return f"{shares.mean():.3f} ({shares.std(ddof=1) / len(shares) ** 0.5:.3f})"
