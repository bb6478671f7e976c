"""Wrapper selection for naive Bayes."""

from bayesieve.estimators.column_selection_mixin import ColumnSelectionMixin
from bayesieve.estimators.search_estimator import SearchEstimator

__all__ = ["NaiveBayesSelector"]


class NaiveBayesSelector(ColumnSelectionMixin, SearchEstimator):
    """Select the columns with which naive Bayes predicts best.

    The search scores every column that could be added or dropped, makes the best move, and repeats. No model is
    refitted: a move changes one term of each row's evidence.

    Parameters
    ----------
    search : str, default="forward"
        Which moves are tried: "forward", "backward"; "forward-backward", "backward-forward", which alternate whole
        phases while the result improves; "floating", sequential floating forward selection; "fast-forward-backward",
        which takes each move that pays as it meets it, in random orders and from log2(columns × rows) starts.
    criterion : str, default="brier"
        What the search improves: "error", "error_probability", "brier" (summed over classes), "log_loss",
        "balanced_error", "auc", "lift" (for two classes the same as "auc"); "map": the log loss and the prior cost of
        the subset, in nats for each scored row; "refinement": the Brier score that is left when isotonic regression has
        recalibrated the scored rows, so that their order alone counts; or "benefit": what a row brings on average if
        each takes the action of the largest expected benefit, see ``benefit_matrix``.
    n_features : int, float, tuple, "all" or "auto", default="auto"
        How many columns: a number, a share, ``(smallest, largest)`` (None for no bound; the best size in between), all,
        or as many as pay. Sizes are forced except with "auto", which stops when a column no longer pays (see ``tol``).
    cv : int, float, splitter or list of index pairs, default=5
        On which rows subsets are scored: the training rows (0), a held-out share, or folds; other rows can be given
        to `fit`. Bins and tables of a fold are learned without it. Scores guide the choice, so they are optimistic.
    benefit_matrix : array of shape (n_actions, n_classes), default=None
        What each action brings where each class is true; each row may have its own, see `fit`.
    discretizer : {"modl", "mdlp", "equal_frequency", "equal_width"}, transformer or None, default="modl"
        How columns become codes, learnt anew in each fold: "modl" finds Bayes-optimal intervals of numbers and groups
        of categories, and leaves out a column for which one part is best. The others divide numeric columns only,
        "mdlp" by entropy cuts; None makes each distinct value a code. A transformer is cloned for each numeric column.
    smoothing : float or "auto", default="auto"
        Pseudo-count of each cell; "auto" is 1 / (N + 1), N the sum of the weights.
    scoring : str, list of str or None, default=None
        Further criteria to report along the path, in ``cv_results_``.
    keep, drop, start_from : column names, positions, mask or callable, default=None
        Columns that must stay, that may not enter, that the search starts from.
    feature_groups : mapping of name to columns, default=None
        Columns that move together.
    one_se : bool, default=False
        Take the smallest size within one standard error (over folds) of the best.
    tol : float or None, default=0.0
        The price of a column: with ``n_features="auto"`` an addition must raise the score by more than this, and a
        removal may lower it by at most this. None goes through all sizes before it chooses. A floating search
        of hundreds of redundant columns then takes very long: its way grows about as the square of their number.
    max_time : float or None, default=None
        Seconds after which the search ends with what it has.
    checkpoint : path or None, default=None
        A file, or a folder with one file for each data set and parameter setting, from which an interrupted search
        resumes.
    n_jobs : int or None, default=None
        Number of threads; the result does not depend on it.
    backend : {"auto", "native", "reference"}, default="auto"
        The engine: compiled where possible, or plain NumPy. The result does not depend on it.
    random_state : int, RandomState or None, default=None
        Shuffles folds, picks the held-out share, and seeds random orders; None keeps the order of the rows in folds
        and is a seed like another.
    verbose : int, default=0
        Report each step on standard error.

    Attributes
    ----------
    support_ : bool array of shape (n_features_in_,)
        The selected columns.
    n_features_ : int
        How many they are.
    selection_ : Selection
        The path, the candidate of each size, and the reasons; ``selection_.best`` is the selected one.
    scorecard_ : Scorecard
        The fitted model: score tables with their bins and counts.
    path_ : SelectionPath
        Every step of the search.
    cv_results_ : dict of arrays
        Scores of the best subset of each visited size, as in scikit-learn's RFECV; larger is better.
    why_ : dict
        For each column: whether it was selected, its score alone, its gain given the others, the selected column it is
        most redundant with and how much they share (0 to 1), the step at which it entered or left, and the reason.
    partitions_ : dict
        The bins of each column that a visited subset has.
    classes_ : array
        The class labels.

    See Also
    --------
    SelectiveNaiveBayes : The classifier on the selected columns.

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
