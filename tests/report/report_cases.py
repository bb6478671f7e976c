"""A model with held-out predictions of a table with odd names and values, for the tests of the report."""

from functools import cache

import numpy as np
import polars as pl

from bayesieve import SelectiveNaiveBayes
from bayesieve.report import ReportContext, predict_outer_folds, summarize

METRICS = ("error", "auc", "brier", "log_loss")
ODD = '</script><img src=x onerror="alert(1)">'


def odd_table(n_rows=300, n_classes=2, n_noise=30, seed=0):
    rng = np.random.default_rng(seed)
    y = np.minimum(rng.integers(n_classes + 1, size=n_rows), n_classes - 1)
    labels = np.array(["no", f"yes {ODD} 🦊", "may&be", "<b>"])[y]
    town = np.array(["<i>a</i>", "it's", '"b"', "🦊", ODD])
    columns = {
        f"age {ODD}": (y + rng.normal(scale=0.9, size=n_rows)).round(2),
        "town & <b>country</b>": town[(y + rng.integers(3, size=n_rows)) % 5],
        "gap": [None if rng.random() < 0.2 + 0.3 * (c == 1) else float(i % 7) for i, c in enumerate(y.tolist())],
        "row 'id'": np.arange(n_rows),
        **{f"noise {j}": rng.normal(size=n_rows).round(3) for j in range(n_noise)},
    }
    return pl.DataFrame(columns), labels


@cache
def evaluated(n_classes=2):
    X, y = odd_table(n_classes=n_classes)
    positive = f"yes {ODD} 🦊" if n_classes == 2 else None
    model = SelectiveNaiveBayes(scoring=METRICS, keep=X.columns[0]).fit(X, y)
    predictions = predict_outer_folds(model, X, y)
    context = ReportContext(
        f"target {ODD}", positive=positive, source=f"file {ODD}.csv", command=f"bayesieve fit '{ODD}'"
    )
    return model, X, predictions, context, summarize(model, X, predictions, context)
