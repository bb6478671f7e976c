"""Rows ready for learning: a table, its target and its weights."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayesieve.coding import CodingRule, Partition, encode_table
from bayesieve.data import Table, Target, Weights
from bayesieve.engine import Segment
from bayesieve.models import Model, Tables

__all__ = ["Learnt", "Sample", "learn"]


@dataclass(frozen=True)
class Sample:
    """Some rows."""

    table: Table
    target: Target
    weights: Weights

    def take(self, rows: NDArray[np.intp]) -> "Sample":
        """Return some of the rows."""
        return Sample(self.table.take(rows), self.target.take(rows), self.weights.take(rows))


@dataclass(frozen=True)
class Learnt:
    """Partitions and tables of every column, learnt from some rows, and other rows coded by them."""

    partitions: list[Partition]
    tables: Tables
    segment: Segment


def learn(fitting: Sample, scored: Sample, rule: CodingRule, model: Model) -> Learnt:
    """Learn partitions and tables from the fitting rows and code the scored rows."""
    partitions = rule.learn(fitting.table, fitting.target, fitting.weights)
    n_classes = fitting.target.n_classes
    codes = encode_table(fitting.table, partitions)
    counts = codes.count(fitting.target.codes, fitting.weights.units, n_classes)
    mass = np.zeros(n_classes, dtype=np.int64)
    np.add.at(mass, fitting.target.codes, fitting.weights.units)
    tables = model.learn(counts, codes.offsets, mass, fitting.weights.unit)
    if scored is not fitting:
        codes = encode_table(scored.table, partitions)
    return Learnt(partitions, tables, Segment(codes, scored.target.codes, scored.weights.units, tables, n_classes))
