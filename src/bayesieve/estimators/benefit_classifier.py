# SPDX-License-Identifier: BSD-3-Clause
"""Decisions of the largest expected benefit, from the probabilities of any classifier."""

from __future__ import annotations

from dataclasses import replace
from numbers import Real
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import Bunch, get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from bayesieve._typing import Floats
from bayesieve.data import read_labels, refuse_blocks
from bayesieve.decisions import best_actions, expected_benefits, mailing_benefits, read_benefits
from bayesieve.decisions.benefits import LARGEST_BENEFIT
from bayesieve.estimators._sklearn import DocumentationMixin, HasMethods, Interval, routing_enabled, validated_outer_fit
from bayesieve.estimators._types import Array, Constraints, CrossValidator, Label, Parameters, TableLike, Tags
from bayesieve.estimators.amounts import (
    BINS,
    BinnedAmount,
    ColumnAmount,
    LearnedAmount,
    cross_fitted,
    learn_amount,
    learn_binned_amount,
    mean_amount,
    read_amounts,
    refuse_bins,
)
from bayesieve.estimators.benefit_mixin import BenefitMixin
from bayesieve.estimators.options import positive_index
from bayesieve.exceptions import DataError, ModelFileError, ParameterError
from bayesieve.model_file.file import BUILDERS
from bayesieve.model_file.saved_model import SavedModel
from bayesieve.models.scorecard import AmountModel

__all__ = ["BenefitClassifier"]


