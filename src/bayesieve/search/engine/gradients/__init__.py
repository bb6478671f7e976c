# SPDX-License-Identifier: BSD-3-Clause
"""Derivatives of the loss, added up per bin: what weights and boosting need."""
