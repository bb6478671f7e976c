"""Rabenoro, Lacaille, Cottrell and Rossi: interpretable indicators for engine monitoring, table 1.

Series are simulated and become 814 binary indicators. Tables are learnt on half A of the training set; subsets are
found on half B and chosen there, of each phase of a search the smallest with the lowest error; a fresh test set
scores them.
"""

from bayesieve.experiments.paper_004.journal import Journal
from bayesieve.experiments.paper_004.methods import METHODS
from bayesieve.experiments.paper_004.picture import draw_paths
from bayesieve.experiments.paper_004.replicate import run_seed
from bayesieve.experiments.paper_004.seeds import run_seeds
from bayesieve.experiments.paper_004.summary import summarize
from bayesieve.experiments.paper_004.table import markdown

__all__ = ["METHODS", "Journal", "draw_paths", "markdown", "run_seed", "run_seeds", "summarize"]
