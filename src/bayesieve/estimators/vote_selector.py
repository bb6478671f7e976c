"""Selection by votes."""

from bayesieve.estimators._types import Tags
from bayesieve.estimators.column_selection_mixin import ColumnSelectionMixin
from bayesieve.estimators.options.tags import two_classes_only
from bayesieve.estimators.vote_estimator import VoteEstimator

__all__ = ["VoteSelector"]


class VoteSelector(ColumnSelectionMixin, VoteEstimator):
    """Select columns whose votes together miss no case, or raise no false alarm; for two classes.

    Each column votes for the positive class, ``classes_[1]``, with the probability of that class among the training
    rows of its bin; of k columns, ``votes`` of them decide. "any" finds columns that together miss no case (recall),
    "all" finds those that together raise no false alarm (precision).

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
    scoring, keep, drop, start_from, feature_groups, one_se, tol, max_time, checkpoint : optional
        See `NaiveBayesSelector`.
    n_jobs, backend, random_state, verbose : optional
        See `NaiveBayesSelector`.

    Attributes
    ----------
    selection_, scorecard_, support_, n_features_, path_, cv_results_, why_, partitions_, classes_
        See `NaiveBayesSelector`.

    See Also
    --------
    VoteClassifier : The same votes as a classifier.

    Notes
    -----
    Of columns that tie, the one with the better score alone enters first, then the first of the table. A row's
    probability is resolved to 2^-40: where all of them are below that, additions tie. `VoteSelector.named` gives CVE,
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
