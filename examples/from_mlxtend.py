"""From mlxtend or scikit-learn: the same subset, and what the search knew besides.

You have this code:

```python
from mlxtend.feature_selection import SequentialFeatureSelector

sfs = SequentialFeatureSelector(LogisticRegression(), k_features=5, floating=True, scoring="neg_log_loss", cv=5)
sfs.fit(X, y)  # sfs.k_feature_names_, sfs.subsets_

from sklearn.feature_selection import SequentialFeatureSelector

sfs = SequentialFeatureSelector(LogisticRegression(), n_features_to_select=5, scoring="neg_log_loss", cv=5).fit(X, y)
```

Write the code below instead. `k_features` and `n_features_to_select` become `n_features`; `forward` and `floating`
become `search`; `subsets_` becomes `path_` and `cv_results_`, and `select(k)` returns a selector of another size
without a new search. What changes: no subset is fitted twice, the search can be interrupted, limited in time and
resumed, features can be kept, dropped and grouped, and ``n_features="auto"`` stops where the score no longer
improves.

python examples/from_mlxtend.py
"""

from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bayesieve import SelectionPathDisplay, WrapperSelector

X, y = load_wine(return_X_y=True, as_frame=True)
judge = make_pipeline(StandardScaler(), LogisticRegression())
selector = WrapperSelector(judge, search="floating", scoring="neg_log_loss", n_features=5, cv=5).fit(X, y)

print("5 features:", ", ".join(selector.get_feature_names_out()))
print("3 features:", ", ".join(selector.select(3).get_feature_names_out()))
print(f"{selector.n_refits_} subsets were fitted, each once.")

SelectionPathDisplay.from_estimator(selector)
