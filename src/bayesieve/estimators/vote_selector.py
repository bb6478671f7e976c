# SPDX-License-Identifier: BSD-3-Clause
"""Selection by votes."""

from bayesieve.estimators._sklearn import two_classes_only
from bayesieve.estimators._types import Tags
from bayesieve.estimators.column_selection_mixin import ColumnSelectionMixin
from bayesieve.estimators.options.parameter_docs import documented
from bayesieve.estimators.vote_estimator import VoteEstimator

__all__ = ["VoteSelector"]


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
