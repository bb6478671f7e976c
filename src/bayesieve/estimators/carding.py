"""From the weights of a subset to the scorecard that predicts, its threshold and its importances."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve._native.elementary import log_positive, to_fixed
from bayesieve.coding import MODL, Groups, Intervals, Partition, Summary, sum_by_bin, with_counts
from bayesieve.data import Table, Values
from bayesieve.decisions import Calibration, Threshold, ThresholdRule, calibrate, find_threshold
from bayesieve.exceptions import ParameterError, UnreachedFloorWarning, UnseenValuesWarning
from bayesieve.models import Evidence, Model, ScoreTable
from bayesieve.models.evidence import in_nats
from bayesieve.search import WeightedSubset
from bayesieve.training.outcome import Outcome, row_scorer

__all__ = [
    "best_partitions",
    "find_calibrations",
    "find_cuts",
    "importances",
    "make_score_tables",
    "positive_class",
    "prior_shift",
    "read_codes",
]

Ints = NDArray[np.int64]

_DOUBTFUL = 0.2  # share of rows whose value a column never saw


def make_score_tables(
    offer: WeightedSubset,
    names: Sequence[str],
    final: Mapping[str, tuple[Partition, Ints]],
    counts: Mapping[str, NDArray[Any]],
) -> tuple[ScoreTable, ...]:
    """Return what each column says, weighted, and how many rows each of its parts has; in the order of the table."""
    weight_of = dict(zip(offer.columns, offer.weights, strict=True))
    tables = []
    for j in sorted(weight_of):
        partition, table = final[names[j]]
        weighted = table if weight_of[j] == 1.0 else np.rint(weight_of[j] * table).astype(np.int64)
        counted = with_counts(partition, counts[names[j]])
        tables.append(ScoreTable(names[j], counted, weighted, weight_of[j]))
    return tuple(tables)


def read_codes(table: Table, tables: Sequence[ScoreTable], place: Mapping[str, int]) -> list[NDArray[Any]]:
    """Return the codes of new rows for each card; warn once if many of them were never seen."""
    codes, doubtful = [], []
    for card in tables:
        column = table.column(place[card.name])
        coded = card.partition.bins_of(column)[column.ids]
        codes.append(coded)
        unseen = float(np.mean(coded == card.partition.n_bins)) if len(coded) else 0.0
        if unseen > _DOUBTFUL:
            doubtful.append(f"{card.name!r} ({unseen:.0%})")
    if doubtful:
        warnings.warn(
            f"Many rows have values that training never saw, of which nothing is known: {', '.join(doubtful[:5])}.",
            UnseenValuesWarning,
            stacklevel=5,
        )
    return codes


def positive_class(pos_label: Any, classes: Sequence[Any]) -> int:
    """Return the position of the positive one of two classes; the second by default."""
    if pos_label is None:
        return 1
    if pos_label not in classes:
        raise ParameterError(f"pos_label is {pos_label!r:.60}; the classes are {list(classes)!r:.80}.")
    return classes.index(pos_label)


def find_cuts(
    wish: ThresholdRule, outcome: Outcome, model: Model, unit: float, positive: int = 1
) -> dict[tuple[str, ...], Threshold]:
    """Find the threshold of each subset on offer, on the rows on which weights were found: by tables without them.

    A threshold that does not ask rows is the same for all, and given for the chosen subset. Only of that one is it said
    that a floor cannot be promised.
    """
    chosen = outcome.visit.columns
    if not wish.needs_rows:
        return {chosen: find_threshold(wish, np.zeros(0), np.zeros(0, dtype=np.int64))}
    scorer, found = row_scorer(outcome, model), {}
    for columns, offer in outcome.offers.items():
        rows = scorer.score(offer)
        log_odds = np.concatenate([part.evidence[positive] - part.evidence[1 - positive] for part in rows])
        target, weights = (np.concatenate([getattr(part, name) for part in rows]) for name in ("target", "weights"))
        with warnings.catch_warnings():
            if columns != chosen:
                warnings.simplefilter("ignore", UnreachedFloorWarning)
            found[columns] = find_threshold(wish, log_odds, target == positive, weights, unit)
    return found


def find_calibrations(kind: str, outcome: Outcome, model: Model, unit: float) -> dict[tuple[str, ...], Calibration]:
    """Learn the calibration of each subset on offer, on rows that its tables do not know."""
    scorer, found = row_scorer(outcome, model), {}
    for columns, offer in outcome.offers.items():
        rows = scorer.score(offer)
        evidence = Evidence(np.concatenate([part.evidence for part in rows], axis=1))
        target, weights = (np.concatenate([getattr(part, name) for part in rows]) for name in ("target", "weights"))
        ranked = (1,) if len(evidence.scores) == 2 else range(len(evidence.scores))
        log_odds = [in_nats(evidence.log_odds(c)) for c in ranked]
        found[columns] = calibrate(kind, log_odds, target, weights * unit)
    return found


def importances(
    tables: Sequence[ScoreTable], counts: Mapping[str, NDArray[Any]], names: Sequence[str]
) -> NDArray[np.float64]:
    """Return the mean size of each column's contribution to the log-odds, relative to its mean; they sum to one.

    The contributions of an additive score are its Shapley values. With more than two classes, the mean over classes of
    what is said of each class against the others.
    """
    place = {name: j for j, name in enumerate(names)}
    shares = np.zeros(len(names))
    for card in tables:
        mass = counts[card.name].sum(axis=1).astype(np.float64)
        said = in_nats(card.table[: len(mass)])
        said = said - said.mean(axis=1, keepdims=True)
        if mass.sum() > 0:
            said = said - (mass @ said) / mass.sum()
            shares[place[card.name]] = float((mass @ np.abs(said)).sum()) / mass.sum()
    total = shares.sum()
    return shares / total if total > 0 else shares


def best_partitions(
    parts: Mapping[str, tuple[Partition, Ints]], rule: MODL, unit: float, n_threads: int
) -> dict[str, Partition]:
    """Return the best way to join the elementary parts of some columns, for display.

    Given are the parts of each column and their counts. Their positions take the place of values.
    """
    summaries = [Summary(name, *_as_values(fine, counts), unit) for name, (fine, counts) in parts.items()]
    found = rule.learn_all(summaries, n_threads)
    shown: dict[str, Partition] = {}
    for (name, (fine, _)), summary, coarse in zip(parts.items(), summaries, found, strict=True):
        places = coarse.bins_of(Values(name, summary.labels))
        counts = sum_by_bin(places, summary.counts, coarse.n_bins + 1)[:-1]
        shown[name] = with_counts(_named(fine, coarse), counts, unit)
    return shown


def _as_values(fine: Partition, counts: Ints) -> tuple[NDArray[np.float64] | tuple[int, ...], Ints]:
    """Return the positions of the parts as labels, and counts with those of missing values last."""
    missing = bool(getattr(fine, "missing", False))
    n = len(counts) - missing
    whole = counts if missing else np.append(counts, np.zeros_like(counts[:1]), axis=0)
    return (tuple(range(n)) if isinstance(fine, Groups) else np.arange(n, dtype=np.float64)), whole


def _named(fine: Partition, coarse: Partition) -> Partition:
    """Return a partition of positions as one of values."""
    if isinstance(coarse, Intervals) and isinstance(fine, Intervals):
        return replace(coarse, bounds=fine.bounds[np.floor(coarse.bounds).astype(np.intp)], scale=fine.scale)
    if isinstance(coarse, Groups) and isinstance(fine, Groups):
        return replace(coarse, groups=tuple(tuple(v for i in each for v in fine.groups[i]) for each in coarse.groups))
    return coarse


def prior_shift(class_prior: Any, classes: Sequence[Any], mass: Sequence[float]) -> Ints:
    """Return what another class prior adds to the evidence of each class."""
    if class_prior is None:
        return np.zeros(len(classes), dtype=np.int64)
    given = [class_prior.get(label) for label in classes] if isinstance(class_prior, Mapping) else list(class_prior)
    try:
        prior = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        prior = np.empty(0)
    if prior.shape != (len(classes),) or not (np.isfinite(prior).all() and (prior > 0).all()):
        expected = f"a positive number for each of the classes {list(classes)!r:.80}"
        raise ParameterError(f"class_prior must be {expected}, got {class_prior!r:.60}.")
    trained = np.array(mass, dtype=np.float64)
    return to_fixed(log_positive(prior / prior.sum()) - log_positive(np.maximum(trained, 1e-300) / trained.sum()))
