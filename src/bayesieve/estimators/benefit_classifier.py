"""Decisions of the largest expected benefit, from the probabilities of any classifier."""

from numbers import Integral, Real
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.utils import Bunch, get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from bayesieve._typing import Floats
from bayesieve.data import read_labels, refuse_blocks
from bayesieve.decisions import best_actions, expected_benefits, mailing_benefits, read_benefits
from bayesieve.decisions.benefits import LARGEST_BENEFIT
from bayesieve.estimators._sklearn import HasMethods, Interval, routing_enabled, validated_outer_fit
from bayesieve.estimators._types import Array, Constraints, CrossValidator, Parameters, TableLike, Tags
from bayesieve.estimators.expected_amounts import ColumnAmount, LearnedAmount, learn_amount, read_amounts
from bayesieve.estimators.realized_benefit_mixin import RealizedBenefitMixin
from bayesieve.exceptions import DataError, ParameterError

__all__ = ["BenefitClassifier"]


class BenefitClassifier(ClassifierMixin, MetaEstimatorMixin, RealizedBenefitMixin, BaseEstimator):
    """Take for each row the action with the largest expected benefit.

    The benefit of an action depends on the true class, and perhaps on the row. Three ways to give it:

    - ``benefit_matrix``: one matrix, actions × classes;
    - ``cost`` and ``amount``: action 1 costs ``cost``, and its benefit is an amount if the row is of the class
      ``classes_[1]`` (a letter to a donor); action 0 has neither cost nor benefit;
    - ``benefits`` of each row, given to ``fit`` and to the methods.

    Parameters
    ----------
    estimator : classifier
        With ``predict_proba``; the better its probabilities are calibrated, the better the decisions.
    amount : regressor, str or None, default=None
        The amount of a positive row: predicted by a regressor, fitted on the positive rows and their ``amounts``, or
        the value of the column of this name. None is the mean of the ``amounts`` that ``fit`` is given.
    cost : float, default=0.0
        The cost of action 1, whatever the class.
    benefit_matrix : array of shape (n_actions, n_classes), default=None
        The benefit of each action if each class is true. Without it, amounts and benefits, a correct class has the
        benefit 1.
    heckman : bool, default=False
        Whether the probability of the positive class is a feature of the regressor, the last one ("probability"); the
        regressor is fitted with out-of-fold probabilities.
    cv : int, splitter or list of index pairs, default=5
        The folds of these out-of-fold probabilities.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The class labels.
    actions_ : array of shape (n_actions,)
        The labels that ``predict`` returns: the class labels if there are as many actions, numbers from 0 otherwise.
    estimator_ : classifier
        The fitted classifier.
    amount_ : ColumnAmount, LearnedAmount or None
        The source of amounts.
    benefit_matrix_ : array of shape (n_actions, n_classes), or None
        The benefits of rows whose own are not given; of ``fit(..., benefits=...)``, the mean over the rows of each
        class. None where there are amounts.

    See Also
    --------
    SelectiveNaiveBayes : Its ``criterion="benefit"`` selects features by the same rule.

    References
    ----------
    B. Zadrozny and C. Elkan, "Learning and making decisions when costs and probabilities are both unknown", KDD 2001.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from bayesieve import BenefitClassifier
    >>> X, y = np.arange(10.0).reshape(-1, 1), np.array([0, 0, 0, 0, 1, 0, 0, 1, 1, 1])
    >>> donors = BenefitClassifier(LogisticRegression(), cost=3.0).fit(X, y, amounts=8.0 * y)
    >>> donors.predict(X).tolist()  # 8 dollars times a probability above 3/8
    [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]
    >>> donors.realized_benefit(X, y, amounts=8.0 * y).total
    9.0
    """

    _parameter_constraints: ClassVar[Constraints] = {
        "estimator": [HasMethods(["fit", "predict_proba"])],
        "amount": [None, str, HasMethods(["fit", "predict"])],
        "cost": [Interval(Real, -LARGEST_BENEFIT, LARGEST_BENEFIT, closed="both")],
        "benefit_matrix": [None, "array-like"],
        "heckman": ["boolean"],
        "cv": ["cv_object"],
    }

    def __init__(
        self,
        estimator: BaseEstimator,
        amount: BaseEstimator | str | None = None,
        *,
        cost: float = 0.0,
        benefit_matrix: ArrayLike | None = None,
        heckman: bool = False,
        cv: CrossValidator = 5,
    ) -> None:
        self.estimator = estimator
        self.amount = amount
        self.cost = cost
        self.benefit_matrix = benefit_matrix
        self.heckman = heckman
        self.cv = cv

    @validated_outer_fit
    def fit(
        self,
        X: TableLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        amounts: ArrayLike | None = None,
        benefits: ArrayLike | None = None,
    ) -> Self:
        """Fit the classifier, and the regressor of amounts.

        Parameters
        ----------
        X : data frame or array of shape (n_samples, n_features)
            The rows.
        y : array of shape (n_samples,)
            Class labels.
        sample_weight : array of shape (n_samples,), default=None
            Passed to the classifier and the regressor if they accept it.
        amounts : array of shape (n_samples,), default=None
            The amount of each row of the positive class; those of other rows are not used. A classifier with
            ``criterion="benefit"`` is fitted with the expected amounts, less the cost, as benefits.
        benefits : array of shape (n_samples, n_actions, n_classes), default=None
            The benefit of each action in each row if each class is true; passed to the classifier, too, if its
            ``fit`` accepts it.

        Returns
        -------
        self : BenefitClassifier
            The fitted classifier.
        """
        refuse_blocks(X, "BenefitClassifier")
        self._refuse_several(amounts, benefits)
        given_amounts = None if amounts is None else self._read_amounts(y, amounts)
        metadata: dict[str, ArrayLike | None] = {"sample_weight": sample_weight, "benefits": benefits}
        if benefits is None and not self.heckman and getattr(self.estimator, "criterion", None) == "benefit":
            metadata["benefits"] = self._expected_of_amounts(X, y, given_amounts, sample_weight)
        given = {name: value for name, value in metadata.items() if value is not None}
        self.estimator_ = clone(self.estimator).fit(X, y, **self._routed(given).estimator.fit)
        self.classes_ = np.asarray(self.estimator_.classes_)
        labels = np.asarray(y).ravel()
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        self.amount_ = self._fit_amount(X, labels, self.classes_, given_amounts, sample_weight)
        self.benefit_matrix_ = None
        if self.amount_ is None:
            self.benefit_matrix_ = self._read_matrix(labels, benefits, sample_weight)
        n_actions = 2 if self.benefit_matrix_ is None else len(self.benefit_matrix_)
        self.actions_ = self.classes_ if n_actions == len(self.classes_) else np.arange(n_actions)
        return self

    def predict(self, X: TableLike, benefits: ArrayLike | None = None) -> Array:
        """Return the action of each row.

        Parameters
        ----------
        X : data frame or array of shape (n_samples, n_features)
            The rows.
        benefits : array of shape (n_samples, n_actions, n_classes), default=None
            The benefits of these rows, instead of those given to ``fit``.

        Returns
        -------
        actions : array of shape (n_samples,)
            Labels of ``actions_``; the first of those with the same expected benefit.
        """
        actions = best_actions(self.expected_benefit(X, benefits))
        return np.asarray(self.actions_[actions])

    def predict_proba(self, X: TableLike) -> Floats:
        """Return the classifier's probabilities, shape (n_samples, n_classes)."""
        check_is_fitted(self)
        return np.asarray(self.estimator_.predict_proba(X), dtype=np.float64)

    def expected_benefit(self, X: TableLike, benefits: ArrayLike | None = None) -> Floats:
        """Return the expected benefit of each action.

        Parameters
        ----------
        X : data frame or array of shape (n_samples, n_features)
            The rows.
        benefits : array of shape (n_samples, n_actions, n_classes), default=None
            The benefits of these rows, instead of those given to ``fit``.

        Returns
        -------
        expected : array of shape (n_samples, n_actions)
            In the order of ``actions_``.
        """
        probabilities = self.predict_proba(X)
        if benefits is None and self.amount_ is not None:
            amounts = self.amount_.predict(X, probabilities[:, 1])
            return expected_benefits(probabilities, mailing_benefits(amounts, self.cost))
        return expected_benefits(probabilities, self._benefits_of(benefits, len(probabilities)))

    def get_metadata_routing(self) -> MetadataRouter:
        """Return which metadata of ``fit`` is passed to the classifier."""
        mapping = MethodMapping().add(caller="fit", callee="fit")
        router = MetadataRouter(owner=type(self).__name__).add_self_request(self)
        return router.add(estimator=self.estimator, method_mapping=mapping)

    def __sklearn_tags__(self) -> Tags:
        """Accept what the classifier accepts."""
        tags, inner = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.input_tags = inner.input_tags
        tags.classifier_tags.multi_class = inner.classifier_tags is None or inner.classifier_tags.multi_class
        return tags

    def _refuse_several(self, amounts: ArrayLike | None, benefits: ArrayLike | None) -> None:
        ways = {
            "benefit_matrix": self.benefit_matrix is not None,
            "benefits": benefits is not None,
            "amounts": amounts is not None or self.amount is not None,
        }
        names = [name for name, given in ways.items() if given]
        if len(names) > 1:
            raise ParameterError(f"{' and '.join(names)} both define the benefits of actions; give one of them.")

    def _routed(self, given: Parameters) -> Bunch:
        if routing_enabled():
            routed: Bunch = process_routing(self, "fit", **given)
            return routed
        taken = {name: value for name, value in given.items() if has_fit_parameter(self.estimator, name)}
        if getattr(self.estimator, "criterion", "benefit") != "benefit":  # such a classifier would refuse them
            taken.pop("benefits", None)
        return Bunch(estimator=Bunch(fit=taken))

    def _read_amounts(self, y: ArrayLike, amounts: ArrayLike) -> Floats:
        """Refuse amounts that cannot be used before anything is fitted."""
        if isinstance(self.amount, str):
            raise ParameterError(f"amount={self.amount!r} is the column of amounts; leave out those given to fit.")
        labels = read_labels(y, len(np.asarray(y)))
        _refuse_other_than_two(classes := np.unique(labels))
        return read_amounts(amounts, labels == classes[1])

    def _expected_of_amounts(
        self, X: TableLike, y: ArrayLike, given_amounts: Floats | None, weights: ArrayLike | None
    ) -> Floats | None:
        """Return the expected benefits of letters, by which a classifier selects features; None without amounts."""
        labels = np.asarray(y).ravel()
        amount = self._fit_amount(X, labels, np.unique(labels), given_amounts, weights)
        if amount is None:
            return None
        return mailing_benefits(amount.predict(X, np.zeros(len(labels))), self.cost)

    def _fit_amount(
        self, X: TableLike, labels: Array, classes: Array, given_amounts: Floats | None, weights: ArrayLike | None
    ) -> ColumnAmount | LearnedAmount | None:
        if self.amount is None and given_amounts is None:
            return None
        _refuse_other_than_two(classes)
        if isinstance(self.amount, str):
            return ColumnAmount(self.amount)
        if given_amounts is None:
            raise DataError("A regressor of amounts needs fit(X, y, amounts=...): the amount of each positive row.")
        probabilities = self._cross_fitted(X, labels) if self.heckman else None
        return learn_amount(self.amount, X, labels == classes[1], given_amounts, weights, probabilities)

    def _cross_fitted(self, X: TableLike, labels: Array) -> Floats:
        """Return out-of-fold probabilities of the positive class."""
        rarest = int(np.unique(labels, return_counts=True)[1].min())
        if rarest < 2:
            raise DataError("heckman=True needs two rows of each class at least, so that every fold has both.")
        folds = self.cv
        if folds is None or isinstance(folds, Integral):
            folds = StratifiedKFold(min(folds or 5, rarest), shuffle=True, random_state=0)
        probabilities = cross_val_predict(clone(self.estimator), X, labels, cv=folds, method="predict_proba")
        return np.asarray(probabilities[:, 1], dtype=np.float64)

    def _read_matrix(self, labels: Array, benefits: ArrayLike | None, weights: ArrayLike | None) -> Floats:
        """Return the benefits of rows whose own are not given."""
        n_classes = len(self.classes_)
        if benefits is not None:
            rows = read_benefits(benefits, n_classes, len(labels))
            mass = np.ones(len(labels)) if weights is None else np.asarray(weights, dtype=np.float64)
            members = [np.where(labels == label, mass, 0.0) for label in self.classes_]
            means = [np.average(rows[:, :, c], axis=0, weights=each) for c, each in enumerate(members)]
            return np.stack(means, axis=1)
        given = np.eye(n_classes) if self.benefit_matrix is None else self.benefit_matrix
        return np.asarray(read_benefits(given, n_classes, name="benefit_matrix")[0])


def _refuse_other_than_two(classes: Array) -> None:
    if len(classes) != 2:
        raise DataError(
            f"Amounts are for two classes, and {len(classes)} occurred: {classes.tolist()!r:.60}; "
            "give a benefit_matrix or benefits."
        )
