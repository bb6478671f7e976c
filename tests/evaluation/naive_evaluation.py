"""Nested cross-validation by its definition: every score has its own fits, all by scikit-learn."""

import numpy as np
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.metrics import accuracy_score, f1_score, log_loss, precision_score, recall_score, roc_auc_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler


def encoder(frame):
    """Impute numbers by the median and scale them; one-hot encode labels, missing ones included."""
    numeric = [name for name in frame if frame[name].dtype.kind in "fi"]
    labels = [name for name in frame if name not in numeric]
    numbers = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    one_hot = OneHotEncoder(handle_unknown="ignore", drop="if_binary", sparse_output=False)
    return make_column_transformer((numbers, numeric), (one_hot, labels))


def naive_rows(selector_of_size, classifier, grid, data, sizes, n_folds):
    """Yield fold, size and every measure; ``selector_of_size(k)`` returns a selector of k columns."""
    X, y = data
    outer = StratifiedKFold(n_folds, shuffle=True, random_state=0)
    for fold, (train, test) in enumerate(outer.split(np.zeros((len(y), 1)), y)):
        X_train, X_test = X.iloc[train], X.iloc[test]
        largest = X_train.loc[:, selector_of_size(max(sizes)).fit(X_train, y[train]).get_support()]
        tuned = {}
        if grid:
            inner = StratifiedKFold(5, shuffle=True, random_state=0)
            search = GridSearchCV(clone(classifier), grid, cv=inner, scoring="accuracy")
            tuned = search.fit(encoder(largest).fit_transform(largest), y[train]).best_params_
        for size in sizes:
            support = selector_of_size(size).fit(X_train, y[train]).get_support()
            encoding = encoder(X_train.loc[:, support])
            model = make_pipeline(encoding, clone(classifier).set_params(**tuned))
            model.fit(X_train.loc[:, support], y[train])
            yield fold, size, naive_measures(y[test], model, X_test.loc[:, support])


def naive_measures(truth, model, X):
    classes, labels = model.classes_, model.predict(X)
    binary = len(classes) == 2
    options = {"pos_label": classes[1]} if binary else {"average": "macro"}
    values = {"accuracy": accuracy_score(truth, labels)}
    for name, score in (("precision", precision_score), ("recall", recall_score), ("f1", f1_score)):
        values[name] = score(truth, labels, zero_division=0, **options)
    if not hasattr(model, "predict_proba"):
        values["auc"] = roc_auc_score(truth, model.decision_function(X))
        return values | {"log_loss": np.nan, "brier": np.nan}
    probabilities = model.predict_proba(X)
    several = {"multi_class": "ovr", "average": "weighted", "labels": classes}
    values["auc"] = roc_auc_score(
        truth, probabilities[:, 1] if binary else probabilities, **({} if binary else several)
    )
    values["log_loss"] = log_loss(truth, probabilities, labels=classes)
    values["brier"] = np.mean(((truth[:, None] == classes) - probabilities) ** 2) * (1 if binary else len(classes))
    return values
