"""Data checked before a fit, and a model watched after it: findings per column, and drift of new rows."""

from bayesieve.quality.data_check import ColumnCheck, DataCheck, check_data
from bayesieve.quality.finding import Finding
from bayesieve.quality.leaks import leaks_target

__all__ = ["ColumnCheck", "DataCheck", "Finding", "check_data", "leaks_target"]
