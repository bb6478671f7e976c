"""Nested cross-validation the slow and obvious way: a new fit of everything for every number, by scikit-learn."""

import numpy as np
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.metrics import accuracy_score, f1_score, log_loss, precision_score, recall_score, roc_auc_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler


def encoder(frame):
    """Scale numbers, with the median for a missing one; an indicator of each label, and of a missing one."""
    numeric = [name for name in frame if frame[name].dtype.kind in "fi"]
    labels = [name for name in frame if name not in numeric]
    numbers = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    one_hot = OneHotEncoder(handle_unknown="ignore", drop="if_binary", sparse_output=False)
    return make_column_transformer((numbers, numeric), (one_hot, labels))


def naive_rows(selector_of_size, classifier, grid, data, sizes, n_folds):
    """Yield fold, size and every measure; ``selector_of_size`` makes a selector that selects so many columns."""
    X, y = data
    outer = StratifiedKFold(n_folds, shuffle=True, random_state=0)
    for fold, (fitting, scored) in enumerate(outer.split(np.zeros((len(y), 1)), y)):
        learnt, new = X.iloc[fitting], X.iloc[scored]
        largest = learnt.loc[:, selector_of_size(max(sizes)).fit(learnt, y[fitting]).get_support()]
        tuned = {}
        if grid:
            inner = StratifiedKFold(5, shuffle=True, random_state=0)
            search = GridSearchCV(clone(classifier), grid, cv=inner, scoring="accuracy")
            tuned = search.fit(encoder(largest).fit_transform(largest), y[fitting]).best_params_
        for size in sizes:
            chosen = selector_of_size(size).fit(learnt, y[fitting]).get_support()
            part = encoder(learnt.loc[:, chosen])
            model = make_pipeline(part, clone(classifier).set_params(**tuned))
            model.fit(learnt.loc[:, chosen], y[fitting])
            yield fold, size, naive_measures(y[scored], model, new.loc[:, chosen])


def naive_measures(truth, model, X):
    classes, decided = model.classes_, model.predict(X)
    binary = len(classes) == 2
    how = {"pos_label": classes[1]} if binary else {"average": "macro"}
    found = {"accuracy": accuracy_score(truth, decided)}
    for name, score in (("precision", precision_score), ("recall", recall_score), ("f1", f1_score)):
        found[name] = score(truth, decided, zero_division=0, **how)
    if not hasattr(model, "predict_proba"):
        found["auc"] = roc_auc_score(truth, model.decision_function(X))
        return found | {"log_loss": np.nan, "brier": np.nan}
    probabilities = model.predict_proba(X)
    several = {"multi_class": "ovr", "average": "weighted", "labels": classes}
    found["auc"] = roc_auc_score(truth, probabilities[:, 1] if binary else probabilities, **({} if binary else several))
    found["log_loss"] = log_loss(truth, probabilities, labels=classes)
    found["brier"] = np.mean(((truth[:, None] == classes) - probabilities) ** 2) * len(classes)
    return found
