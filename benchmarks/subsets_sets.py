# SPDX-License-Identifier: BSD-3-Clause
"""Open data sets of the comparison of selectors, at most 2,000 training rows each, and simulated tables."""

from typing import Final

from benchmarks.size_sets import SizeSet
from benchmarks.subsets_truth import TRUTHS

__all__ = ["CHOOSING", "CONFIRMING", "SIZES", "SUBSET_SETS"]

SIZES: Final = (3, 5, 10, 20)
_MOST_ROWS: Final = 2000

_SOURCES: Final = (
    *(
        f"two:{name}"
        for name in (
            "german", "shoppers", "heloc", "lending-club", "higgs-7k", "phishing-websites", "adult", "bank-marketing",
            "hotel", "polish-bankruptcy", "donor", "ozone-1h", "job-change", "digits-even", "crx", "breast_cancer",
            "ionosphere", "amazon-access", "madelon", "santander-satisfaction",
        )
    ),
    "classes:covertype", "classes:dna", "second:wall-robot", "second:wine-quality", "second:communities-crime",
    *(f"simulated:{name}" for name in TRUTHS),
)  # fmt: skip

SUBSET_SETS: Final = {each.name: each for each in (SizeSet(s.split(":")[1], s, _MOST_ROWS) for s in _SOURCES)}
"""By name; a number of `communities-crime` is divided at its median."""

CHOOSING: Final = tuple(SUBSET_SETS)[::2]
CONFIRMING: Final = tuple(SUBSET_SETS)[1::2]
