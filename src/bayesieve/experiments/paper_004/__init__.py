"""Rabenoro, Lacaille, Cottrell and Rossi: interpretable indicators for engine monitoring, table 1.

Series are simulated and become 814 binary indicators. Tables are learnt on half A of the training set; subsets are
found on half B and chosen there, of each phase of a search the smallest with the lowest error; a fresh test set
scores them.
"""

from bayesieve.experiments.paper_004.experiment import indicators_table

__all__ = ["indicators_table"]
