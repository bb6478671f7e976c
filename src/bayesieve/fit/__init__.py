# SPDX-License-Identifier: BSD-3-Clause
"""From rows and options to a fitted selection: folds, bins, tables, search."""
