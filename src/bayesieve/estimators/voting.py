# SPDX-License-Identifier: BSD-3-Clause
"""Columns that vote: the selector and the classifier."""

from collections.abc import Mapping
from dataclasses import replace
from numbers import Integral, Real
from os import PathLike
from typing import Any, ClassVar, Final, Self

from bayesieve.decisions import read_threshold
from bayesieve.estimators._sklearn import Interval, StrOptions, require_two_classes, two_classes_only
from bayesieve.estimators._types import (
    ColumnsLike,
    Constraints,
    CrossValidator,
    Label,
    RandomState,
    TableLike,
    Tags,
    ThresholdLike,
    Transformer,
)
from bayesieve.estimators.discretizer import read_discretizer
from bayesieve.estimators.fitted_mixins import ColumnSelectionMixin, PredictionMixin
from bayesieve.estimators.options import positive_index, positive_number, read_splitter
from bayesieve.estimators.parameter_docs import documented
from bayesieve.estimators.rows import open_new_rows
from bayesieve.estimators.saving import SavingMixin
from bayesieve.estimators.search_estimator import SearchEstimator
from bayesieve.exceptions import ModelFileError, ParameterError
from bayesieve.explain.row_explanation import VoteExplanations, explain_votes
from bayesieve.fit.options import SearchOptions, SizeOption, TrainingOptions
from bayesieve.fit.rows import TrainingRows
from bayesieve.model_file.file import BUILDERS
from bayesieve.model_file.saved_model import SavedModel, refuse_pairs, restore
from bayesieve.models import VOTE_ONE, VoteModel, Votes, read_votes
from bayesieve.search.criteria import ALL_CRITERIA, SCORER_NAMES, criterion_name

__all__ = ["NAMED_VOTES", "VoteClassifier", "VoteEstimator", "VoteSelector"]

# The combinations of paper 001: conjunctive and disjunctive votes, by expected and by log likelihood.
NAMED_VOTES: Final = {
    "CVE": {"votes": "all", "criterion": "expected"},
    "CVL": {"votes": "all", "criterion": "log"},
    "DVE": {"votes": "any", "criterion": "expected"},
    "DVL": {"votes": "any", "criterion": "log"},
}
_CRITERIA: Final = {"expected": "error_probability", "log": "log_loss"}


class VoteEstimator(SearchEstimator):
    """Common ground of the estimators whose columns vote."""

    _parameter_constraints: ClassVar[Constraints] = {
        **SearchEstimator._parameter_constraints,
        "votes": [str, Integral, Real],
        "criterion": [StrOptions({*_CRITERIA, *ALL_CRITERIA, *SCORER_NAMES} - {"benefit"})],
        "pos_label": "no_validation",
        "stop": [StrOptions({"k", "gain"})],
        "class_prior": [StrOptions({"observed", "balanced"})],
        "smoothing": [Interval(Real, 0, None, closed="neither")],
    }

    votes: str | float
    stop: str
    class_prior: str

    def __init__(
        self,
        votes: str | float = "any",
        criterion: str = "expected",
        *,
        n_features: SizeOption = "auto",
        pos_label: Label = None,
        stop: str = "k",
        class_prior: str = "observed",
        search: str = "forward",
        cv: CrossValidator = 5,
        discretizer: str | Transformer | None = "modl",
        smoothing: float = 1.0,
        scoring: str | list[str] | tuple[str, ...] | None = None,
        keep: ColumnsLike = None,
        drop: ColumnsLike = None,
        start_from: ColumnsLike = None,
        feature_groups: Mapping[str, ColumnsLike] | None = None,
        one_se: bool = False,
        tol: float | None = 0.0,
        max_time: float | None = None,
        checkpoint: str | PathLike[str] | None = None,
        n_jobs: int | None = None,
        backend: str = "auto",
        random_state: RandomState = None,
        verbose: int = 0,
    ) -> None:
        self._store(locals())

    @classmethod
    def named(cls, name: str, **changes: Any) -> Self:
        """Return a combination of paper 001: "CVE", "CVL", "DVE" or "DVL", scored on the training rows as there.

        Parameters
        ----------
        name : str
            C for all votes (conjunctive), D for any vote (disjunctive); E for the expected likelihood, L for its log.
        **changes : parameters
            Other parameters, or other values.

        Returns
        -------
        estimator : object
            Not fitted.
        """
        if name not in NAMED_VOTES:
            raise ParameterError(f"name must be one of {', '.join(NAMED_VOTES)}, got {name!r:.60}.")
        parameters: dict[str, Any] = {**NAMED_VOTES[name], "cv": 0}
        return cls(**(parameters | changes))

    def _options(self, rows: TrainingRows) -> TrainingOptions:
        vote_rule = read_votes(self.votes)
        require_two_classes(rows.n_classes, "columns vote for one class against the other")
        positive = positive_number(self.pos_label, rows)
        model = Votes(replace(vote_rule, positive=positive), float(self.smoothing), self.class_prior == "balanced")
        rule = read_discretizer(self.discretizer, rows)
        criterion = _CRITERIA.get(self.criterion, criterion_name(self.criterion))
        method_options = SearchOptions(
            rule,
            model,
            self.search,
            criterion,
            tol=self.tol,
            one_se=self.one_se,
            ties="score",
            stop=self.stop,
            random_state=self.random_state,
        )
        return self._searched(rows, method_options, read_splitter(rows, self.cv, self.random_state))