class BenefitClassifier(ClassifierMixin, MetaEstimatorMixin, BenefitMixin, DocumentationMixin, BaseEstimator):
    """Take for each row the action with the largest expected benefit.

    The benefit of an action depends on the true class, and perhaps on the row. Three ways to give it:

    - ``benefit_matrix``: one matrix, actions × classes;
    - ``cost`` and ``amount``: acting costs ``cost``, and its benefit is an amount if the row is of the positive class
      (a letter to a donor); doing nothing has neither cost nor benefit;
    - ``benefits`` of each row, given to ``fit`` and to the methods.

    Parameters
    ----------
    estimator : classifier
        With ``predict_proba``; the better its probabilities are calibrated, the better the decisions.
    amount : regressor, str or None, default=None
        The amount of a positive row: predicted by a regressor, fitted on the positive rows and their ``amounts``, or
        the value of the column of this name. "bins" is a sum over the bins of few columns, chosen for the amount among
        all that the classifier may use: least squares in small steps, whose number has the smallest error in ten folds.
        None is the mean of the ``amounts`` that ``fit`` is given. With both, the model can be saved, and exported as a
        scorecard and as SQL.
    cost : float, default=0.0
        The cost of acting, whatever the class.
    benefit_matrix : array of shape (n_actions, n_classes), default=None
        The benefit of each action if each class is true. Without it, amounts and benefits, a correct class has the
        benefit 1.
    heckman : bool, default=False
        Whether the probability of the positive class is a feature of the regressor, the last one ("probability"); the
        regressor is fitted with out-of-fold probabilities.
    cv : int, splitter or list of index pairs, default=5
        The folds of these out-of-fold probabilities.
    pos_label : class label or None, default=None
        The one of two classes whose rows have amounts; None is the second of ``classes_``.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The class labels.
    actions_ : array of shape (n_actions,)
        The labels that ``predict`` returns: the class labels if there are as many actions, numbers from 0 otherwise.
        Where there are amounts, the label of the positive class, the last, is to act.
    estimator_ : classifier
        The fitted classifier.
    amount_ : ColumnAmount, LearnedAmount, BinnedAmount or None
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
        "pos_label": "no_validation",
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
        pos_label: Label = None,
    ) -> None:
        self.estimator = estimator
        self.amount = amount
        self.cost = cost
        self.benefit_matrix = benefit_matrix
        self.heckman = heckman
        self.cv = cv
        self.pos_label = pos_label

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
            Passed to the classifier and the regressor if they accept it. Where folds are drawn (for ``heckman``,
            ``amount="bins"`` or by the classifier), a weight of k is k copies of the row in one fold: copied rows may
            be in several folds, and the result can differ.
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
        if self.amount == BINS:
            refuse_bins(X, heckman=self.heckman)
        given_amounts = None if amounts is None else self._read_amounts(y, amounts)
        metadata: dict[str, ArrayLike | None] = {"sample_weight": sample_weight, "benefits": benefits}
        if benefits is None and not self.heckman and getattr(self.estimator, "criterion", None) == "benefit":
            metadata["benefits"] = self._expected_of_amounts(X, y, given_amounts, sample_weight)
        given = {name: value for name, value in metadata.items() if value is not None}
        self._adopt_classifier(clone(self.estimator).fit(X, y, **self._routed(given).estimator.fit))
        labels = np.asarray(y).ravel()
        self.amount_ = self._fit_amount(X, labels, self.classes_, given_amounts, sample_weight)
        self.benefit_matrix_ = None
        if self.amount_ is None:
            self.benefit_matrix_ = self._read_matrix(labels, benefits, sample_weight)
        self._name_actions()
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
        if benefits is None:
            return expected_benefits(probabilities, self.row_benefits(X, probabilities))
        return expected_benefits(probabilities, read_benefits(benefits, len(self.classes_), len(probabilities)))

    def get_metadata_routing(self) -> MetadataRouter:
        """Return which metadata of ``fit`` is passed to the classifier."""
        mapping = MethodMapping().add(caller="fit", callee="fit")
        router = MetadataRouter(owner=type(self).__name__).add_self_request(self)
        return router.add(estimator=self.estimator, method_mapping=mapping)

    def __sklearn_tags__(self) -> Tags:
        """Accept what the classifier accepts."""
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
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
        if isinstance(self.amount, str) and self.amount != BINS:
            raise ParameterError(f"amount={self.amount!r} is the column of amounts; leave out those given to fit.")
        labels = read_labels(y, len(np.asarray(y)))
        return read_amounts(amounts, self._positive_rows(labels, np.unique(labels)))

    def _expected_of_amounts(
        self, X: TableLike, y: ArrayLike, given_amounts: Floats | None, weights: ArrayLike | None
    ) -> Floats | None:
        """Return the expected benefits of letters, by which a classifier selects features; None without amounts."""
        labels = np.asarray(y).ravel()
        amount = self._fit_amount(X, labels, np.unique(labels), given_amounts, weights)
        if amount is None:
            return None
        positive = positive_index(self.pos_label, np.unique(labels).tolist())
        return mailing_benefits(amount.predict(X, np.zeros(len(labels))), self.cost, positive)

    def _fit_amount(
        self, X: TableLike, labels: Array, classes: Array, given_amounts: Floats | None, weights: ArrayLike | None
    ) -> ColumnAmount | LearnedAmount | BinnedAmount | None:
        if self.amount is None and given_amounts is None:
            return None
        positive = self._positive_rows(labels, classes)
        if isinstance(self.amount, str) and self.amount != BINS:
            return ColumnAmount(self.amount)
        if given_amounts is None:
            raise DataError("A regressor of amounts needs fit(X, y, amounts=...): the amount of each positive row.")
        rows = np.flatnonzero(positive)
        if self.amount == BINS:
            return learn_binned_amount(self.estimator, X, rows, given_amounts, weights)
        if self.amount is None:
            return mean_amount(given_amounts, rows, weights)
        probabilities = None
        if self.heckman:
            place = positive_index(self.pos_label, np.unique(labels).tolist())
            given = {} if weights is None else {"sample_weight": weights}
            of_fit = self._routed(given).estimator.fit
            probabilities = cross_fitted(self.estimator, X, labels, self.cv, of_fit)[:, place]
        return learn_amount(self.amount, X, positive, given_amounts, weights, probabilities)

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

    def _positive_rows(self, labels: Array, classes: Array) -> NDArray[np.bool_]:
        """Return which rows have amounts."""
        if len(classes) != 2:
            raise DataError(
                f"Amounts are for two classes, and {len(classes)} occurred: {classes.tolist()!r:.60}; "
                "give a benefit_matrix or benefits."
            )
        return np.asarray(labels == classes[positive_index(self.pos_label, classes.tolist())])

    @classmethod
    def _from_file(cls, saved: SavedModel) -> Self:
        """Return the classifier of a model file."""
        benefit = saved.benefit
        if benefit is None or saved.estimator == cls.__name__:
            raise ModelFileError("The model file has no benefits, or no classifier, of a BenefitClassifier.")
        inner = BUILDERS[saved.estimator](replace(saved, benefit=None))
        model = cls(inner, cost=benefit.cost, pos_label=benefit.pos_label)
        model._adopt_classifier(inner)
        model.amount_ = None
        model.benefit_matrix_ = benefit.matrix
        if isinstance(benefit.amount, AmountModel):
            model.amount = BINS if benefit.amount.tables else None
            positions = {name: j for j, name in enumerate(inner.column_names_)}
            model.amount_ = BinnedAmount(benefit.amount, positions)
        elif benefit.amount is not None:
            model.amount = benefit.amount
            model.amount_ = ColumnAmount(benefit.amount)
        else:
            model.benefit_matrix = benefit.matrix
        model._name_actions()
        return model


BUILDERS["BenefitClassifier"] = BenefitClassifier._from_file
