"""The engines on rows in blocks."""