@documented
class VoteSelector(ColumnSelectionMixin, VoteEstimator):
    """Select features whose votes together miss no case, or raise no false alarm; for two classes.

    Each feature votes for the positive class with the frequency of that class among the training rows of its bin; of k
    features, ``votes`` of them are needed. "any" selects features that together miss no case (recall), "all" those that
    together raise no false alarm (precision).

    Parameters
    ----------
    votes : {"any", "all", "majority"}, int or float, default="any"
        How many of k votes are needed: one, all, at least half, a number n (or all, with fewer than n features), or
        a share, rounded up.
    criterion : {"expected", "log", "error", "error_probability", "brier", "log_loss", "balanced_error", "auc", \
            "lift", "map", "refinement", "precision_at_recall"}, default="expected"
        The score that a search optimizes: the mean probability of the true class ("expected", which is reported as the
        loss "error_probability"), the mean of its logarithm ("log", which is reported as "log_loss"), or another
        criterion: an error, the Brier score, an area under a curve, "map" with a prior over subsets, "refinement",
        the Brier score after isotonic recalibration, or "precision_at_recall", the largest precision at a recall of at
        least 0.9.
    n_features : int, float, tuple, "all" or "auto", default="auto"
        How many features are selected: a number, a share, ``(smallest, largest)`` (None for no bound; the best size in
        between), all, or the size of the best score ("auto"), of at most 50 features that are ranked.
    pos_label : class label or None, default=None
        The positive one of two classes, for which features vote; None is the second of ``classes_``.
    stop : {"k", "gain"}, default="k"
        Whether to rank features up to ``n_features`` even if the score falls, or to stop before a step without a gain.
    class_prior : {"observed", "balanced"}, default="observed"
        Whether votes are computed with the class frequencies of the training rows, or as if both classes were equally
        frequent. With a rare positive class, "balanced" lets votes exceed 0.5.
    {search, cv, discretizer}
    smoothing : float, default=1.0
        Pseudo-count m of the class frequency P in the vote (n_b1 + m P) / (n_b + m) of bin b.
    {scoring, keep, drop, start_from, feature_groups, one_se, tol, max_time, checkpoint, n_jobs, backend}
    {random_state, verbose}

    Attributes
    ----------
    {classes_, pos_label_, support_, n_features_, selection_, scorecard_, path_, cv_results_, why_, partitions_}
    {n_features_in_, feature_names_in_}

    See Also
    --------
    VoteClassifier : The same votes as a classifier.

    Notes
    -----
    Ties between features are broken by the score alone, then by the position in the table. The probability of a row
    is rounded to multiples of 2^-40: where all are below that, additions tie. `VoteSelector.named` gives CVE,
    CVL, DVE and DVL of paper 001.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from bayesieve import VoteSelector
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> VoteSelector("all", n_features=3).fit(X, y).path_.order
    ('worst perimeter', 'worst concave points', 'worst area')
    """

    def __sklearn_tags__(self) -> Tags:
        """Accept any table, and two classes."""
        return two_classes_only(super().__sklearn_tags__())


