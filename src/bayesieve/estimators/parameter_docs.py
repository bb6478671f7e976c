# SPDX-License-Identifier: BSD-3-Clause
"""Descriptions of parameters and attributes that several estimators have, written once.

A line of a class docstring that has nothing but names in braces, ``{keep, drop}``, is replaced by their entries; the
default of a parameter is read from the signature of the class.
"""

import re
from collections.abc import Mapping
from inspect import Parameter, cleandoc, signature
from textwrap import indent
from typing import TypeVar

__all__ = ["documented"]

Estimator = TypeVar("Estimator", bound=type)

_COLUMNS = "column names, positions, mask, callable or None"

_PARAMETERS = {
    "search": (
        '{"forward", "backward", "forward-backward", "backward-forward", "floating", "beam", "fast-forward-backward"}',
        """
        Which subsets of the features are tried. "forward" adds the best feature, "backward" removes the least useful
        one; "forward-backward" and "backward-forward" alternate full phases of both while the score improves;
        "floating" is sequential floating forward selection; "beam" extends the best five subsets of each size;
        "fast-forward-backward" makes each improving move as it is met, in random orders and from log2(features × rows)
        starts, and is not available for rows in blocks.
        """,
    ),
    "criterion": (
        '{"error", "error_probability", "brier", "log_loss", "balanced_error", "auc", "lift", "map", "refinement", '
        '"precision_at_recall", "benefit"}',
        """
        The score that a search optimizes: the error rate; the mean probability of the wrong classes; the Brier score,
        summed over classes; the log loss; the balanced error rate; the area under the ROC curve; the area under the
        lift curve; "map", the log loss plus the prior cost of the subset, in nats per scored row; "refinement", the
        Brier score after isotonic recalibration of the scored rows, which depends on their order alone;
        "precision_at_recall", the largest precision of the positive class at a recall of at least 0.9, or of what
        ``threshold=("recall", ...)`` requires; or "benefit", the mean benefit per row if each row gets the action of
        the largest expected benefit, see ``benefit_matrix``. "roc_auc", "neg_log_loss", "neg_brier_score", "accuracy"
        and "balanced_accuracy", the names of scikit-learn, are accepted, too.
        """,
    ),
    "n_features": (
        'int, float, tuple, "all" or "auto"',
        """
        How many features are selected: a number, a share, ``(smallest, largest)`` (None for no bound; the best size in
        between), all, or as many as improve the score. Sizes are forced except with "auto", which stops when the gain
        of the next feature is below its penalty, see ``tol``.
        """,
    ),
    "cv": (
        "int, float, splitter or list of index pairs",
        """
        On which rows subsets are scored: the training rows (0), a held-out share (a float), or folds: their number, a
        splitter of scikit-learn, or pairs of training and validation positions. Bins and tables of a fold are learned
        without its validation rows. ``X_val`` and ``y_val`` of `fit` replace it. Scores guide the selection, so that
        those of the selected subset are optimistic.
        """,
    ),
    "benefit_matrix": (
        "array of shape (n_actions, n_classes) or None",
        """
        The benefit of each action if each class is true, the same for all rows; for ``criterion="benefit"`` only.
        Benefits that differ between rows are given to `fit`.
        """,
    ),
    "discretizer": (
        '{"modl", "mdlp", "equal_frequency", "equal_width"}, transformer or None',
        """
        How values become bins, learned again in each fold: "modl" finds Bayes-optimal intervals of numbers and groups
        of categories, and skips a feature for which a single bin is optimal. The others divide numeric features only,
        "mdlp" by entropy cuts; None makes each distinct value a bin. A `MODLDiscretizer` sets the options of "modl";
        any other transformer is cloned for each numeric feature, and each distinct output is a bin.
        """,
    ),
    "pos_label": (
        "class label or None",
        """
        The positive one of two classes; None is the second of ``classes_``.
        """,
    ),
    "threshold": (
        '{"bayes", "chi2", "ber", "f1"}, float, ("recall", r) or ("precision", p)',
        """
        How probabilities become a class: the most probable class ("bayes"); or, of two classes, the positive one where
        its probability is above a number, or above the threshold that optimizes a metric or guarantees a minimum recall
        or precision on the rows of ``cv``. Use folds for a guarantee: in-sample scores are optimistic.
        """,
    ),
    "smoothing": (
        'float or "auto"',
        """
        Pseudo-count of each bin and class; "auto" is 1 / (N + 1), where N is the sum of the weights.
        """,
    ),
    "scoring": (
        "str, list of str or None",
        """
        Further criteria, except "benefit", to compute for each visited subset, on the same rows; see ``cv_results_``.
        "roc_auc", "neg_log_loss", "neg_brier_score", "accuracy" and "balanced_accuracy" are those of scikit-learn.
        """,
    ),
    "keep": (
        _COLUMNS,
        """
        Features that are always selected.
        """,
    ),
    "drop": (
        _COLUMNS,
        """
        Features that are never selected.
        """,
    ),
    "start_from": (
        _COLUMNS,
        """
        Features from which the search starts; by default none, or all for a search that begins backward.
        """,
    ),
    "feature_groups": (
        "mapping of str to columns, or None",
        """
        Features that are added and removed together, by the name of their group; for searches.
        """,
    ),
    "one_se": (
        "bool",
        """
        Whether to select the smallest size whose score is within one standard error (over folds) of the best; it needs
        two folds or more.
        """,
    ),
    "tol": (
        "float or None",
        """
        The penalty of a feature: with ``n_features="auto"`` an addition must raise the score by more than this, and a
        removal may lower it by at most this. None visits all sizes before the best is selected; a floating search of
        hundreds of redundant features then takes very long, because its steps grow about as the square of their number.
        """,
    ),
    "max_time": (
        "float or None",
        """
        Seconds after which the search ends with the best subset so far.
        """,
    ),
    "checkpoint": (
        "path or None",
        """
        A file, or a folder with one file per data set and parameter setting, from which an interrupted search resumes.
        """,
    ),
    "n_jobs": (
        "int or None",
        """
        Number of threads; -1 is one per processor. The result does not depend on it.
        """,
    ),
    "backend": (
        '{"auto", "native", "reference", "dask"}',
        """
        What scores subsets: the compiled core where possible ("auto"), always ("native"), plain NumPy ("reference"), or
        the workers of a Dask cluster, to which a table in memory is sent ("dask"). The result does not depend on it.
        """,
    ),
    "random_state": (
        "int, RandomState or None",
        """
        Shuffles folds, draws the held-out share, and seeds random orders; None keeps the order of the rows in folds,
        and is otherwise a fixed seed.
        """,
    ),
    "verbose": (
        "int",
        """
        If 1, each step of the search is logged by the logger "bayesieve": on standard error, unless the application
        has set up logging. If 2, a last line has the seconds of each stage of the fit: reading, bins, search, reasons.
        """,
    ),
}

