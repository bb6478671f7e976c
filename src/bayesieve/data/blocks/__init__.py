# SPDX-License-Identifier: BSD-3-Clause
"""Blocks of rows: in memory, on disk, or on the workers of a Dask cluster."""