@documented
class VoteClassifier(SavingMixin, ColumnSelectionMixin, PredictionMixin, VoteEstimator):
    """Classify by the votes of a few features; for two classes.

    Each feature votes for the positive class with the frequency of that class among the training rows of its bin; of k
    features, ``votes`` of them are needed. "any" selects features that together miss no case (recall), "all" those that
    together raise no false alarm (precision). The probability of the positive class is that of enough
    votes.

    Parameters
    ----------
    votes : {"any", "all", "majority"}, int or float, default="any"
        How many of k votes are needed: one, all, at least half, a number n (or all, with fewer than n features), or
        a share, rounded up.
    criterion : {"expected", "log", "error", "error_probability", "brier", "log_loss", "balanced_error", "auc", \
            "lift", "map", "refinement", "precision_at_recall"}, default="expected"
        The score that a search optimizes: the mean probability of the true class ("expected", which is reported as the
        loss "error_probability"), the mean of its logarithm ("log", which is reported as "log_loss"), or another
        criterion: an error, the Brier score, an area under a curve, "map" with a prior over subsets, "refinement",
        the Brier score after isotonic recalibration, or "precision_at_recall", the largest precision at a recall of at
        least 0.9, or of what ``threshold=("recall", ...)`` requires.
    n_features : int, float, tuple, "all" or "auto", default="auto"
        How many features are selected: a number, a share, ``(smallest, largest)`` (None for no bound; the best size in
        between), all, or the size of the best score ("auto"), of at most 50 features that are ranked.
    pos_label : class label or None, default=None
        The positive one of two classes, for which features vote; None is the second of ``classes_``.
    stop : {"k", "gain"}, default="k"
        Whether to rank features up to ``n_features`` even if the score falls, or to stop before a step without a gain.
    class_prior : {"observed", "balanced"}, default="observed"
        Whether votes are computed with the class frequencies of the training rows, or as if both classes were equally
        frequent. With a rare positive class, "balanced" lets votes exceed 0.5.
    {threshold, search, cv, discretizer}
    smoothing : float, default=1.0
        Pseudo-count m of the class frequency P in the vote (n_b1 + m P) / (n_b + m) of bin b.
    {scoring, keep, drop, start_from, feature_groups, one_se, tol, max_time, checkpoint, n_jobs, backend}
    {random_state, verbose}

    Attributes
    ----------
    {classes_, pos_label_, weights_, feature_weights_}
    feature_importances_ : float array of shape (n_features_in_,)
        The mean absolute deviation of each feature's vote from its mean; they sum to one.
    {threshold_, support_, n_features_, selection_, scorecard_, path_, cv_results_, why_, partitions_}
    {n_features_in_, feature_names_in_}

    See Also
    --------
    VoteSelector : The selection as a transformer.
    SelectiveNaiveBayes : Better probabilities, where those are the aim.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from bayesieve import VoteClassifier
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = VoteClassifier("majority", n_features=5, threshold=("recall", 0.95)).fit(X[::2], y[::2])
    >>> round(model.threshold_.recall, 2)
    0.96
    >>> round(model.score(X[1::2], y[1::2]), 2)
    0.92
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **VoteEstimator._parameter_constraints,
        "threshold": [str, tuple, list, Real],
    }

    threshold: ThresholdLike

    def __init__(
        self,
        votes: str | float = "any",
        criterion: str = "expected",
        *,
        n_features: SizeOption = "auto",
        pos_label: Label = None,
        stop: str = "k",
        class_prior: str = "observed",
        threshold: ThresholdLike = "bayes",
        search: str = "forward",
        cv: CrossValidator = 5,
        discretizer: str | Transformer | None = "modl",
        smoothing: float = 1.0,
        scoring: str | list[str] | tuple[str, ...] | None = None,
        keep: ColumnsLike = None,
        drop: ColumnsLike = None,
        start_from: ColumnsLike = None,
        feature_groups: Mapping[str, ColumnsLike] | None = None,
        one_se: bool = False,
        tol: float | None = 0.0,
        max_time: float | None = None,
        checkpoint: str | PathLike[str] | None = None,
        n_jobs: int | None = None,
        backend: str = "auto",
        random_state: RandomState = None,
        verbose: int = 0,
    ) -> None:
        self._store(locals())

    def explain(self, X: TableLike) -> VoteExplanations:
        """Return how each selected feature votes on each row.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        explanations : VoteExplanations
            A `VoteExplanation` per row: the probability of the positive class, how many votes are needed, and each
            column's value, bin and vote, the most certain vote first.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from bayesieve import VoteClassifier
        >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
        >>> print(VoteClassifier("majority", n_features=3).fit(X, y).explain(X.head(1))[0])
        1: probability 0.000; 2 of 3 votes are needed
          0.006  worst concave points = 0.2654 (> 0.1816)
          0.011  worst area = 2019 (> 1086)
          0.016  worst perimeter = 184.6 (> 117.5)
        """
        table = open_new_rows(self, X)
        card = self.scorecard_
        assert isinstance(card, VoteModel)
        coded = self._coded(table)
        evidence = card.evidence(table.n_rows, coded.codes)
        return explain_votes(card, coded.tables, card.probabilities(evidence)[card.rule.positive].tolist())

    def _options(self, rows: TrainingRows) -> TrainingOptions:
        return replace(super()._options(rows), threshold=read_threshold(self.threshold))

    def __sklearn_tags__(self) -> Tags:
        """Accept any table, and two classes."""
        return two_classes_only(super().__sklearn_tags__())


def _build(saved: SavedModel) -> VoteClassifier:
    """Return the classifier of a model file."""
    refuse_pairs(saved)
    card = saved.scorecard
    votes = [card.start[None, :], *(card.start + each.table for each in card.tables)]
    if len(card.classes) != 2 or any((part <= 0).any() or (part.sum(axis=1) != VOTE_ONE).any() for part in votes):
        raise ModelFileError("The model file has votes that are not probabilities of two classes.")
    try:
        model = VoteClassifier(**saved.parameters)
        positive = positive_index(model.pos_label, card.classes.tolist())
        rule = replace(read_votes(model.votes), positive=positive)
    except TypeError:
        raise ModelFileError("The model file has parameters that VoteClassifier does not have.") from None
    except ParameterError as error:
        raise ModelFileError(f"The model file has a parameter that is wrong: {error}") from None
    votes_card = VoteModel(card.classes, card.start, card.tables, card.class_mass, laplace=False, rule=rule)
    return restore(model, replace(saved, scorecard=votes_card))


BUILDERS["VoteClassifier"] = _build
