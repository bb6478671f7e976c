"""Bayes-optimal partitions of a column: the MODL criterion and the searches for its minimum."""
