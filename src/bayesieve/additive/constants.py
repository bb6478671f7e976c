# SPDX-License-Identifier: BSD-3-Clause
"""The tuned numbers of a scorecard, each with its reason.

A title in quotation marks is that of a study in ``research/studies.md``, which compared settings; no study there
compares the others. Numbers that only make arithmetic exact (bits, units, limits of a step) stand where they are used.
Those that differ between one score per row and a score per class are in a `Tuning`, which the loss carries.
"""

from dataclasses import dataclass, replace
from typing import Final

__all__ = ["CLASSES", "NUMBERS", "ONE_SCORE", "MemberPriors", "StackRule", "Tuning"]

# ---- Columns and folds

MOST_COLUMNS: Final = 1000
"""Columns that take part; of a wider table those with the largest Bayes factors alone."""

SCREEN_VARIANCE: Final = 0.4
"""Prior variance of the score of a bin, where columns are screened alone."""

# ---- Members and their stack

PSEUDO_COLUMNS: Final = 2.0
"""Weight of the prior of the mixture's weights, in columns."""

LINE_SHARE: Final = 0.5
"""Prior weight of lines among the components of a numeric column that are an effect, where there are lines."""

DECIMALS: Final = 2
"""Decimals of the scores that people read; merging ignores less than half of the last one."""

ERROR_DECIMALS: Final = 4
"""Decimals of standard errors of scores: a hundredth of the last one that people read."""

STACK_PENALTY: Final = 4.0
"""P of a stack where rows are enough: weights stay near the shares of the members."""

STACK_ENOUGH: Final = 1500.0
STACK_MOST_TIMES: Final = 4.0
"""P is up to four times as large below 1,500 rows, which have chosen the columns, too: "Few rows: weights of members
that keep closer to a prior"."""

MOST_SCORE: Final = 15.0
"""At which scores of members are cut off before they are stacked: probabilities of 3e-7."""

MOST_NUMBER: Final = 4096.0
"""The same of numbers, in half standard deviations of what is left: beyond, sums are not exact."""


@dataclass(frozen=True)
class MemberPriors:
    """Prior variances of a member, the prior probability of no effect, and its share of a stack."""

    walks: tuple[float, ...]
    lines: tuple[float, ...]
    categories: tuple[float, ...]
    curve: float = 0.0
    no_effect: float = 0.0
    share: float = 1.0


@dataclass(frozen=True)
class StackRule:
    """When the weights of a stack are found, see `fit_stack`.

    Attributes
    ----------
    enough : float
        Weight of rows below which the penalty grows; 0 where it does not.
    most_score : float
        At which scores of members are cut off.
    largest : float
        Square of the largest difference of scores: sums of rows times it fit ``bits`` bits. None for that of the rows.
    bits : int
        Of sums over rows.
    slack, slack_per_row : float
        What the loss may rise by in a step that is taken.
    least_change, least_decrease : float
        Newton steps end where weights change by less, or the loss per row falls by less.
    most_steps : int
        Number of Newton steps.
    most_shift : float
        Of an intercept in one step.
    """

    enough: float
    most_score: float
    largest: float | None
    bits: int
    slack: float
    slack_per_row: float
    least_change: float
    least_decrease: float
    most_steps: int
    most_shift: float


# ---- Effort of a cyclic fit

MANY_ROWS: Final = 5000
FOLDS: Final = (5, 3)
"""Above, three folds instead of five, ten cycles instead of thirty, and the larger tolerance each changed the log loss
by at most 0.0005."""

MOST_CYCLES: Final = (30, 10)
"""Cycles with few and with many rows."""

LEAST_MOVE: Final = (0.1, 0.5)
"""Fits end where tables move less (squared change × curvature): per contrast with few rows, per class with many."""

# ---- Path over columns

MANY_GROUPS: Final = 30
"""Groups of columns up to which the path takes them one by one."""

PATIENCE: Final = 10
SINGLE_STEPS: Final = 50
STEP_GROWTH: Final = 0.2
"""Of a wide table, several enter together after so many steps without evidence, or from so many columns on: a fifth of
the columns that are in, so that a thousand take some twenty steps more."""

