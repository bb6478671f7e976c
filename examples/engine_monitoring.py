"""From raw time series to a decision that an expert can read.

Statistical tests become columns of 0 and 1 at several thresholds, and a search keeps five of them: as accurate as
twelve, and short enough to check by hand. The tutorial docs/tutorials/engine_monitoring.md explains each step.

python examples/engine_monitoring.py [number of series]
"""

import sys

import numpy as np
import pandas as pd
from scipy import stats

from bayesieve import IndicatorGrid, SelectionPathDisplay, SelectiveNaiveBayes
from bayesieve.datasets import make_aircraft_series


def worst_windows(values, w):
    """Return the smallest p-values of a location and a spread test between the halves of all windows of w points."""
    windows = np.lib.stride_tricks.sliding_window_view(values, w)[::10]
    first, second = windows[:, : w // 2], windows[:, w // 2 :]
    location = stats.mannwhitneyu(first, second, axis=1).pvalue.min()
    ratio = first.var(axis=1, ddof=1) / second.var(axis=1, ddof=1)
    spread = 2 * stats.f.sf(np.maximum(ratio, 1 / ratio), w // 2 - 1, w // 2 - 1).min()
    return {f"u_test[w={w}]": location, f"f_test[w={w}]": spread}


def score(series):
    """Return the scores of each series, one column per score."""
    return pd.DataFrame([worst_windows(values, 30) | worst_windows(values, 50) for values in series])


def main(n_series):
    """Train on some series, evaluate on others, and explain one prediction."""
    train, test = (make_aircraft_series(n_series, random_state=seed) for seed in (0, 1))
    grid = IndicatorGrid([1e-8, 1e-6, 1e-4, 1e-3, 0.01, 0.05]).set_output(transform="pandas")
    indicators = grid.fit_transform(score(train.data))
    names = np.array(train.target_names)
    plain = {"weights": "none", "bins": "best", "discretizer": None}  # plain naive Bayes on the indicators
    model = SelectiveNaiveBayes("forward-backward", "error_probability", **plain)
    model.fit(indicators, names[train.target])

    test_indicators, truth = grid.transform(score(test.data)), names[test.target]
    print(f"{indicators.shape[1]} indicators. Accuracy on the test series:")
    for size in (len(model.path_.order), 5):
        print(f"  {size} indicators: {(model.select(size).predict(test_indicators) == truth).mean():.1%}")
    short = model.select(5)
    print("The thresholds of the five:")
    for column, thresholds in grid.kept_thresholds(short.path_.order).items():
        print(f"  {column}: {thresholds}")
    print(f"The first test series, whose true class is {truth[0]}:")
    print(short.explain(test_indicators.head(1))[0])
    SelectionPathDisplay.from_estimator(model)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 600)
