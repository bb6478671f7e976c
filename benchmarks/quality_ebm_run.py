# SPDX-License-Identifier: BSD-3-Clause
"""Script for an environment with interpret-core and without this library: one explainable boosting machine."""

import sys
import time
import warnings
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

from benchmarks.quality_exchange import Answer, Problem

__all__ = ["run"]


def run(folder: Path) -> None:
    """Fit and predict with the library's defaults, on one processor."""
    from interpret.glassbox import ExplainableBoostingClassifier

    warnings.simplefilter("ignore")
    problem = Problem.read(folder)
    kinds = list(problem.kinds("continuous", "nominal").values())
    model = ExplainableBoostingClassifier(feature_types=kinds, n_jobs=1, random_state=0, **problem.settings)
    began = time.process_time()
    model.fit(problem.train, problem.target)
    seconds = time.process_time() - began
    terms = model.term_features_
    n_columns, n_pairs = len({j for term in terms for j in term}), sum(len(term) == 2 for term in terms)
    probabilities = Answer.probabilities_of(model.predict_proba(problem.test))
    Answer(probabilities, n_columns, n_pairs, seconds).write(folder)


if __name__ == "__main__":
    run(Path(sys.argv[1]))
