"""Wrapper selection for naive Bayes."""

from bayesieve.estimators.fitted_mixins import ColumnSelectionMixin
from bayesieve.estimators.options.parameter_docs import documented
from bayesieve.estimators.search_estimator import SearchEstimator

__all__ = ["NaiveBayesSelector"]


@documented
class NaiveBayesSelector(ColumnSelectionMixin, SearchEstimator):
    """Select the features with which naive Bayes predicts best.

    The search scores every feature that could be added or removed, makes the best move, and repeats. No model is
    refitted: a move changes one term of each row's score.

    Parameters
    ----------
    {search, criterion, n_features, cv, benefit_matrix, discretizer, smoothing, scoring, keep, drop, start_from}
    {feature_groups, one_se, tol, max_time, checkpoint, n_jobs, backend, random_state, verbose}

    Attributes
    ----------
    {classes_, pos_label_, support_, n_features_, selection_, scorecard_, path_, cv_results_, why_, partitions_}
    {n_features_in_, feature_names_in_}

    See Also
    --------
    SelectiveNaiveBayes : A classifier that selects and weights features.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayesieve import NaiveBayesSelector
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = NaiveBayesSelector(n_features=2).fit(X, y)
    >>> selector.path_.order
    ('petal width (cm)', 'petal length (cm)')
    >>> selector.transform(X).shape
    (150, 2)
    """
