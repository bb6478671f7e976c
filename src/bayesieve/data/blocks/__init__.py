"""Blocks of rows: in memory, on disk, or on the workers of a Dask cluster."""
