"""A small evaluation with slow fits, so that it can be killed between them."""

import os
import time

import numpy as np
from sklearn.naive_bayes import GaussianNB

from bayesieve import FilterSelector, evaluate

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 5))
Y = (X[:, 0] + RNG.normal(size=60) > 0).astype(int)
SELECTORS = {score: FilterSelector(score, discretizer="equal_width") for score in ("mutual_info", "gain_ratio")}


class Slow(GaussianNB):
    """Sleeps before each fit."""

    def fit(self, X, y):
        time.sleep(float(os.environ.get("SECONDS_PER_FIT", "0")))
        return super().fit(X, y)


def run(journal=None, **options):
    return evaluate(SELECTORS, Slow(), (X, Y), sizes=[1, 3], cv=5, journal=journal, **options)
