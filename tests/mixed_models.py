"""Tables with columns of many types, and one model of each kind that can be exported."""

import numpy as np
import pandas as pd

from bayesieve import BoostClassifier, BoostSelector, Edits, ScorecardClassifier, SelectiveNaiveBayes, VoteClassifier

__all__ = ["MODELS", "mixed", "new_rows"]


def mixed(n_rows=300, n_classes=2, seed=0):
    """Return numbers, whole numbers, categories, booleans and dates, and a target that depends on all."""
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n_rows)
    amount = (y + rng.normal(scale=0.8, size=n_rows)).round(2)
    amount[rng.random(n_rows) < 0.1] = np.nan
    town = np.array(["York", "Łódź", "emoji 🦊", "c", "d"], dtype=object)[(2 * y + rng.integers(3, size=n_rows)) % 5]
    town[rng.random(n_rows) < 0.1] = None
    columns = {
        "amount": amount,
        "town": town,
        "whole": y * 2 + rng.integers(4, size=n_rows),
        "flag": rng.random(n_rows) < 0.3 + 0.4 * (y == 1),
        "day": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(60, size=n_rows) + 20 * y, unit="D"),
    }
    return pd.DataFrame(columns), np.array(["no", "yes", "maybe"])[y]


def new_rows(X):
    """Return the rows, and others with unseen and missing values, infinitely large ones, and values at the bounds."""
    strange = X.head(4).copy()
    strange["amount"] = [1e300, -1e300, np.nan, 0.0]
    strange["town"] = ["never seen", None, "York", ""]
    strange["whole"] = [100, -5, 3, 2]
    return pd.concat([X, strange], ignore_index=True)


MODELS = {
    "scorecard": ScorecardClassifier(),
    "averaged bins": SelectiveNaiveBayes(),
    "best bins": SelectiveNaiveBayes(bins="best", weights="none"),
    "each value a bin": SelectiveNaiveBayes(discretizer=None, bins="best", weights="none", drop=["day"]),
    "any vote": VoteClassifier("any", cv=0),
    "majority": VoteClassifier("majority", cv=0, discretizer="equal_frequency", n_features=3),
    "all votes": VoteClassifier("all", cv=0),
    "two votes": VoteClassifier(2, cv=0, pos_label="no"),
    "confidence": BoostSelector(cv=0),
    "logit": BoostSelector("logit", cv=0),
    "boosted classifier": BoostClassifier(cv=0),
    "brier": BoostSelector("brier", cv=0),
    "floor of recall": SelectiveNaiveBayes(threshold=("recall", 0.9)),
    "probability": SelectiveNaiveBayes(threshold=0.3, pos_label="no"),
}


class EditedScorecard:
    """Fits a scorecard that an expert has edited: bins of numbers and categories, points, missing values, a pair."""

    def __init__(self, *, refit):
        self.refit = refit

    def fit(self, X, y):
        model = ScorecardClassifier(n_pairs=[("whole", "flag")], keep=["amount", "town"]).fit(X, y)
        two = len(model.classes_) == 2
        edits = Edits().merge("amount", [0, 1]).split("amount", 0.123).special("amount", 0.5)
        edits.points("amount", 1, -0.125 if two else {"maybe": 1.0, "no": 0.25, "yes": -1.0})
        if self.refit:
            edits.missing("town", "neutral").group("town", [["York", "c", "d"], ["Łódź", "emoji 🦊"]])
        return model.edited(edits, X, y, refit=self.refit)


MODELS |= {"edited": EditedScorecard(refit=True), "edited points": EditedScorecard(refit=False)}
