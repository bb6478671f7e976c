# SPDX-License-Identifier: BSD-3-Clause
"""Parameters of estimators, read and checked once."""