FEW_GROUPS: Final = 8
AT_A_TIME: Final = 4
"""Where old log Bayes factors are used again: not with so few groups, and this many, of groups or pairs, are computed
again together."""

LEAST_ERRORS: Final = 2.0
"""Standard errors by which columns must improve on class frequencies."""

COARSE_SIZES: Final = (12, 4)
"""Sizes up to the first number are all scored, then so many per doubling, where a size takes long."""

# ---- Size

MIN_GAIN: Final = 0.99
"""Share of the gain of all columns that the automatic size is expected to keep."""

HALVES: Final = 64
"""Halves of the rows that choose a size each, a power of 2: their mean is steadier than what all rows choose at once.
"A steady size"."""

MOST_DIVISIONS: Final = 4
DIVIDED_ROWS: Final = 5000
"""Divisions of the rows into folds that losses of sizes are means over: one, and another for each time that the rows
fit into this number: "A steady size"."""

USUAL_LACK: Final = 0.2
LACK_SPREAD: Final = 0.5
"""What a size usually lacks, as a share of the gain, if all effects are left out, and the spread of it, relative: "All
columns as the reference of the automatic size"."""

# ---- Pairs

MOST_PAIRS: Final = 50
LARGEST_MOST_PAIRS: Final = 200
"""Pairs that are searched for where no number is given, with few rows and at the most: "More pairs with many rows"."""

JUMP_PRICE: Final = 3.0
"""Nats of evidence that a table with jumps between blocks must have more than one that is interpolated: 1 in 20 jumps.
"Tables that jump"."""

PAIR_BINS: Final = 8
"""Bins of a column in a table of a pair: "Finer grids"."""

FINE_PAIR_BINS: Final = 32
"""Bins of a column in a table of a model, before they are merged: "Tables that are interpolated"."""

SPIKE_SHARE: Final = 4
"""A bin with a fourth of the rows, that of a frequent value, is unlike its neighbors: no effect is interpolated across
it, and it is a block of its own."""

PAIR_MERGE_BISECTIONS: Final = 10
PAIR_MERGE_SHARE: Final = 0.4
"""Bisections of the price, to some 2 %, and what merging bins of pairs may cost in addition, as a share of what merging
bins of columns may cost."""

PAIR_ROUNDS: Final = 2
"""Of fitting pairs given the columns, and then columns given the pairs."""

PAIR_CANDIDATES: Final = 200
"""Pairs that are compared on 8 × 8 cells after all were screened on 4 × 4."""

PAIRS_AT_A_TIME: Final = 16
PAIR_PATIENCE: Final = 6
"""Pairs that are compared again together; and, where a gain decides, pairs without one before the search ends."""

LARGEST_PAIR_SHARE: Final = 0.5
"""Largest share of pairs that interact, by a screen given the terms, with which the bar is 0: "Many weak pairs"."""

PAIR_STEPS: Final = 3
PAIR_REFIT_STEPS: Final = 2
"""Newton steps of a table, from zero and from a table near the optimum."""

PAIR_TOLERANCE: Final = 0.1
"""Nats by which a step may miss half of its forecast before it is halved; the compiled core has the same number."""

WEAK_FIRST: Final = 4
WEAK_STEPS: Final = 2
WEAK_SHARE: Final = 0.5
WEAK_ERRORS: Final = 3.0
"""Weak pairs: the smallest batch (each other is twice as large), Newton steps, the share of tables that is judged, and
the standard errors that a batch must gain: "Tables that are fitted together, under one prior, and weak pairs taken as a
batch"."""

CELL_SCALES: Final = (0.125, 0.25, 0.5, 1.0)
"""Standard deviations of a cell's effect, in log-odds, among which the search of pairs averages."""

CELL_BLOCKS: Final = ((8, 8), (4, 4), (2, 2), (2, 8), (8, 2))
"""Resolutions of tables among which the search of pairs averages."""

FREE_CONSTANT: Final = 100.0
"""Standard deviation of the constant of a table of a pair: nearly free."""

CLASS_SHARES: Final = (0.125, 0.5)
"""Shares of classes on which a pair has an effect, equally likely: one that matters to few classes is found, too."""

# ---- Merging of bins

MERGE_BISECTIONS: Final = 16
MERGE_PRICES: Final = (1e-6, 1e4)
"""Prices per bin among which the largest one within the tolerance is found."""

