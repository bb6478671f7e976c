# SPDX-License-Identifier: BSD-3-Clause
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

def count_codes(
    codes: npt.NDArray[np.uint8] | npt.NDArray[np.uint16],
    target: npt.NDArray[np.int32],
    weights: npt.NDArray[np.int64],
    offsets: npt.NDArray[np.int64],
    n_classes: int,
) -> npt.NDArray[np.int64]: ...

class Engine:
    def __init__(
        self,
        model: str,
        arguments: npt.NDArray[np.int64],
        kernel: str,
        argument: float,
        segments: tuple[tuple[npt.NDArray[Any], ...], ...],
        n_threads: int,
    ) -> None: ...
    @property
    def can_estimate(self) -> bool: ...
    def apply(
        self,
        columns: npt.NDArray[np.int32],
        before: npt.NDArray[np.float64],
        after: npt.NDArray[np.float64],
        from_nothing: bool,
    ) -> None: ...
    def measure_state(self) -> npt.NDArray[np.uint64]: ...
    def measure_moves(
        self,
        columns: npt.NDArray[np.int32],
        before: npt.NDArray[np.float64],
        after: npt.NDArray[np.float64],
        starts: npt.NDArray[np.int64],
    ) -> npt.NDArray[np.uint64]: ...
    def estimate(
        self,
        columns: npt.NDArray[np.int32],
        before: npt.NDArray[np.float64],
        after: npt.NDArray[np.float64],
        starts: npt.NDArray[np.int64],
        effort: int,
    ) -> npt.NDArray[np.float64]: ...
    def rank_tables(
        self,
        columns: npt.NDArray[np.int32],
        before: npt.NDArray[np.float64],
        after: npt.NDArray[np.float64],
        starts: npt.NDArray[np.int64],
    ) -> list[list[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]]]: ...
    def key_ranges(self) -> npt.NDArray[np.int64]: ...
    def histograms(
        self,
        columns: npt.NDArray[np.int32],
        before: npt.NDArray[np.float64],
        after: npt.NDArray[np.float64],
        starts: npt.NDArray[np.int64],
        buckets: npt.NDArray[np.int64],
        n_buckets: int,
    ) -> npt.NDArray[np.int64]: ...
    def snapshot(self) -> npt.NDArray[np.int64]: ...
    def restore(self, token: npt.NDArray[np.int64]) -> None: ...

class WeightGradients:
    def __init__(
        self, segments: tuple[tuple[npt.NDArray[Any], ...], ...], unit: float, n_threads: int, total: float = -1.0
    ) -> None: ...
    def reset(self, start: npt.NDArray[np.int64], weights: npt.NDArray[np.float64]) -> None: ...
    def slopes(self, columns: npt.NDArray[np.int32]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]: ...
    def descend(
        self,
        columns: npt.NDArray[np.int32],
        penalties: npt.NDArray[np.float64],
        tolerance: float,
        most_rounds: int,
    ) -> int: ...
    def sums(self, columns: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]: ...
    def totals(self) -> npt.NDArray[np.int64]: ...
    def products(self, columns: npt.NDArray[np.int32], factors: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]: ...
    def shift(self, column: int, before: float, after: float) -> None: ...
    def shift_start(self, change: npt.NDArray[np.int64]) -> None: ...
    def start(self) -> npt.NDArray[np.int64]: ...
    def weights(self) -> npt.NDArray[np.float64]: ...
    def losses(self) -> npt.NDArray[np.uint64]: ...

def vector_build() -> Literal["portable", "avx2", "avx512"]: ...
def index_columns(
    numbers: npt.NDArray[np.integer[Any] | np.floating[Any]], n_threads: int
) -> tuple[list[npt.NDArray[np.float64]], npt.NDArray[np.int32]]: ...
def pick_rows(
    ids: npt.NDArray[np.int32], n_labels: npt.NDArray[np.int64], rows: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int32], list[npt.NDArray[np.uint8]]]: ...
def count_columns(
    ids: npt.NDArray[np.int32],
    offsets: npt.NDArray[np.int64],
    strata: npt.NDArray[np.int32],
    weights: npt.NDArray[np.int64],
    n_strata: int,
    n_threads: int,
) -> npt.NDArray[np.int64]: ...
def count_cells(
    values: npt.NDArray[np.float32] | npt.NDArray[np.float64],
    borders: npt.NDArray[np.float64],
    strata: npt.NDArray[np.int32],
    weights: npt.NDArray[np.int64],
    n_strata: int,
    are_labels: bool,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], bool]: ...
