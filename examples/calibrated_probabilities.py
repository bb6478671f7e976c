"""Calibrated probabilities with redundant features.

Plain naive Bayes counts redundant features several times, so its probabilities are overconfident. With weights,
redundant features share one contribution. Both models are evaluated on held-out rows; the legend shows the two terms of
the Brier score, calibration and refinement.

python examples/calibrated_probabilities.py [number of rows]
"""

import sys

import numpy as np
import pandas as pd

from bayesieve import ReliabilityDisplay, SelectiveNaiveBayes

n = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
rng = np.random.default_rng(0)
hidden = rng.normal(size=(n, 3))
y = (hidden.sum(axis=1) + 1.5 * rng.logistic(size=n) > 1).astype(int)
views = np.repeat(hidden, 8, axis=1) + 0.7 * rng.normal(size=(n, 24))  # eight noisy copies of each hidden cause
X = pd.DataFrame(views, columns=[f"view {j % 8} of {j // 8}" for j in range(24)])
half = n // 2

models = {
    "without weights": SelectiveNaiveBayes("forward", weights="none", bins="best", n_features="all"),
    "with weights": SelectiveNaiveBayes(),
}
ax = None
for name, model in models.items():
    model.fit(X[:half], y[:half])
    probability = model.predict_proba(X[half:])[:, 1]
    display = ReliabilityDisplay.from_predictions(y[half:], probability, name=name, ax=ax)
    ax = display.ax_
    print(f"{name}: {model.n_features_} columns, Brier score {display.split.brier:.3f}")
