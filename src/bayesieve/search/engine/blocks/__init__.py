# SPDX-License-Identifier: BSD-3-Clause
"""The engines on rows in blocks."""
