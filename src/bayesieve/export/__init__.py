# SPDX-License-Identifier: BSD-3-Clause
"""Export of a fitted scorecard: SQL, ONNX, PMML, CSV and a model card."""

from bayesieve.export.model_card import model_card
from bayesieve.export.onnx_model import export_onnx, onnx_inputs
from bayesieve.export.pmml import export_pmml
from bayesieve.export.points_csv import scorecard_cells, scorecard_csv
from bayesieve.export.sql import export_sql

__all__ = ["export_onnx", "export_pmml", "export_sql", "model_card", "onnx_inputs", "scorecard_cells", "scorecard_csv"]
