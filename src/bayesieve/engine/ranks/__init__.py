"""Ranks of rows, merged over blocks: what the area under a curve needs."""
