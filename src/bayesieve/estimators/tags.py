"""What scikit-learn is told of the tables that are accepted."""

from typing import Any

from sklearn.utils import ClassifierTags

__all__ = ["accept_any_table", "two_classes_only"]


def accept_any_table(tags: Any) -> Any:
    """Declare that missing values, categories and sparse tables are accepted."""
    tags.input_tags.allow_nan = True
    tags.input_tags.categorical = True
    tags.input_tags.string = True
    tags.input_tags.sparse = True
    return tags


def two_classes_only(tags: Any) -> Any:
    """Declare that a target has two classes, of a selector too."""
    tags.classifier_tags = tags.classifier_tags or ClassifierTags()
    tags.classifier_tags.multi_class = False
    return tags
