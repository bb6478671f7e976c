# SPDX-License-Identifier: BSD-3-Clause
"""Every private name of scikit-learn that is used, in one place."""

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
import sklearn
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, _fit_context
from sklearn.utils import ClassifierTags, _safe_indexing
from sklearn.utils._param_validation import HasMethods, Interval, Options, StrOptions
from sklearn.utils.fixes import parse_version
from sklearn.utils.metadata_routing import _routing_enabled
from sklearn.utils.validation import _check_feature_names_in, _check_method_params

from bayesieve.data import IndexedFrame, frame_backend, pick_rows as pick_frame_rows
from bayesieve.estimators._types import Tags
from bayesieve.exceptions import DataError

__all__ = [
    "ACCEPTS_ALL_FRAMES",
    "DOCUMENTATION",
    "CallbackSupportMixin",
    "DocumentationMixin",
    "HasMethods",
    "Interval",
    "Options",
    "StrOptions",
    "allowed_names",
    "check_feature_names_in",
    "open_callbacks",
    "pick_metadata",
    "pick_rows",
    "require_two_classes",
    "routing_enabled",
    "two_classes_only",
    "validated_fit",
    "validated_outer_fit",
]

try:
    from sklearn.callback import CallbackSupportMixin
except ImportError:  # scikit-learn before 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands in where scikit-learn has no callbacks."""


def allowed_names(estimator: BaseEstimator, parameter: str) -> list[str]:
    """Return the names that a parameter of an estimator can have."""
    constraints = estimator._parameter_constraints[parameter]
    return sorted(name for each in constraints for name in getattr(each, "options", ()))


DOCUMENTATION = "https://bayesieve.readthedocs.io/en/stable"


class DocumentationMixin:
    """Links from the diagram of an estimator in a notebook to its page of the reference."""

    _doc_link_module = "bayesieve"
    _doc_link_template = DOCUMENTATION + "/reference/generated/bayesieve.{estimator_name}.html"

    def _doc_link_url_param_generator(self) -> dict[str, str]:
        return {"estimator_name": type(self).__name__}


Fit = TypeVar("Fit", bound=Callable[..., Any])

ACCEPTS_ALL_FRAMES = parse_version(sklearn.__version__) >= parse_version("1.9")
"""Earlier releases support pandas and the interchange protocol, which polars 2 no longer has."""

check_feature_names_in = _check_feature_names_in
routing_enabled = _routing_enabled


def pick_rows(X: Any, rows: Any) -> Any:
    """Return some rows of a table, in its own format; sparse formats without rows become CSR."""
    if isinstance(X, IndexedFrame) or (frame_backend(X) == "polars" and np.asarray(rows).dtype.kind in "iu"):
        return pick_frame_rows(X, rows)
    return _safe_indexing(X.tocsr() if issparse(X) else X, rows)


def pick_metadata(X: Any, params: Any, rows: Any) -> dict[str, Any]:
    """Return metadata of some rows; what has another length than the table stays as it is."""
    picked: dict[str, Any] = _check_method_params(X, params=dict(params), indices=rows)
    return picked


def validated_fit(fit: Fit) -> Fit:
    """Check the constructor parameters before ``fit``."""
    decorated: Fit = _fit_context(prefer_skip_nested_validation=True)(fit)
    return decorated


def validated_outer_fit(fit: Fit) -> Fit:
    """Check the constructor parameters before ``fit``, and those of nested estimators in theirs."""
    decorated: Fit = _fit_context(prefer_skip_nested_validation=False)(fit)
    return decorated


def open_callbacks(estimator: BaseEstimator, n_steps: int | None) -> tuple[Any, bool]:
    """Return the context of an estimator's callbacks (None before scikit-learn 1.9), and whether there are any."""
    if not hasattr(estimator, "_init_callback_context"):
        return None, False
    return estimator._init_callback_context(max_subtasks=n_steps), bool(getattr(estimator, "_skl_callbacks", None))


def two_classes_only(tags: Tags) -> Tags:
    """Declare that a target has two classes, of a selector too."""
    tags.classifier_tags = tags.classifier_tags or ClassifierTags()
    tags.classifier_tags.multi_class = False
    return tags


def require_two_classes(n_classes: int, reason: str) -> None:
    """Raise, in the words that scikit-learn expects, if a target has another number of classes."""
    if n_classes != 2:
        kind = "multiclass" if n_classes > 2 else "one class"
        raise DataError(
            f"Only binary classification is supported. The type of the target is {kind}: {reason}, and this "
            f"target has {n_classes}."
        )
