"""Derivatives of the loss, added up per bin: what weights and boosting need."""
