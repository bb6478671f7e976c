# SPDX-License-Identifier: BSD-3-Clause
"""The experiment of each paper, in full or as a small version that takes seconds."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from bayesieve.papers import paper_000, paper_001, paper_002, paper_003, paper_004
from bayesieve.papers.experiment import Experiment

__all__ = ["EXPERIMENTS", "PaperExperiment"]

Summary = dict[str, Any]


@dataclass(frozen=True)
class PaperExperiment:
    """How an experiment is made from the options of the command line, and how its summary is shown.

    Attributes
    ----------
    make : callable
        Takes the options by name.
    markdown, pictures : callables
        Summary to tables, and to SVG pictures by file name.
    options : tuple of str
        The options that it has.
    quick : mapping
        Values of options for the small version.
    """

    make: Callable[..., Experiment]
    markdown: Callable[[Summary], str]
    pictures: Callable[[Summary], dict[str, str]]
    options: tuple[str, ...]
    quick: Mapping[str, Any]

    def __call__(self, given: Mapping[str, Any], *, quick: bool) -> Experiment:
        """Return the experiment with the given options; None means the default."""
        values = {name: given[name] for name in self.options if given[name] is not None}
        return self.make(**{**self.quick, **values} if quick else values)


EXPERIMENTS: Final[dict[str, PaperExperiment]] = {
    "000": PaperExperiment(
        paper_000.mailing_table,
        paper_000.markdown,
        paper_000.pictures,
        ("seeds", "people"),
        {"seeds": 1, "people": 2000, "download": False, "n_halves": 1},
    ),
    "001": PaperExperiment(
        paper_001.recall_tables,
        paper_001.markdown,
        paper_001.pictures,
        ("cv", "sizes", "sets"),
        {"cv": 2, "sizes": 3, "sets": ("spect", "hepatitis")},
    ),
    "002": PaperExperiment(
        paper_002.classifier_tables,
        paper_002.markdown,
        paper_002.pictures,
        ("repeats", "sets"),
        {"sets": ("madelon", "spect"), "is_small": True},
    ),
    "003": PaperExperiment(
        paper_003.vote_tables,
        paper_003.markdown,
        paper_003.pictures,
        ("cv", "sizes", "sets"),
        {"cv": 3, "sizes": 4, "sets": ("spect", "hepatitis")},
    ),
    "004": PaperExperiment(
        paper_004.indicators_table,
        paper_004.markdown,
        paper_004.pictures,
        ("seeds", "series"),
        {"seeds": 1, "series": 240},
    ),
}
