"""The selective naive Bayes classifier."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils._param_validation import StrOptions

from bayesieve.estimators.decision import Decisions
from bayesieve.estimators.explaining import class_pairs, explain_rows
from bayesieve.estimators.searching import SearchingEstimator
from bayesieve.estimators.tags import accept_any_table
from bayesieve.models import Evidence, NaiveBayes

__all__ = ["SelectiveNaiveBayes"]


class SelectiveNaiveBayes(ClassifierMixin, SearchingEstimator):
    """Naive Bayes on the columns with which it predicts best.

    A missing value is a value of its own. A value that training did not have, or a missing one where training had
    none, is *unseen* (the code after the last part) and says nothing about the class.

    Parameters
    ----------
    search : {"forward", "backward", "forward-backward", "backward-forward", "floating"}, default="forward"
        Which moves are tried; see `NaiveBayesSelector`.
    criterion : {"error", "error_probability", "brier", "log_loss", "balanced_error", "auc", "lift"}, default="brier"
        What the search improves.
    n_features : int, float, tuple, "all" or "auto", default="auto"
        How many columns; see `NaiveBayesSelector`.
    validation : None, float, int, splitter, list of index pairs, or (X, y), default=5
        On which rows subsets are scored; final tables are learnt from all rows.
    discretizer : {"modl", "mdlp", "equal_frequency", "equal_width"}, transformer or None, default="modl"
        How numeric columns become codes.
    smoothing : float or "auto", default="auto"
        Pseudo-count of each cell; "auto" is 1 / (N + 1).
    weights : {"none"}, default="none"
        How strongly each selected column speaks: all alike.
    threshold : {"bayes"}, default="bayes"
        How probabilities become a class: the most probable one, the first of ``classes_`` on ties.
    scoring, keep, drop, start_from, feature_groups, one_se, tol, max_time, checkpoint : optional
        See `NaiveBayesSelector`.
    n_jobs, backend, random_state, verbose : optional
        See `NaiveBayesSelector`.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The class labels.
    support_, n_features_, path_, cv_results_, why_, partitions_
        See `NaiveBayesSelector`.

    See Also
    --------
    NaiveBayesSelector : The same selection as a transformer.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from bayesieve import SelectiveNaiveBayes
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = SelectiveNaiveBayes(n_features=3).fit(X[::2], y[::2])
    >>> round(model.score(X[1::2], y[1::2]), 3)
    0.905
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SearchingEstimator._parameter_constraints,
        "weights": [StrOptions({"none"})],
        "threshold": [StrOptions({"bayes"})],
    }

    def __init__(
        self,
        search: str = "forward",
        criterion: str = "brier",
        *,
        n_features: Any = "auto",
        validation: Any = 5,
        discretizer: Any = "modl",
        smoothing: float | str = "auto",
        weights: str = "none",
        threshold: str = "bayes",
        scoring: Any = None,
        keep: Any = None,
        drop: Any = None,
        start_from: Any = None,
        feature_groups: Any = None,
        one_se: bool = False,
        tol: float | None = 0.0,
        max_time: float | None = None,
        checkpoint: Any = None,
        n_jobs: int | None = None,
        backend: str = "auto",
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            search,
            criterion,
            n_features=n_features,
            validation=validation,
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
        self.weights = weights
        self.threshold = threshold

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable class of each row.

        Parameters
        ----------
        X : data frame or array of shape (n_rows, n_features_in_)
            The rows.

        Returns
        -------
        y : array of shape (n_rows,)
            Class labels.
        """
        predicted = self._evidence(X).predicted
        return self.classes_[predicted]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return class probabilities.

        Parameters
        ----------
        X : data frame or array of shape (n_rows, n_features_in_)
            The rows.

        Returns
        -------
        probabilities : array of shape (n_rows, n_classes)
            In the order of ``classes_``.
        """
        return np.ascontiguousarray(self._evidence(X).probabilities.T)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return logarithms of class probabilities; finite even where the probability is 0 to double precision.

        Parameters
        ----------
        X : data frame or array of shape (n_rows, n_features_in_)
            The rows.

        Returns
        -------
        log_probabilities : array of shape (n_rows, n_classes)
            In the order of ``classes_``.
        """
        return np.ascontiguousarray(self._evidence(X).log_probabilities.T)

    def explain(self, X: Any, classes: tuple[Any, Any] | None = None) -> Decisions:
        """Tell what each selected column adds to the log-odds of each row.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_rows, n_features_in_)
            The rows.
        classes : pair of class labels, default=None
            The log-odds of the first against the second; by default, of the predicted class against the next probable.

        Returns
        -------
        decisions : Decisions
            A `Decision` for each row: log-odds, their prior part, and each column's value, bin and contribution, the
            largest first.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from bayesieve import SelectiveNaiveBayes
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> model = SelectiveNaiveBayes(n_features=2).fit(X, y)
        >>> print(model.explain(X.head(1))[0])
        0 against 1: log-odds +17.859
          +0.000  class frequencies
          +8.929  petal length (cm) = 1.4 (<= 2.5)
          +8.929  petal width (cm) = 0.2 (<= 0.8)
        """
        scores = self._evidence(X).scores
        pairs = class_pairs(self.classes_.tolist(), scores, classes)
        table = self._read_new(X)
        columns = [table.column(int(j)) for j in np.flatnonzero(self.support_)]
        learnt = [(self.partitions_[column.name], self._tables[column.name]) for column in columns]
        return explain_rows(self.classes_.tolist(), pairs, self._start, scores, columns, learnt)

    def _model(self) -> NaiveBayes:
        return NaiveBayes(self.smoothing)

    def _evidence(self, X: Any) -> Evidence:
        """Add up the evidence of the selected columns."""
        table = self._read_new(X)
        model = self._model()
        state = model.begin(self._start, table.n_rows)
        for j in np.flatnonzero(self.support_):
            column = table.column(int(j))
            codes = self.partitions_[column.name].parts(column)[column.ids]
            state = model.shift(state, self._tables[column.name], codes, 0.0, 1.0)
        return model.beliefs(state)

    def __sklearn_tags__(self) -> Any:
        """Accept missing values, categories and sparse tables."""
        return accept_any_table(super().__sklearn_tags__())
