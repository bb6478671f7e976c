"""The bins of a column and their class rates.

MODL finds the most probable intervals of a numeric column and groups of a categorical column. It has no hyperparameters
to tune. A column that is not informative about the class gets a single bin.

python examples/bins_of_a_column.py
"""

import numpy as np
import pandas as pd

from bayesieve import BinsDisplay, MODLDiscretizer

rng = np.random.default_rng(0)
n = 3000
age = rng.integers(18, 90, n).astype(float)
town = rng.choice(["Ash", "Birch", "Elm", "Fir", "Oak", "Yew"], n)
probability = np.select([age < 30, age < 65], [0.1, 0.5], 0.25) + 0.2 * np.isin(town, ["Elm", "Yew"])
bought = rng.random(n) < probability
age[rng.random(n) < 0.05] = np.nan
people = pd.DataFrame({"age": age, "town": town, "shoe size": rng.normal(42, 3, n).round()})

bins = MODLDiscretizer().fit(people, bought)
print(bins.binning_table("town")[["bin", "count", "rate", "weight of evidence"]].round(2).to_string(index=False))
print(f"Number of bins for the shoe size: {bins.partitions_['shoe size'].n_bins}")

BinsDisplay.from_estimator(bins, "age")
BinsDisplay.from_estimator(bins, "town")
