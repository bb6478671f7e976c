"""From Khiops: the same bins, and a classifier whose points fit on a page.

You have this code:

```python
from khiops.sklearn import KhiopsClassifier

model = KhiopsClassifier(n_trees=0, n_pairs=0).fit(X, y)
model.predict_proba(X)
```

Write the code below instead. `MODLDiscretizer` finds the same intervals and groups by the same criterion, so that
levels can be compared; `SelectiveNaiveBayes(weights="fractional", bins="best")` is the classifier with fractional
weights, and `ScorecardClassifier` the one to prefer. What changes: no second process and no dictionary files, missing
values have a bin of their own (`missing="lowest"` is the rule of Khiops), and there are no trees and no tables of
several entities.

python examples/from_khiops.py
"""

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import cross_val_score

from bayesieve import BinsDisplay, MODLDiscretizer, ScorecardClassifier, SelectiveNaiveBayes

X, y = load_breast_cancer(return_X_y=True, as_frame=True)

bins = MODLDiscretizer(missing="lowest").fit(X, y)
best = bins.levels_.argsort()[::-1][:3]
for j in best:
    name = X.columns[j]
    print(f"{name}: level {bins.levels_[j]:.3f}, {bins.partitions_[name].n_bins} intervals")

models = {
    "fractional weights": SelectiveNaiveBayes(weights="fractional", bins="best"),
    "scorecard": ScorecardClassifier(),
}
for name, model in models.items():
    loss = -cross_val_score(model, X, y, scoring="neg_log_loss", cv=3).mean()
    print(f"{name}: log loss {loss:.3f} in three folds")

BinsDisplay.from_estimator(bins, X.columns[best[0]])
