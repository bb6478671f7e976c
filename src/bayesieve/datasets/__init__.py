"""Published data sets, found on this machine or fetched, and checked; simulated ones."""

from bayesieve.datasets.donors import make_donors
from bayesieve.datasets.engine_indicators import engine_indicators
from bayesieve.datasets.engine_series import make_engine_series
from bayesieve.datasets.kdd98 import load_kdd98
from bayesieve.datasets.loaders import (
    load_20newsgroups,
    load_arcene,
    load_breast_w,
    load_crx,
    load_dexter,
    load_dorothea,
    load_german,
    load_gisette,
    load_heart_statlog,
    load_hepatitis,
    load_horse_colic,
    load_ionosphere,
    load_kdd98_targets,
    load_madelon,
    load_pima,
    load_spect,
    load_vote,
)
from bayesieve.datasets.probes import ProbeReport, add_probes, probe_report

__all__ = [
    "ProbeReport",
    "add_probes",
    "engine_indicators",
    "load_20newsgroups",
    "load_arcene",
    "load_breast_w",
    "load_crx",
    "load_dexter",
    "load_dorothea",
    "load_german",
    "load_gisette",
    "load_heart_statlog",
    "load_hepatitis",
    "load_horse_colic",
    "load_ionosphere",
    "load_kdd98",
    "load_kdd98_targets",
    "load_madelon",
    "load_pima",
    "load_spect",
    "load_vote",
    "make_donors",
    "make_engine_series",
    "probe_report",
]
