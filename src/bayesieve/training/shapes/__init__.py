"""Training of a scorecard with joint shapes: rows, members and their stack, the path over columns, merged bins."""
