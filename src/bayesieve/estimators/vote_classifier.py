"""Votes as a classifier."""

from collections.abc import Mapping
from dataclasses import replace
from numbers import Real
from os import PathLike
from typing import ClassVar

from bayesieve.decisions import read_threshold
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
from bayesieve.estimators.column_selection_mixin import ColumnSelectionMixin
from bayesieve.estimators.new_rows import open_new_rows
from bayesieve.estimators.options.classifier_options import positive_index
from bayesieve.estimators.options.tags import two_classes_only
from bayesieve.estimators.prediction_mixin import PredictionMixin, SavingMixin
from bayesieve.estimators.vote_estimator import VoteEstimator
from bayesieve.exceptions import ModelFileError, ParameterError
from bayesieve.explanations.vote_explanation import VoteExplanations, explain_votes
from bayesieve.model_file.capture import restore
from bayesieve.model_file.file import BUILDERS
from bayesieve.model_file.record import SavedModel
from bayesieve.models import VOTE_ONE, VoteModel, read_votes
from bayesieve.training.options import SizeOption, TrainingOptions
from bayesieve.training.rows import TrainingRows

__all__ = ["VoteClassifier"]


class VoteClassifier(SavingMixin, ColumnSelectionMixin, PredictionMixin, VoteEstimator):
    """Classify by the votes of a few columns; for two classes.

    Each column votes for the positive class, ``classes_[1]``, with the probability of that class among the training
    rows of its bin; of k columns, ``votes`` of them decide. "any" finds columns that together miss no case (recall),
    "all" finds those that together raise no false alarm (precision).
    The probability of the positive class is that of enough votes.

    Parameters
    ----------
    votes : {"any", "all", "majority"}, int or float, default="any"
        How many of k votes decide: one, all, at least half, a number n (all while there are fewer than n columns), or a
        share, rounded up.
    criterion : {"expected", "log"} or a criterion, default="expected"
        What a search improves: the mean probability of the true class, or of its logarithm; reported as losses,
        "error_probability" and "log_loss". Any other criterion of `NaiveBayesSelector` works too.
    n_features : int, float, tuple, "all" or "auto", default="auto"
        How many columns; "auto" takes the number of the best score, of at most 50 columns that were ranked.
    stop : {"k", "gain"}, default="k"
        Rank on to ``n_features`` even if the score falls, or stop before a step that brings nothing.
    class_prior : {"observed", "balanced"}, default="observed"
        Whether votes are computed with the class shares of the training rows or as if classes were equally frequent.
        With rare cases a balanced vote can be either way.
    search : str, default="forward"
        As in `NaiveBayesSelector`. A removal counts all votes again: searches that drop columns are slow.
    cv : int, float, splitter or list of index pairs, default=5
        On which rows subsets are scored, by bins and votes that were learned without them; 0 is the training rows.
    discretizer : {"modl", "mdlp", "equal_frequency", "equal_width"}, transformer or None, default="modl"
        How columns become codes; see `NaiveBayesSelector`.
    smoothing : float, default=1.0
        Weight m of the class share P in the vote (n_b1 + m P) / (n_b + m) of bin b.
    threshold : {"bayes", "chi2", "ber", "f1"}, float, ("recall", r) or ("precision", p), default="bayes"
        How probabilities become a class: the more probable one; or the second, where its probability is above a number,
        or above the cut that is best for a measure or keeps a floor, on the rows of ``cv``. For a floor use
        folds: votes that were learnt from a row flatter it.
    scoring, keep, drop, start_from, feature_groups, one_se, tol, max_time, checkpoint : optional
        See `NaiveBayesSelector`.
    n_jobs, backend, random_state, verbose : optional
        See `NaiveBayesSelector`.

    Attributes
    ----------
    classes_ : array of shape (2,)
        The class labels; the second one is voted for.
    feature_importances_ : array of shape (n_features_in_,)
        How much each column's vote varies: its mean distance from its mean; they sum to one.
    threshold_ : Threshold
        Where probabilities are cut, the recall and precision that this came to, and for a floor its exact interval.
    selection_, scorecard_, support_, n_features_, path_, cv_results_, why_, partitions_
        See `NaiveBayesSelector`.

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
        super().__init__(
            votes,
            criterion,
            n_features=n_features,
            pos_label=pos_label,
            stop=stop,
            class_prior=class_prior,
            search=search,
            cv=cv,
            discretizer=discretizer,
            smoothing=smoothing,
            scoring=scoring,
            keep=keep,
            drop=drop,
            start_from=start_from,
            feature_groups=feature_groups,
            one_se=one_se,
            tol=tol,
            max_time=max_time,
            checkpoint=checkpoint,
            n_jobs=n_jobs,
            backend=backend,
            random_state=random_state,
            verbose=verbose,
        )
        self.threshold = threshold

    def explain(self, X: TableLike) -> VoteExplanations:
        """Return how each selected column votes on each row.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_rows, n_features_in_)
            The rows.

        Returns
        -------
        explanations : VoteExplanations
            A `VoteExplanation` for each row: the probability of the positive class, how many votes decide, and each
            column's value, bin and vote, the most certain vote first.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from bayesieve import VoteClassifier
        >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
        >>> print(VoteClassifier("majority", n_features=3).fit(X, y).explain(X.head(1))[0])
        1: probability 0.000; 2 of 3 votes decide
          0.006  worst concave points = 0.2654 (> 0.1816)
          0.011  worst area = 2019.0 (> 1086)
          0.016  worst perimeter = 184.6 (> 117.5)
        """
        table, card = open_new_rows(self, X), self.scorecard_
        assert isinstance(card, VoteModel)
        coded = self._coded(table)
        evidence = card.evidence(table.n_rows, [each.codes for each in coded])
        return explain_votes(card, coded, card.probabilities(evidence)[card.rule.positive].tolist())

    def _options(self, rows: TrainingRows) -> TrainingOptions:
        return replace(super()._options(rows), threshold=read_threshold(self.threshold))

    def __sklearn_tags__(self) -> Tags:
        """Accept any table, and two classes."""
        return two_classes_only(super().__sklearn_tags__())


def _build(saved: SavedModel) -> VoteClassifier:
    """Return the classifier of a model file."""
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