LEAST_CURVATURE_SHARE: Final = 0.1
"""Share of the curvature at the class frequencies: certain rows must not be merged for nothing."""

# ---- Passes over rows in blocks

MOST_PASSES: Final = 12
DAMPING: Final = 0.5
LEAST_DAMPING: Final = 0.25
DAMPING_GROWTH: Final = 4.0
"""Passes; damping of a step times the entries of tables per row of the sample, and its growth after a step too far."""

SMALL_MOVE: Final = 0.01
SMALL_MOVE_PER_ROW: Final = 1e-5
"""The squared change at which passes end: per entry (a tenth of a standard error), and per row, half of which the log
loss of a row would still change by."""


@dataclass(frozen=True)
class Tuning:
    """Tuned numbers that differ between one score per row and a score per class.

    Attributes
    ----------
    adaptive : MemberPriors
        The member whose evidence finds the path.
    tied : tuple of MemberPriors
        Those that follow it on the path.
    chains : tuple of tuples of MemberPriors
        Those of the final fit; each of a chain begins where the one before ended.
    n_judged : int
        Folds on which gains of pairs are judged by fits that had not seen them; 0 for out-of-fold scores alone: with
        two classes the difference is small. "Gains of pairs given fits that had not seen the judged fold".
    fold_rows : int
        Above, there are three folds instead of five: earlier with classes, whose fits take longer.
    deals_on : bool
        Whether folds of a class are dealt from where the class before ended: one of many classes may be rare.
    cycles_per_step : int
        Cycles after a column has entered the path, with few rows.
    tolerance_per_row : float
        By which the moves below which fits end grow with rows.
    all_sizes, per_doubling : int
        Sizes on the path that are scored: every one up to a number, then so many per doubling.
    keeps_evidence : bool
        Whether evidence of columns is computed again only where it would decide: with many classes a tenth of the time.
    evidence_growth : int
        Growth of the number of columns until all evidence is computed again: of pairs, or of everything.
    stack : StackRule
        How weights of members are found.
    pair_variances : tuple of float
        Variances of a cell's effect in tables of the model. With classes the curvature is a bound, which favors small
        ones: "Tables of two classes that are fitted together, their prior, and weak pairs as a batch".
    pair_knots, pair_blocks : tuple of int
        Numbers of values per column between which effects of tables of the model are interpolated, and of blocks
        between which they jump; the evidence of each table chooses.
    gains_decide : bool
        Whether pairs are taken by their out-of-fold gain: evidence under a bound of the curvature is too small.
    rows_per_pair : int or None
        Rows per pair above which more than the usual number are searched for where none is given; None for never.
    most_weak : int or None
        Pairs up to which weak ones are taken together, nor more than columns; None for as many as are asked for.
    most_screened : int or None
        Tables (pairs × scores) that are screened; None for all.
    merge_rows : int or None
        Rows whose expected cost of merging is computed; None for all.
    """

    adaptive: MemberPriors
    tied: tuple[MemberPriors, ...]
    chains: tuple[tuple[MemberPriors, ...], ...]
    n_judged: int
    fold_rows: int
    deals_on: bool
    cycles_per_step: int
    tolerance_per_row: float
    all_sizes: int
    per_doubling: int
    keeps_evidence: bool
    evidence_growth: int
    stack: StackRule
    pair_variances: tuple[float, ...]
    pair_knots: tuple[int, ...]
    pair_blocks: tuple[int, ...]
    gains_decide: bool
    rows_per_pair: int | None
    most_weak: int | None
    most_screened: int | None
    merge_rows: int | None

    def most_pairs(self, n_rows: int) -> int:
        """Return the number of pairs that are searched for where none is given."""
        more = 0 if self.rows_per_pair is None else n_rows // self.rows_per_pair
        return min(max(MOST_PAIRS, more), LARGEST_MOST_PAIRS)


def _tied(variance: float, curve: float = 0.0, share: float = 1.0) -> MemberPriors:
    return MemberPriors((variance,), (), (variance / 4.0,), curve, share=share)


def _adaptive(*walks: float) -> MemberPriors:
    return MemberPriors(walks, (0.02, 0.2), (0.03, 0.1, 0.4, 1.6), no_effect=0.5, share=3.0)


