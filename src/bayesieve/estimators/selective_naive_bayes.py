"""The selective naive Bayes classifier."""

from collections.abc import Mapping
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils._param_validation import StrOptions

from bayesieve.coding import MODL
from bayesieve.criteria import CRITERIA
from bayesieve.decisions import Threshold, read_threshold
from bayesieve.estimators.carding import best_partitions, find_cut, importances, make_cards, prior_shift, read_codes
from bayesieve.estimators.decision import Decisions
from bayesieve.estimators.explaining import class_pairs, explain_rows
from bayesieve.estimators.modl_discretizer import MODLDiscretizer
from bayesieve.estimators.outcome import Outcome
from bayesieve.estimators.plan import Plan, read_discretizer, weighted_plan
from bayesieve.estimators.sample import Sample
from bayesieve.estimators.searching import SearchingEstimator
from bayesieve.estimators.tags import accept_any_table
from bayesieve.estimators.task import Task
from bayesieve.estimators.weighted_search import WEIGHTINGS
from bayesieve.exceptions import ParameterError
from bayesieve.models import Evidence, Scorecard
from bayesieve.search import SEARCHES, Observer, Visit

__all__ = ["SelectiveNaiveBayes"]


class SelectiveNaiveBayes(ClassifierMixin, SearchingEstimator):
    """Naive Bayes on few columns, each with a weight: no tuning, good probabilities, readable.

    By default every column is averaged over all partitions of its values, and weights are fitted under a penalty that
    grows with the doubt whether a column is informative at all: most weights are zero. See the documentation for why
    this is the default, and for the classic forms: `esnb`, ``weights="averaged"``, ``weights="fractional"``.

    A missing value is a value of its own. A value that training did not have, or a missing one where training had
    none, is *unseen* and says nothing about the class.

    Parameters
    ----------
    search : {"auto", "forward", "backward", "forward-backward", "backward-forward", "floating", \
            "fast-forward-backward"}, default="auto"
        Which subsets are tried. "auto" lets the weights choose the columns; see the table in the notes.
    criterion : {"auto", "error", "error_probability", "brier", "log_loss", "balanced_error", "auc", "lift", "map"}, \
            default="auto"
        What a search improves.
    n_features : int, float, tuple, "all" or "auto", default="auto"
        How many columns. Weights without a search add columns one by one, all weighed anew, until there are so many.
    validation : "auto", None, float, int, splitter, list of index pairs, or (X, y), default="auto"
        On which rows weights are fitted and subsets scored, with tables that were learnt without them. None: on the
        training rows; penalised weights then leave each row out of what its own value says.
    discretizer : {"modl", "mdlp", "equal_frequency", "equal_width"}, transformer or None, default="modl"
        How numeric columns become codes.
    bins : {"averaged", "best"}, default="averaged"
        The average over all partitions of a column, or the one that ``discretizer`` finds best.
    weights : {"penalized", "fractional", "averaged", "none"}, default="penalized"
        How strongly each selected column speaks: by penalised likelihood, by Khiops's steps that halve, by the subsets
        that a search evaluated, or all alike.
    threshold : {"bayes", "chi2", "ber", "f1"}, float, ("recall", r) or ("precision", p), default="bayes"
        How probabilities become a class: the most probable one; or of two classes the second, where its probability is
        above a number, or above the cut that is best for a measure or keeps a floor, on the rows of ``validation``.
    class_prior : mapping or array of shape (n_classes,), default=None
        The class probabilities where the model is used, if they are not those of the training rows.
    smoothing : float or "auto", default="auto"
        Pseudo-count of each cell of ``bins="best"``; "auto" is 1 / (N + 1).
    scoring, keep, drop, start_from, feature_groups, one_se, tol, max_time, checkpoint : optional
        See `NaiveBayesSelector`. Groups and checkpoints are for searches.
    n_jobs, backend, random_state, verbose : optional
        See `NaiveBayesSelector`.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The class labels.
    weights_ : dict of str to float
        The weight of each selected column.
    feature_importances_ : array of shape (n_features_in_,)
        The mean size of each column's contribution to the log-odds, relative to its mean; they sum to one.
    threshold_ : Threshold
        Where probabilities are cut, and what that came to.
    partitions_ : dict of str to Intervals or Groups
        The best bins of each selected column, to look at. Averaged bins are finer: the best way to join them is shown.
    support_, n_features_, path_, cv_results_, why_
        See `NaiveBayesSelector`. Scores of penalised weights are log losses on rows that tables do not know.

    See Also
    --------
    NaiveBayesSelector : A selection as a transformer.

    Notes
    -----
    What "auto" means:

    =========== ========================= ========== ==============================
    weights     search                    criterion  validation
    =========== ========================= ========== ==============================
    penalized   none: the weights choose  log_loss   5 folds; None above 10,000 rows
    fractional  none: the weights choose  log_loss   None
    averaged    fast-forward-backward     map        None
    none        forward                   brier      5 folds
    =========== ========================= ========== ==============================

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from bayesieve import SelectiveNaiveBayes
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = SelectiveNaiveBayes(n_features=5).fit(X[::2], y[::2])
    >>> round(model.score(X[1::2], y[1::2]), 2)
    0.95
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SearchingEstimator._parameter_constraints,
        "search": [StrOptions({"auto", *SEARCHES})],
        "criterion": [StrOptions({"auto", *CRITERIA})],
        "validation": [StrOptions({"auto"}), *SearchingEstimator._parameter_constraints["validation"]],
        "bins": [StrOptions({"averaged", "best"})],
        "weights": [StrOptions({"none", *WEIGHTINGS})],
        "threshold": [str, tuple, list, Real],
        "class_prior": [None, Mapping, "array-like"],
    }

    def __init__(
        self,
        search: str = "auto",
        criterion: str = "auto",
        *,
        n_features: Any = "auto",
        validation: Any = "auto",
        discretizer: Any = "modl",
        bins: str = "averaged",
        weights: str = "penalized",
        threshold: Any = "bayes",
        class_prior: Any = None,
        smoothing: float | str = "auto",
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
        self.bins = bins
        self.weights = weights
        self.threshold = threshold
        self.class_prior = class_prior

    @classmethod
    def esnb(cls, **changes: Any) -> Self:
        """Return the Enhanced Selective Naive Bayes of Boullé (2006).

        Best bins by the prior of 2006, forward selection by the area under the lift curve on the training rows, of
        equal candidates the more informative, and the cut of the largest chi-square.

        Parameters
        ----------
        **changes : parameters
            Other parameters, or other values.

        Returns
        -------
        classifier : SelectiveNaiveBayes
            Not fitted.
        """
        classic: dict[str, Any] = {
            "search": "forward",
            "criterion": "lift",
            "validation": None,
            "discretizer": MODLDiscretizer(prior="2006"),
            "bins": "best",
            "weights": "none",
            "threshold": "chi2",
        }
        return cls(**(classic | changes))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_rows, n_features_in_)
            The rows.

        Returns
        -------
        y : array of shape (n_rows,)
            Class labels: the most probable one, the first of ``classes_`` on ties, unless ``threshold`` says otherwise.
        """
        predicted = self._predicted(self._evidence(X))
        return self.classes_[predicted]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return class probabilities.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_rows, n_features_in_)
            The rows.

        Returns
        -------
        probabilities : array of shape (n_rows, n_classes)
            In the order of ``classes_``.
        """
        evidence = self._evidence(X)
        return np.ascontiguousarray(self._scorecard.probabilities(evidence).T)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return logarithms of class probabilities; finite even where the probability is 0 to double precision.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_rows, n_features_in_)
            The rows.

        Returns
        -------
        log_probabilities : array of shape (n_rows, n_classes)
            In the order of ``classes_``.
        """
        evidence = self._evidence(X)
        return np.ascontiguousarray(self._scorecard.log_probabilities(evidence).T)

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
            largest first. Probabilities that are kept away from 0 by half a row are a little less extreme.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from bayesieve import SelectiveNaiveBayes
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> model = SelectiveNaiveBayes(n_features=2, bins="best", weights="none").fit(X, y)
        >>> print(model.explain(X.head(1))[0])
        0 against 1: log-odds +17.859
          +0.000  class frequencies
          +8.929  petal length (cm) = 1.4 (<= 2.5)
          +8.929  petal width (cm) = 0.2 (<= 0.8)
        """
        scores = self._evidence(X).scores
        pairs = class_pairs(self.classes_.tolist(), scores, classes)
        table = self._read_new(X)
        card = self._scorecard
        columns = [table.column(self._names.index(each.name)) for each in card.cards]
        learnt = [(each.partition, each.table) for each in card.cards]
        return explain_rows(self.classes_.tolist(), pairs, card.start, scores, columns, learnt)

    def _plan(self, sample: Sample) -> Plan:
        wish = read_threshold(self.threshold)
        if wish.name != "bayes" and sample.target.n_classes != 2:
            raise ParameterError(
                f"threshold={self.threshold!r} is for two classes; this target has {sample.target.n_classes}."
            )
        return weighted_plan(self, sample)

    def _run(self, task: Task, watchers: list[Observer]) -> Outcome:
        search = super()._run
        if self.weights == "none":
            return search(task, watchers)
        return WEIGHTINGS[self.weights](self, task, watchers, lambda seen: search(task, seen))

    def _store(self, task: Task, sample: Sample, outcome: Outcome) -> None:
        self._mass = [float(each) * task.unit for each in sample.class_mass]
        self._laplace = self.weights in ("penalized", "fractional")
        wish, model = read_threshold(self.threshold), task.plan.model
        offered = outcome.offers if wish.needs_rows else {outcome.visit.columns: outcome.offers[outcome.visit.columns]}
        self._thresholds: dict[tuple[str, ...], Threshold] = {
            columns: find_cut(wish, outcome, model, offer, task.unit) for columns, offer in offered.items()
        }
        place = {name: j for j, name in enumerate(task.ground.names)}
        needed = {name for columns in outcome.offers for name in columns}
        self._counts = {name: task.final.counts[place[name]][:-1] for name in needed}
        super()._store(task, sample, outcome)
        if self.bins == "averaged":
            rule = read_discretizer(self.discretizer, sample)
            assert isinstance(rule, MODL)
            fine = {name: (self._final[name][0], self._counts[name]) for name in self._final}
            self.partitions_ = best_partitions(fine, rule.for_table(len(task.names)), task.unit, task.n_threads)

    def _choose(self, visit: Visit) -> None:
        super()._choose(visit)
        offer = self._offers[visit.columns]
        labels, names = self.classes_.tolist(), self._ground_names
        start = (self._start if offer.start is None else offer.start) + prior_shift(
            self.class_prior, labels, self._mass
        )
        cards = make_cards(offer, names, self._final)
        self._scorecard = Scorecard(self.classes_, start, cards, sum(self._mass), self._laplace)
        self.weights_ = {card.name: card.weight for card in cards}
        self.feature_importances_ = importances(cards, self._counts, self._names)
        self.threshold_ = self._thresholds.get(visit.columns) or next(iter(self._thresholds.values()))

    def _predicted(self, evidence: Evidence) -> NDArray[np.intp]:
        wish = self.threshold_.wish
        if wish.name == "bayes":
            return evidence.predicted
        if wish.name == "probability":
            probability: NDArray[np.float64] = self._scorecard.probabilities(evidence)[1]
            return np.asarray(probability > float(wish.level or 0.5), dtype=np.intp)
        log_odds: NDArray[np.int64] = evidence.scores[1] - evidence.scores[0]
        return self.threshold_.accepts(log_odds).astype(np.intp)

    def _evidence(self, X: Any) -> Evidence:
        """Add up the evidence of the selected columns."""
        table = self._read_new(X)
        place = {name: j for j, name in enumerate(self._names)}
        codes = read_codes(table, self._scorecard.cards, place)
        return self._scorecard.evidence(table.n_rows, codes)

    def __sklearn_tags__(self) -> Any:
        """Accept missing values, categories and sparse tables."""
        return accept_any_table(super().__sklearn_tags__())
