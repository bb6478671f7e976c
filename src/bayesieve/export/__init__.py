"""Export of a fitted scorecard: SQL and CSV."""

from bayesieve.export.points_csv import scorecard_csv
from bayesieve.export.sql import export_sql

__all__ = ["export_sql", "scorecard_csv"]
