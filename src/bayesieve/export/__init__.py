"""A fitted scorecard for other programs: SQL and CSV."""

from bayesieve.export.points_table import scorecard_csv
from bayesieve.export.sql import export_sql

__all__ = ["export_sql", "scorecard_csv"]
