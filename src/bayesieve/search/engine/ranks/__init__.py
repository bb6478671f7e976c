# SPDX-License-Identifier: BSD-3-Clause
"""Ranks of rows, merged over blocks: what the area under a curve needs."""
