"""What scikit-learn is told of the tables that are accepted."""

from typing import Any

__all__ = ["accept_any_table"]


def accept_any_table(tags: Any) -> Any:
    """Declare that missing values, categories and sparse tables are accepted."""
    tags.input_tags.allow_nan = True
    tags.input_tags.categorical = True
    tags.input_tags.string = True
    tags.input_tags.sparse = True
    return tags
