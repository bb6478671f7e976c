"""The parameter ``discretizer``, read into a coding rule."""

from bayesieve.coding import CODING_RULES, CodingRule
from bayesieve.data import Table
from bayesieve.estimators._types import Transformer
from bayesieve.estimators.modl_discretizer import MODLDiscretizer
from bayesieve.estimators.options.bin_options import read_rule
from bayesieve.estimators.options.transformer_rule import TransformerRule

__all__ = ["read_discretizer"]


def read_discretizer(discretizer: str | Transformer | None, head: Table, n_classes: int) -> CodingRule:
    """Return the coding rule of a name, of a `MODLDiscretizer` or of another transformer."""
    if discretizer is None or isinstance(discretizer, str):
        return CODING_RULES[discretizer]
    if isinstance(discretizer, MODLDiscretizer):
        return read_rule(discretizer, head, n_classes)
    return TransformerRule(discretizer)
