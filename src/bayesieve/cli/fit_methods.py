# SPDX-License-Identifier: BSD-3-Clause
"""The methods of ``bayesieve fit``, each an estimator."""

from collections.abc import Mapping
from enum import StrEnum
from operator import attrgetter
from typing import Any, Final, NamedTuple

import bayesieve

__all__ = ["METHODS", "Method", "methods_with"]


class Method(StrEnum):
    """The name of an estimator on the command line."""

    scorecard = "scorecard"
    nb = "nb"
    esnb = "esnb"
    vote = "vote"
    boost = "boost"


class MethodEntry(NamedTuple):
    """What builds the estimator of a method, by name, and the words that describe it in the help text."""

    builder: str
    title: str

    def build(self, **parameters: Any) -> Any:
        """Return the estimator; its name is looked up here, so that the help text does not load scikit-learn."""
        return attrgetter(self.builder)(bayesieve)(**parameters)

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Parameters of the estimator."""
        parameters: Mapping[str, Any] = self.build().get_params(deep=False)
        return parameters


METHODS: Final[Mapping[Method, MethodEntry]] = {
    Method.scorecard: MethodEntry("ScorecardClassifier", "scorecard of few columns and pairs"),
    Method.nb: MethodEntry("SelectiveNaiveBayes", "naive Bayes with column weights"),
    Method.esnb: MethodEntry("SelectiveNaiveBayes.esnb", "naive Bayes after forward selection"),
    Method.vote: MethodEntry("VoteClassifier", "votes of columns, two classes"),
    Method.boost: MethodEntry("BoostClassifier", "boosting of the log-likelihood, two classes"),
}


def methods_with(parameter: str) -> str:
    """Return in words the methods whose estimator has a parameter."""
    *names, last = [method.value for method, entry in METHODS.items() if parameter in entry.parameters]
    return f"{', '.join(names)} or {last}" if names else last
