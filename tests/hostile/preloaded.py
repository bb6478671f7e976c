"""What the programs of `kills.py` import, for the process that starts them; no thread may run in it."""

import importlib

import bayesieve

MODULES = ("pandas", "sklearn.model_selection", "bayesieve.cli.app", "bayesieve.papers.paper_004")
for name in MODULES:
    importlib.import_module(name)
for name in bayesieve.__all__:
    getattr(bayesieve, name)
