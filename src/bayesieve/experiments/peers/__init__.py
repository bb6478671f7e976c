# SPDX-License-Identifier: BSD-3-Clause
"""Classifiers of other libraries, on the same rows."""

from bayesieve.experiments.peers.environments import Environment
from bayesieve.experiments.peers.khiops import KHIOPS, KhiopsFit, fit_khiops
from bayesieve.experiments.peers.scikit_learn import PEERS

__all__ = ["KHIOPS", "PEERS", "Environment", "KhiopsFit", "fit_khiops"]
