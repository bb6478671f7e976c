# SPDX-License-Identifier: BSD-3-Clause
"""Shapes of all columns, learned beside each other: rows with log-odds, and cyclic updates of score tables."""

from bayesieve.engine.shapes.reference import to_fixed
from bayesieve.engine.shapes.row_losses import log_losses, softmax
from bayesieve.engine.shapes.shape_fit import ShapeFit, ShapeState, make_shape_fit
from bayesieve.engine.shapes.shape_rows import ShapeRows, gradient_bits

__all__ = [
    "ShapeFit",
    "ShapeRows",
    "ShapeState",
    "gradient_bits",
    "log_losses",
    "make_shape_fit",
    "softmax",
    "to_fixed",
]
