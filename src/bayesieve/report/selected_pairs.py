"""The tables of pairs of columns: points and rows of each cell."""

from typing import Any

from bayesieve.models import term_importances
from bayesieve.report.rounding import rounded
from bayesieve.report.selected_bins import bin_labels, positive_points

__all__ = ["describe_pairs"]


def describe_pairs(model: Any, positive: int | None) -> list[dict[str, Any]]:
    """Return the tables of pairs, the most important first; none for more than two classes.

    Points are log-odds of the positive class; importance is the share of the pair among all terms of the model.
    """
    card, place = model.scorecard_, model.selection_.positions
    if positive is None or not card.pairs:
        return []
    shares = term_importances(card.tables, card.pairs)[len(card.tables) :].tolist()
    described = [
        {
            "columns": [place[name] for name in pair.names],
            "labels": [bin_labels(partition) for partition in pair.partitions],
            "points": [rounded(row) for row in positive_points(pair.table[:-1, :-1], positive)],
            "n_rows": [[rounded(each) for each in row] for row in pair.cell_mass.tolist()],
            "importance": rounded(share),
            "log_bayes_factor": rounded(pair.log_bayes_factor),
            "gain": rounded(pair.gain),
        }
        for pair, share in zip(card.pairs, shares, strict=True)
    ]
    return sorted(described, key=lambda pair: -pair["importance"])
