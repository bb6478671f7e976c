# SPDX-License-Identifier: BSD-3-Clause
"""Lines of progress, by ``logging``: an application can silence, redirect or format them."""

import logging
import sys

__all__ = ["log_progress"]

_LOGGER = logging.getLogger("bayesieve")


class _StandardError(logging.Handler):
    """Writes to standard error where no application has set up logging."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line."""
        if not logging.getLogger().handlers:
            sys.stderr.write(self.format(record) + "\n")


def log_progress(line: str) -> None:
    """Log a line of the logger "bayesieve" at the level INFO; without other handlers, it goes to standard error."""
    if not _LOGGER.handlers:
        _LOGGER.addHandler(_StandardError())
    if _LOGGER.level == logging.NOTSET:
        _LOGGER.setLevel(logging.INFO)
    _LOGGER.info(line)
