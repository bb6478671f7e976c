"""The command line: one file a command, each of which parses, calls the library and prints."""

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line; its libraries come with the extra ``[cli]``."""
    try:
        from bayesieve.cli.app import app
    except ModuleNotFoundError as error:
        if error.name not in {"typer", "rich"}:
            raise
        sys.stderr.write(f"The command line needs {error.name}, which is missing: pip install 'bayesieve[cli]'.\n")
        raise SystemExit(2) from None
    app()