def code_cells(
    values: npt.NDArray[np.float32] | npt.NDArray[np.float64],
    borders: npt.NDArray[np.float64],
    code_of_cell: npt.NDArray[np.int64],
    rows: npt.NDArray[np.int64],
    codes: npt.NDArray[np.uint8] | npt.NDArray[np.uint16],
) -> None: ...
def readable_between(left: npt.NDArray[np.float64], right: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]: ...
def fixed_logs(x: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]: ...
def slot_cuts(mass: npt.NDArray[np.int64], n_slots: int) -> npt.NDArray[np.int64]: ...
def weigh_labels(
    counts: npt.NDArray[np.int64], offsets: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]: ...
def add_by_bin(bins: npt.NDArray[np.int64], counts: npt.NDArray[np.int64], n_bins: int) -> npt.NDArray[np.int64]: ...
def add_by_bins(
    bins: list[npt.NDArray[np.int64]], counts: npt.NDArray[np.int64], offsets: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]: ...
def interval_bins(
    labels: npt.NDArray[np.float64], bounds: npt.NDArray[np.float64], missing: int
) -> npt.NDArray[np.int64]: ...
def occurring_positions(positions: npt.NDArray[np.integer[Any]], n_entries: int) -> npt.NDArray[np.uint8]: ...
def look_up_positions(positions: npt.NDArray[np.integer[Any]], ids: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]: ...
def code_columns(
    ids: npt.NDArray[np.int32],
    offsets: npt.NDArray[np.int64],
    rows: npt.NDArray[np.int64],
    bins: list[npt.NDArray[np.int64]],
    codes: npt.NDArray[np.uint8] | npt.NDArray[np.uint16],
    n_threads: int,
) -> None: ...
def modl_interval_structure(prior: str, n_attributes: int, total: float, n_bins: int, granularity: int) -> int: ...
def modl_group_structure(prior: str, n_attributes: int, total: float, shape: tuple[int, int, int, int]) -> int: ...
def modl_bin_costs(counts: npt.NDArray[np.int64], unit: float) -> npt.NDArray[np.int64]: ...
def modl_average(
    counts: npt.NDArray[np.int64],
    offsets: npt.NDArray[np.int64],
    unit: float,
    priors: npt.NDArray[np.float64],
    pseudo: float,
    n_threads: int,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.float64]]: ...
def mdlp_intervals(
    counts: npt.NDArray[np.int64],
    offsets: npt.NDArray[np.int64],
    unit: float,
    fixed_first: npt.NDArray[np.uint8],
    monotone: npt.NDArray[np.int8],
    least: int,
    max_bins: int,
    n_threads: int,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]: ...
def modl_intervals(
    counts: npt.NDArray[np.int64],
    offsets: npt.NDArray[np.int64],
    unit: float,
    prior: str,
    n_attributes: int,
    fixed_first: npt.NDArray[np.uint8],
    monotone: npt.NDArray[np.int8],
    least: int,
    max_bins: int,
    n_threads: int,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]: ...
def modl_groups(
    counts: npt.NDArray[np.int64],
    offsets: npt.NDArray[np.int64],
    unit: float,
    prior: str,
    n_attributes: int,
    fixed_first: npt.NDArray[np.uint8],
    min_size: int,
    max_bins: int,
    n_threads: int,
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]: ...

class GradientHistogram:
    def __init__(self, codes: tuple[npt.NDArray[Any], ...], n_threads: int) -> None: ...
    def sums(self, columns: npt.NDArray[np.int64], gradients: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]: ...

class JointSums:
    def __init__(
        self,
        codes: tuple[npt.NDArray[Any], ...],
        target: npt.NDArray[np.int32],
        weights: npt.NDArray[np.int64],
        n_classes: int,
        shift: int,
        n_threads: int,
    ) -> None: ...
    def sums(
        self, other: int, columns: npt.NDArray[np.int64], with_class: bool
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64] | None]: ...

def relieff(
    values: npt.NDArray[np.float64],
    begins: npt.NDArray[np.int64],
    penalties: npt.NDArray[np.float64],
    target: npt.NDArray[np.int32],
    shares: npt.NDArray[np.float64],
    factors: npt.NDArray[np.float64],
    n_threads: int,
) -> npt.NDArray[np.int64]: ...
def pair_sums(
    codes: npt.NDArray[np.uint8],
    pairs: npt.NDArray[np.int64],
    gradient: npt.NDArray[np.int64],
    curvature: npt.NDArray[np.int64],
    n_threads: int,
) -> npt.NDArray[np.int64]: ...
def row_derivatives(
    loss: str, rows: tuple[npt.NDArray[Any], ...], gradient_steps: float, loss_steps: float
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]: ...
def fold_sums(
    loss: str,
    rows: tuple[npt.NDArray[Any], ...],
    tables: npt.NDArray[np.float64],
    gradient_steps: float,
    loss_steps: float,
    n_threads: int,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]: ...

