# SPDX-License-Identifier: BSD-3-Clause
"""``python -m bayesieve`` is the command line."""

from bayesieve.cli import main

if __name__ == "__main__":  # and not in the processes that a command starts
    main()
