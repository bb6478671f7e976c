"""The sets that answers are recorded of."""

import lzma
import os
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import load_wine

from bayesieve import datasets

_UCI = ["breast_w", "pima", "heart_statlog", "spect", "vote", "horse_colic", "crx", "german", "hepatitis", "ionosphere"]
SETS = ("wine", *_UCI, "dexter", "adult", "adult_sample")
QUICK = ("wine", "spect", "vote", "breast_w", "ionosphere", "horse_colic")


@cache
def load(name: str) -> tuple[Any, np.ndarray]:
    """Return a table and classes; raise DataError or FileNotFoundError where the data is not on this machine."""
    if name == "wine":
        return load_wine(return_X_y=True, as_frame=True)
    if name in (*_UCI, "dexter"):
        bunch = getattr(datasets, f"load_{name}")()
        return bunch.data, np.asarray(bunch.target)
    if name == "adult_sample":
        X, y = load("adult")
        return X[::8].reset_index(drop=True), y[::8]
    path = Path(os.environ.get("BAYESIEVE_DATA", "")) / "adult" / "adult.data.xz"
    with lzma.open(path, "rt") as text:
        table = pd.read_csv(text, header=None, skipinitialspace=True, na_values="?", names=[f"c{j}" for j in range(15)])
    return table.drop(columns="c14"), (table["c14"] == ">50K").to_numpy().astype(np.int64)
