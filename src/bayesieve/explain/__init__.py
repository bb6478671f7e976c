# SPDX-License-Identifier: BSD-3-Clause
"""What a fitted model does, in terms of its columns: contributions, reasons, tables to read."""
