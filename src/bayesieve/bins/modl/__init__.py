# SPDX-License-Identifier: BSD-3-Clause
"""Bayes-optimal partitions of a column: the MODL criterion and the searches for its minimum."""
