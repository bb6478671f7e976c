"""From raw series to a decision that an expert can read.

The tutorial of the same name, docs/tutorials/engine_monitoring.md, explains each step.

python examples/engine_monitoring.py [number of series]
"""

import sys

import numpy as np
import pandas as pd
from scipy import stats

from bayesieve import IndicatorGrid, SelectiveNaiveBayes
from bayesieve.datasets import make_engine_series


def worst_windows(values, w):
    """Return the smallest p-values over windows of w points whose halves are compared: in location, and in spread."""
    windows = np.lib.stride_tricks.sliding_window_view(values, w)[::10]
    first, second = windows[:, : w // 2], windows[:, w // 2 :]
    location = stats.mannwhitneyu(first, second, axis=1).pvalue.min()
    ratio = first.var(axis=1, ddof=1) / second.var(axis=1, ddof=1)
    spread = 2 * stats.f.sf(np.maximum(ratio, 1 / ratio), w // 2 - 1, w // 2 - 1).min()
    return {f"u_test[w={w}]": location, f"f_test[w={w}]": spread}


def score(series):
    """Return the expert's scores of each series, a column each."""
    return pd.DataFrame([worst_windows(values, 30) | worst_windows(values, 50) for values in series])


def main(n_series):
    """Learn on some series, judge others, and explain one judgement."""
    training, fresh = (make_engine_series(n_series, random_state=seed) for seed in (0, 1))
    grid = IndicatorGrid([1e-8, 1e-6, 1e-4, 1e-3, 0.01, 0.05]).set_output(transform="pandas")
    indicators = grid.fit_transform(score(training.data))
    names = np.array(training.target_names)
    plain = {"weights": "none", "bins": "best", "discretizer": None}  # each indicator as it is
    model = SelectiveNaiveBayes("forward-backward", "error_probability", **plain)
    model.fit(indicators, names[training.target])

    asked, truth = grid.transform(score(fresh.data)), names[fresh.target]
    print(f"{indicators.shape[1]} indicators. Right on fresh series:")
    for size in (len(model.path_.order), 5):
        print(f"  {size} indicators: {(model.select(size).predict(asked) == truth).mean():.1%}")
    short = model.select(5)
    print("What the five ask:")
    for column, thresholds in grid.kept_thresholds(short.path_.order).items():
        print(f"  {column}: {thresholds}")
    print(f"The first fresh series, in fact {truth[0]}:")
    print(short.explain(asked.head(1))[0])


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 600)
