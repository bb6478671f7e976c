"""From rows and options to a fitted selection: folds, bins, tables, search."""
