"""Fits on the workers of a scheduler, or in memory, and prints the answer: python distant_fit.py ADDRESS|- CHECKPOINT.

Prints "began" before the search, "step" after each step, and then the answer or the error as one line of JSON.
"""

import json
import sys
import warnings

import numpy as np
import pandas as pd

import bayesieve
from bayesieve.exceptions import BayesieveError


def rows():
    """Return a table of 3,000 rows."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 3000)
    X = rng.normal(size=(3000, 14))
    X[:, ::4] += y[:, None] * 0.4
    return pd.DataFrame(X).add_prefix("c").assign(g=np.where(rng.random(3000) < 0.3 + 0.3 * y, "u", "v")), y


def selector(checkpoint):
    """Return a search of some seconds."""
    options = {"tol": None, "n_features": (1, 8), "random_state": 0, "verbose": 0}
    return bayesieve.NaiveBayesSelector("floating", "brier", checkpoint=checkpoint or None, **options)


def answer(model):
    """Return what must be the same to the last bit."""
    return [list(model.path_.order), [float(score).hex() for score in model.cv_results_["mean_test_score"]]]


def main(address, checkpoint):
    """Fit, and print the answer."""
    warnings.simplefilter("ignore")
    X, y = rows()
    if address == "-":
        print(json.dumps({"answer": answer(selector("").fit(X, y))}), flush=True)
        return
    import dask.dataframe as dd
    from distributed import Client

    with Client(address, timeout=60) as client:
        client.wait_for_workers(4, timeout=180)
        frame = dd.from_pandas(X.assign(y=y), npartitions=8, sort=False)
        print("began", flush=True)
        try:
            model = selector(checkpoint).fit(frame[list(X.columns)], frame["y"])
            print(json.dumps({"answer": answer(model)}), flush=True)
        except BayesieveError as error:
            print(json.dumps({"error": type(error).__name__, "sentence": str(error)}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
