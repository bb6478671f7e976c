"""Whether probabilities can be believed.

Naive Bayes on all columns counts what redundant columns say again and again: it is sure and wrong. With weights,
columns share what they say. Both are judged on rows that were put aside; the legend splits the Brier score.

python examples/can_it_be_believed.py [number of rows]
"""

import sys

import numpy as np
import pandas as pd

from bayesieve import ReliabilityDisplay, SelectiveNaiveBayes

n = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
rng = np.random.default_rng(0)
hidden = rng.normal(size=(n, 3))
y = (hidden.sum(axis=1) + 1.5 * rng.logistic(size=n) > 1).astype(int)
views = np.repeat(hidden, 8, axis=1) + 0.7 * rng.normal(size=(n, 24))  # eight views of each of three causes
X = pd.DataFrame(views, columns=[f"view {j % 8} of {j // 8}" for j in range(24)])
half = n // 2

models = {
    "without weights": SelectiveNaiveBayes("forward", weights="none", bins="best", n_features="all"),
    "with weights": SelectiveNaiveBayes(),
}
ax = None
for name, model in models.items():
    model.fit(X[:half], y[:half])
    said = model.predict_proba(X[half:])[:, 1]
    shown = ReliabilityDisplay.from_predictions(y[half:], said, name=name, ax=ax)
    ax = shown.ax_
    print(f"{name}: {model.n_features_} columns, Brier score {shown.split.brier:.3f}")