_ATTRIBUTES = {
    "classes_": ("array of shape (n_classes,)", "The class labels, in increasing order."),
    "pos_label_": ("class label or None", "The positive class; None for more than two classes."),
    "support_": ("bool array of shape (n_features_in_,)", "Mask of the selected features."),
    "n_features_": ("int", "Number of selected features."),
    "weights_": (
        "float array of shape (n_features_in_,)",
        "The weight of each feature; 1 is plain naive Bayes, 0 is not selected.",
    ),
    "feature_weights_": ("dict of str to float", "The weight of each selected feature, by name."),
    "feature_importances_": (
        "float array of shape (n_features_in_,)",
        """
        The mean absolute contribution of each feature to the log-odds, relative to its mean; they sum to one. That of a
        pair of features is divided equally between the two.
        """,
    ),
    "threshold_": (
        "Threshold",
        """
        The decision threshold, its recall and precision, and their confidence interval if a minimum is guaranteed.
        """,
    ),
    "selection_": (
        "Selection",
        "The path, the candidate of each size, and the reasons; ``selection_.best`` is the selected candidate.",
    ),
    "scorecard_": (
        "Scorecard",
        "The fitted model: score tables with their bins and counts, and in ``pairs`` those of pairs of features.",
    ),
    "path_": ("SelectionPath", "Every step of the search."),
    "cv_results_": (
        "dict of arrays",
        "Scores of the best subset of each visited size, as in scikit-learn's RFECV; larger is better.",
    ),
    "why_": (
        "dict of str to dict",
        """
        For each feature: whether it was selected, its score alone, its gain given the others, the selected feature with
        which it is most redundant and how much they share (0 to 1), the step at which it entered or left, and the
        reason. Scores are larger where better, so that a loss has the other sign. ``why_.to_frame()`` is a table with
        one row per feature, where a loss is itself, such as ``log_loss_alone``.
        """,
    ),
    "partitions_": ("dict of str to Partition", "The bins of each feature of a visited subset."),
    "n_features_in_": ("int", "Number of features of the training table."),
    "feature_names_in_": (
        "array of shape (n_features_in_,)",
        "Names of the features, where the training table has names that are strings.",
    ),
}

_MARKER = re.compile(r"^( *)\{(\w+(?:, \w+)*)\}$", re.MULTILINE)


def documented(estimator: Estimator) -> Estimator:
    """Replace the markers of a class docstring by the entries that they name."""
    if estimator.__doc__ is None:  # python -OO
        return estimator
    defaults = signature(estimator).parameters

    def entries(marker: re.Match[str]) -> str:
        return indent("\n".join(_entry(name, defaults) for name in marker[2].split(", ")), marker[1])

    estimator.__doc__ = _MARKER.sub(entries, estimator.__doc__)
    return estimator


def _entry(name: str, defaults: Mapping[str, Parameter]) -> str:
    if name in _ATTRIBUTES:
        kind, text = _ATTRIBUTES[name]
    else:
        kind, text = _PARAMETERS[name]
        value = defaults[name].default
        shown = f'"{value}"' if isinstance(value, str) else repr(value)
        kind = f"{kind}, default={shown}"
    return f"{name} : {kind}\n{indent(cleandoc(text), '    ')}"
