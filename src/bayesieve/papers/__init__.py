# SPDX-License-Identifier: BSD-3-Clause
"""Tables of published papers, recomputed: one folder per paper, with the published values next to ours."""
