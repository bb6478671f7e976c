"""Where a picture is drawn."""

from typing import Any

from bayesieve.exceptions import OutputError

__all__ = ["open_axes"]


def open_axes(ax: Any, width: float = 6.4, height: float = 4.0) -> Any:
    """Return the axes given, or new ones of so many inches; matplotlib is met here and nowhere before."""
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ModuleNotFoundError:
        raise OutputError("A picture needs matplotlib, which is missing: pip install 'bayesieve[plot]'.") from None
    return pyplot.subplots(figsize=(width, height), layout="constrained")[1]
