"""Libraries that an extra brings."""

from typing import Any

__all__ = ["import_polars"]


def import_polars(purpose: str) -> Any:
    """Return polars, or say what it was needed for and how to get it."""
    try:
        import polars
    except ModuleNotFoundError as error:
        if error.name != "polars":
            raise
        raise ImportError(f"{purpose} needs polars, which is missing: pip install 'bayesieve[cli]'.") from None
    return polars
