"""Warnings where a selection is not of the size that was asked for, or empty."""

from bayesieve.exceptions import ClippedSelectionWarning, NothingSelectedWarning, warn_caller
from bayesieve.models import Boosting
from bayesieve.training.selection import Selection
from bayesieve.training.task import Task

__all__ = ["warn_of_size"]


def warn_of_size(task: Task, selection: Selection) -> None:
    """Warn if the sizes asked for could not be reached, or nothing improves on the class priors."""
    if not selection.path.complete:
        return
    stopping, size, n_features = task.stopping, selection.best.n_features, task.options.n_features
    if not stopping.smallest <= size <= stopping.largest:
        by_search = "cannot be reached by this search from its start and with its groups"
        reason = by_search if task.search is not None else "cannot be reached: the other columns get no weight"
        warn_caller(f"n_features={n_features!r} {reason}; {size} columns are selected.", ClippedSelectionWarning)
    elif not size and n_features != 0 and (stopping.largest or not task.space.groups):
        warn_caller(_nothing_selected(task, selection), NothingSelectedWarning)


def _nothing_selected(task: Task, selection: Selection) -> str:
    alone = {
        name: entry["score_alone"] for name, entry in selection.reasons.items() if entry["score_alone"] is not None
    }
    nearest = sorted(alone, key=lambda name: -alone[name])[:3]
    if isinstance(task.options.model, Boosting):
        misses = ", ".join(f"{name!r} ({alone[name]:.3g})" for name in nearest)
        return (
            f"By method={task.options.model.method!r} none of the {len(task.names)} columns gains anything on the "
            f"validation rows, so none is selected{'; the nearest misses are ' if misses else ''}{misses}."
        )
    if not alone:
        return f"None of the {len(task.names)} columns is informative by itself, so none is selected."
    criterion = task.criterion
    misses = ", ".join(f"{name!r} ({criterion.natural(alone[name]):.6g})" for name in nearest)
    return (
        f"No column improves {criterion.name} on the class priors alone "
        f"({criterion.natural(selection.best.visit.score):.6g}), so none is selected; the nearest misses are {misses}."
    )
