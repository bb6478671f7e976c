"""Rows in blocks: in memory, on disk, or on the workers of a Dask cluster."""