def _adaptive_of_classes(*walks: float) -> MemberPriors:
    return MemberPriors(walks, (0.005, 0.05), (0.0075, 0.025, 0.1, 0.4), curve=0.2, no_effect=0.5)


# Shares of 0.5, 0.15, 0.2 and, of the adaptive member, 0.15: the first is the best one alone where rows are few ("Few
# rows"). They were chosen for two classes.
_TIED: Final = (_tied(0.5, share=10.0), _tied(0.02, share=3.0), _tied(0.5, curve=0.2, share=4.0))
# Wide walks are for values that stand out from their neighbors; from a fresh start only: a warm start keeps what chance
# found.
_WIDE: Final = _adaptive(0.1, 0.5, 2.5, 12.0, 60.0, 300.0)

ONE_SCORE: Final = Tuning(
    adaptive=_adaptive(0.1, 0.5, 2.5, 12.0),
    tied=_TIED,
    chains=tuple((member,) for member in (*_TIED, _WIDE)),
    n_judged=0,
    fold_rows=MANY_ROWS,
    deals_on=False,
    cycles_per_step=2,
    tolerance_per_row=0.0,
    all_sizes=50,
    per_doubling=10,
    keeps_evidence=False,
    evidence_growth=2,
    stack=StackRule(
        enough=STACK_ENOUGH,
        most_score=MOST_SCORE,
        largest=MOST_SCORE**2,
        bits=60,
        slack=1e-12,
        slack_per_row=0.0,
        least_change=1e-5,
        least_decrease=-float("inf"),
        most_steps=50,
        most_shift=float("inf"),
    ),
    pair_variances=(0.5, 1.0, 2.0, 4.0),
    pair_knots=(8, 16),
    pair_blocks=(8,),
    gains_decide=False,
    rows_per_pair=50,
    most_weak=None,
    most_screened=None,
    merge_rows=None,
)

# Where little of a number is left, shapes are larger in its unit: a fifth member, of wide walks.
_OF_NUMBERS: Final = (_tied(0.5, share=8.0), _tied(0.02, share=3.0), _tied(0.5, curve=0.2, share=3.0))

NUMBERS: Final = replace(
    ONE_SCORE,
    tied=_OF_NUMBERS,
    chains=tuple((member,) for member in (*_OF_NUMBERS, _tied(4.0, share=3.0), _WIDE)),
    deals_on=True,  # groups of neighboring numbers may be smaller than folds
    # Newton steps of a quadratic end at once: whether the last one is taken may not depend on how sums are rounded.
    stack=replace(ONE_SCORE.stack, most_score=MOST_NUMBER, largest=None, slack_per_row=1e-8),
)

# Tied members have one optimum, wherever they begin: from stiff to loose, each is near the next. The adaptive one,
# which may have several, is better from there than from zero.
CLASSES: Final = Tuning(
    adaptive=_adaptive_of_classes(0.025, 0.125, 0.625, 3.0),
    tied=(_tied(0.5, curve=0.2),),
    chains=(
        (
            _tied(0.02),
            _tied(0.5),
            _tied(0.5, curve=0.2),
            _tied(4.0, curve=0.2),
            _adaptive_of_classes(0.025, 0.125, 0.625, 3.0, 15.0, 75.0),
        ),
    ),
    n_judged=5,
    fold_rows=2000,
    deals_on=True,
    cycles_per_step=1,
    tolerance_per_row=5e-5,
    all_sizes=COARSE_SIZES[0],
    per_doubling=COARSE_SIZES[1],
    keeps_evidence=True,
    evidence_growth=6,
    stack=StackRule(
        enough=0.0,
        most_score=MOST_SCORE,
        largest=(2.0 * MOST_SCORE) ** 2,
        bits=50,
        slack=0.0,
        slack_per_row=1e-9,
        least_change=0.0,
        least_decrease=1e-5,
        most_steps=40,
        most_shift=2.0,
    ),
    pair_variances=(1.0,),
    pair_knots=(8,),
    pair_blocks=(),
    gains_decide=True,
    rows_per_pair=None,
    most_weak=32,
    most_screened=2**16,
    merge_rows=5000,
)
