"""Tables with columns of every kind, for tests of classifiers."""

import numpy as np
import pandas as pd


def mixed_table(n_rows=300, seed=0):
    """Return a data frame with gaps, and a score that depends on some of its columns."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "size": rng.normal(size=n_rows),
            "noise": rng.normal(size=n_rows),
            "color": rng.choice(["red", "green", "blue", "gray", "pink"], n_rows),
            "flag": rng.random(n_rows) < 0.3,
            "count": rng.integers(0, 30, n_rows),
        }
    )
    score = frame["size"] + (frame["color"] == "red") + frame["flag"] - 0.05 * frame["count"]
    frame.loc[rng.random(n_rows) < 0.1, "size"] = np.nan
    frame.loc[rng.random(n_rows) < 0.1, "color"] = None
    return frame, (score + rng.normal(size=n_rows) * 0.5).to_numpy()


def two_classes(n_rows=300, seed=0):
    """Return a mixed table and a target of two classes."""
    frame, score = mixed_table(n_rows, seed)
    return frame, np.where(score > 0.2, "yes", "no")


def three_classes(n_rows=300, seed=0):
    """Return a mixed table and a target of three classes."""
    frame, score = mixed_table(n_rows, seed)
    return frame, np.array(["low", "mid", "high"])[np.digitize(score, [-0.4, 0.7])]
