# SPDX-License-Identifier: BSD-3-Clause
"""Training of a scorecard with joint shapes: rows, members and their stack, the path over columns, merged bins."""
