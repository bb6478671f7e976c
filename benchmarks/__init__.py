# SPDX-License-Identifier: BSD-3-Clause
"""Speed and memory, as ratios within one run: ``python -m benchmarks``."""
