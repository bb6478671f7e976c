"""From an explainable boosting machine: shapes and pairs, as few bins with points.

You have this code:

```python
from interpret.glassbox import ExplainableBoostingClassifier

ebm = ExplainableBoostingClassifier().fit(X, y)
ebm.explain_global(), ebm.explain_local(X[:5], y[:5])
```

Write the code below instead. Both models are sums of one function per feature and of few pairs, so that
`explain_global` becomes `scorecard()`, whose points `BinsDisplay` draws, and `explain_local` becomes `explain`.
What changes: a scorecard uses few features and few bins with points of two decimals instead of all features with
hundreds of steps, has pairs with several classes, too, and exports to SQL and ONNX. Boosting is more accurate where
many small effects add up: compare both on your data.

python examples/from_ebm.py
"""

from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

from bayesieve import BinsDisplay, ScorecardClassifier

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0, stratify=y)

model = ScorecardClassifier().fit(X_train, y_train)
boosted = HistGradientBoostingClassifier(random_state=0).fit(X_train, y_train)
for name, each in (("scorecard", model), ("gradient boosting", boosted)):
    print(f"{name}: log loss {log_loss(y_test, each.predict_proba(X_test)):.3f} on held-out rows")
print(f"{model.n_features_} of {X.shape[1]} features, {len(model.scorecard())} rows of points")
print(model.explain(X_test.head(1), (1, 0))[0])

BinsDisplay.from_estimator(model, model.path_.order[0])