class PairScreen:
    def __init__(
        self,
        codes: npt.NDArray[np.uint8],
        n_bins: npt.NDArray[np.int64],
        contrasts: npt.NDArray[np.float64],
        halves: npt.NDArray[np.float64],
        squared_scales: npt.NDArray[np.float64],
        ridge: float,
    ) -> None: ...
    def factors(
        self, slopes: tuple[npt.NDArray[np.int64], ...], unit: float, first: int, last: int, n_threads: int
    ) -> npt.NDArray[np.float64]: ...

class PairAlgebra:
    def __init__(
        self,
        n_a: int,
        n_b: int,
        margins: npt.NDArray[np.float64],
        roots: tuple[tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]], ...],
        squared_scales: npt.NDArray[np.float64],
        fills: bool,
    ) -> None: ...
    def fit(
        self,
        gradient: npt.NDArray[np.float64],
        curvature: npt.NDArray[np.float64],
        with_means: bool,
        n_threads: int,
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]: ...
    def cross_fit(
        self,
        loss: str,
        rows: tuple[npt.NDArray[Any], ...],
        start: npt.NDArray[np.float64],
        steps: tuple[float, float, float, float],
        n_steps: int,
        n_threads: int,
    ) -> npt.NDArray[np.float64]: ...
    def margins(
        self, gradient: npt.NDArray[np.float64], curvature: npt.NDArray[np.float64]
    ) -> npt.NDArray[np.float64]: ...

def merge_scores(
    scores: npt.NDArray[np.float64], weights: npt.NDArray[np.float64], price: float
) -> npt.NDArray[np.int64]: ...
def row_losses(
    loss: str, scores: npt.NDArray[np.float64], target: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]: ...
def softmax(
    scores: npt.NDArray[np.float64],
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.float64]]: ...
def stack_sums(
    loss: str,
    problem: tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.float64], float],
    a: npt.NDArray[np.float64],
    b: npt.NDArray[np.float64],
) -> npt.NDArray[np.int64]: ...
def stacked_sums(
    loss: str,
    arrays: tuple[npt.NDArray[Any], ...],
    unit: float,
    fits: tuple[tuple[float, float, npt.NDArray[np.float64], npt.NDArray[np.float64]], ...],
    cells: npt.NDArray[np.uint16],
    tables: tuple[npt.NDArray[np.float64], ...],
    intercept: float,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64], int]: ...
def column_posteriors(
    bases: tuple[npt.NDArray[Any], ...],
    variances: tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.float64], float],
    weights: tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]],
    slopes: npt.NDArray[np.float64],
    curvatures: npt.NDArray[np.float64],
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]: ...
def descend_stack(
    problem: tuple[npt.NDArray[np.float64], ...], slope: float, curvature: float, tolerance: float, sweeps: int
) -> tuple[npt.NDArray[np.float64], float]: ...

class CyclicFit:
    def __init__(
        self,
        arrays: tuple[npt.NDArray[Any], ...],
        unit: float,
        loss: str,
        n_scores: int,
        variances: tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.float64], float],
        lead: npt.NDArray[np.int64],
        begin: int,
        end: int,
        moderated: bool,
        intercepts: npt.NDArray[np.float64],
        tables: npt.NDArray[np.float64],
    ) -> None: ...
    def log_bayes_factors(
        self, columns: npt.NDArray[np.int64], numeric: npt.NDArray[np.float64], nominal: npt.NDArray[np.float64]
    ) -> npt.NDArray[np.float64]: ...
    def cycle(
        self, columns: npt.NDArray[np.int64], numeric: npt.NDArray[np.float64], nominal: npt.NDArray[np.float64]
    ) -> tuple[float, npt.NDArray[np.float64], npt.NDArray[np.float64]]: ...
    def shift(self, change: npt.NDArray[np.float64]) -> None: ...
    def go_to(
        self, intercepts: npt.NDArray[np.float64], tables: npt.NDArray[np.float64], variances: npt.NDArray[np.float64]
    ) -> None: ...
    def sums(self) -> npt.NDArray[np.int64]: ...
    def correct(self, slopes: npt.NDArray[np.int64], least: npt.NDArray[np.int64]) -> None: ...
    def scores(self, begin: int, end: int) -> npt.NDArray[np.float64]: ...
    def intercepts(self) -> npt.NDArray[np.float64]: ...
    def tables(self) -> npt.NDArray[np.float64]: ...
    def variances(self) -> npt.NDArray[np.float64]: ...
