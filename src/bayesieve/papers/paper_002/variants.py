# SPDX-License-Identifier: BSD-3-Clause
"""The classifiers of this library in the tables."""

from collections.abc import Callable
from typing import Final

from bayesieve.estimators import MODLDiscretizer, SelectiveNaiveBayes

__all__ = ["VARIANTS"]

# Khiops puts missing values into the lowest bin or any group; here they have their own bin by default. The last one
# has all columns with more than one bin, at equal weights.
VARIANTS: Final[dict[str, Callable[[], SelectiveNaiveBayes]]] = {
    "ESNB": SelectiveNaiveBayes.esnb,
    "averaged": lambda: SelectiveNaiveBayes(bins="best", weights="averaged"),
    "fractional": lambda: SelectiveNaiveBayes(bins="best", weights="fractional"),
    "fractional, Khiops's bins": lambda: SelectiveNaiveBayes(
        bins="best", weights="fractional", discretizer=MODLDiscretizer(missing="lowest")
    ),
    "default": SelectiveNaiveBayes,
    "default, 20 columns": lambda: SelectiveNaiveBayes(n_features=20),
    "naive Bayes": lambda: SelectiveNaiveBayes(
        search="backward", criterion="log_loss", n_features="all", cv=0, bins="best", weights="none"
    ),
}
