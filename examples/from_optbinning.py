"""From optbinning: bins, weights of evidence and a scaled scorecard.

You have this code:

```python
from optbinning import BinningProcess, Scorecard

process = BinningProcess(variable_names)
card = Scorecard(
    process,
    LogisticRegression(),
    scaling_method="pdo_odds",
    scaling_method_params={"pdo": 20, "odds": 50, "scorecard_points": 600},
)
card.fit(X, y)
card.table(style="detailed"), card.score(X)
```

Write the code below instead. `BinningProcess` becomes `MODLDiscretizer` (`encode="woe"` for a logistic regression of
your own), its `binning_table` has weight of evidence and information value, and `Scorecard` becomes
`ScorecardClassifier` with `scorecard(base_score=600, base_odds=50, points_to_double=20, spread_intercept=True)`: as
there, the target is the event that is feared, and high scores mean the other class. What changes: bins come from a
Bayesian criterion without a solver, so that there is no number of bins to choose and an uninformative column has one
bin; columns are selected; special values and given splits are parameters of `MODLDiscretizer` alone, which the
scorecard does not take, and a monotone trend is one of the `Column`.

python examples/from_optbinning.py
"""

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from bayesieve import BinsDisplay, Column, MODLDiscretizer, ScorecardClassifier

rng = np.random.default_rng(0)
n = 2000
defaulted = rng.random(n) < 0.2
applicants = pd.DataFrame(
    {
        "income": rng.normal(42 - 12 * defaulted, 10).round(1),
        "age": rng.integers(20, 70, n),
        "job": np.where(rng.random(n) < 0.7 - 0.4 * defaulted, "permanent", rng.choice(["temporary", "none"], n)),
        "shoe size": rng.normal(42, 3, n).round(),
    }
)

bins = MODLDiscretizer().fit(applicants, defaulted)
for name in applicants:
    value = bins.binning_table(name)["information value"].sum()
    print(f"{name}: {bins.partitions_[name].n_bins} bins, information value {value:.2f}")

woe = make_pipeline(MODLDiscretizer(encode="woe"), LogisticRegression()).fit(applicants, defaulted)
print("weights of the logistic regression:", woe[-1].coef_.round(2).ravel().tolist())

card = ScorecardClassifier(n_pairs=0, columns={"income": Column(monotone="decreasing")}).fit(applicants, defaulted)
shown = card.scorecard(base_score=600, base_odds=50, points_to_double=20, spread_intercept=True)
print("high scores mean: defaulted is", shown["high scores mean"][0])
print(shown[["column", "bin", "rate", "scaled points"]].round(2).to_string(index=False))
refused = applicants[defaulted].head(1)
print("reasons of one who defaulted:", card.reason_codes(refused, 2).iloc[0].tolist())

BinsDisplay.from_estimator(bins, "income")
