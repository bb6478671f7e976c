"""Tags that declare to scikit-learn which tables and targets are accepted."""

from sklearn.utils import ClassifierTags

from bayesieve.estimators._types import Tags
from bayesieve.exceptions import DataError

__all__ = ["accept_any_table", "require_two_classes", "two_classes_only"]


def accept_any_table(tags: Tags) -> Tags:
    """Declare that missing values, categories and sparse tables are accepted."""
    tags.input_tags.allow_nan = True
    tags.input_tags.categorical = True
    tags.input_tags.string = True
    tags.input_tags.sparse = True
    return tags


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
