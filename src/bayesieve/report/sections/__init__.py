# SPDX-License-Identifier: BSD-3-Clause
"""The sections of the page as markup, each from the summary alone; scripts only move what is drawn here."""
