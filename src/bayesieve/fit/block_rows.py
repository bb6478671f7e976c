# SPDX-License-Identifier: BSD-3-Clause
"""Training rows in blocks: of Dask, or on disk."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesieve.data.blocks.block_survey import SurveyedBlocks
from bayesieve.exceptions import ParameterError
from bayesieve.fit.block_codes import block_folds, code_all, code_blocks, code_sample, sampled_segment
from bayesieve.fit.block_folds import assign_folds, number_rows
from bayesieve.fit.block_learning import BlockFold, learn_in_blocks
from bayesieve.fit.block_sample import sample_rows, sample_steps, weigh_classes
from bayesieve.fit.memory_rows import MemoryFolds
from bayesieve.fit.options import Splitter, TrainingOptions
from bayesieve.fit.problem_data import ProblemData
from bayesieve.search import SEARCHES

__all__ = ["BlockedRows"]


@dataclass(frozen=True)
class BlockedRows(SurveyedBlocks):
    """Labeled rows that stay where they are."""

    @property
    def has_validation_rows(self) -> bool:
        """Whether validation rows of another table are given: never."""
        return False

    def with_benefits(self, matrix: ArrayLike | None, benefits: ArrayLike | None) -> "BlockedRows":
        """Refuse benefits."""
        raise ParameterError("criterion='benefit' needs a table in memory; for rows in blocks, use 'log_loss'.")

    def fold_of_rows(self, splitter: Splitter | None, groups: ArrayLike | None) -> NDArray[np.int64] | None:
        """Refuse folds that are given: those of joint shapes are drawn from the sample that they are learned from."""
        if splitter is not None or groups is not None:
            raise ParameterError(
                "For rows in blocks, a ScorecardClassifier draws its own folds: set cv to 'auto' or a number, leave "
                "random_state at None, and use no groups."
            )
        return None

    def learn(self, options: TrainingOptions, groups: ArrayLike | None) -> ProblemData:
        """Divide the rows into folds, learn bins and tables of each fold, and let each block code its rows."""
        _refuse_single_moves(options.search)
        if options.shapes is not None:
            return self._learn_sampled(options)
        numbers, assignments = assign_folds(self, options.splitter, groups)
        training = [BlockFold(k, scores_training_rows=True) for k in numbers] if options.learns_on_path else []
        scored = [BlockFold(k, scores_training_rows=False) for k in numbers]
        folds = [*training, *scored, BlockFold(0, scores_training_rows=True)]
        rows = number_rows(self.rows, assignments)
        columns = learn_in_blocks(
            self,
            rows,
            number_rows(self.targets, assignments),
            folds,
            options.rule,
            options.model,
            n_threads=options.n_threads,
            required=options.columns.required,
            dropped=options.columns.drop,
        )
        # All rows under the last fold are coded only where they are scored; otherwise a sample is enough.
        codes_last = options.learns_on_path or not numbers
        coded = code_blocks(rows, folds if codes_last else folds[:-1], columns, self.n_rows, self.n_classes)
        n_training, n_classes = len(training), self.n_classes
        which = list(range(n_training, n_training + len(scored))) or [0]
        validation = block_folds(coded, columns, which, n_classes)
        last = [len(folds) - 1]
        return ProblemData(
            columns,
            validation,
            block_folds(coded, columns, range(n_training), n_classes) if training else validation,
            replace(columns.folds[-1], segment=sampled_segment(coded)),
            block_folds(coded, columns, last, n_classes) if options.learns_on_path and numbers else validation,
            sum(sum(mass) for mass in validation.masses) * self.unit,
            on_training_rows=not numbers,
        )

    def _learn_sampled(self, options: TrainingOptions) -> ProblemData:
        """Learn bins from all rows, and code a sample of them in this process: all, if they are few.

        Of a sample, each block codes and keeps all its rows, too, for the final shapes.
        """
        unnumbered = number_rows(self.rows, [None] * len(self.survey.n_rows))
        columns = learn_in_blocks(
            self,
            unnumbered,
            number_rows(self.targets, [None] * len(self.survey.n_rows)),
            [BlockFold(0, scores_training_rows=True)],
            options.rule,
            options.model,
            n_threads=options.n_threads,
            required=options.columns.required,
            dropped=options.columns.drop,
            with_values=True,
        )
        steps = sample_steps(self.class_sizes, len(columns.columns))
        sampled = number_rows(self.rows, sample_rows(np.array(self.survey.sizes), steps))
        all_rows = None
        if int(steps.max()) == 1:
            segment = code_sample(sampled, columns, self.n_classes)
        else:
            segment, all_rows = code_all(sampled, columns, self.n_classes)
        segment = weigh_classes(segment, steps // steps.min())
        sample, final = MemoryFolds([segment]), replace(columns.folds[-1], segment=segment)
        n_scored = float(segment.weights.sum()) * self.unit
        return ProblemData(columns, sample, sample, final, sample, n_scored, on_training_rows=True, all_rows=all_rows)


def _refuse_single_moves(search: str | None) -> None:
    if search is not None and SEARCHES[search].n_starts is not None:
        raise ParameterError(
            f"search={search!r} makes one move at a time and would send a message to all blocks for each; with rows "
            "in blocks use 'forward', 'floating' or another search that scores all moves at once."
        )
