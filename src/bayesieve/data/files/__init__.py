# SPDX-License-Identifier: BSD-3-Clause
"""Read and write table files."""
