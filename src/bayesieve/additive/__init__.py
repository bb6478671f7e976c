# SPDX-License-Identifier: BSD-3-Clause
"""Scorecards: tables of columns and of pairs that are learned given each other."""
