# SPDX-License-Identifier: BSD-3-Clause
"""A fitted model as a JSON file that holds no code."""
