# SPDX-License-Identifier: BSD-3-Clause
"""Classifiers of other libraries, on the same rows."""

from bayesieve.papers.peers.environments import Environment
from bayesieve.papers.peers.khiops import KHIOPS, KhiopsFit, fit_khiops
from bayesieve.papers.peers.scikit_learn import PEERS

__all__ = ["KHIOPS", "PEERS", "Environment", "KhiopsFit", "fit_khiops"]
