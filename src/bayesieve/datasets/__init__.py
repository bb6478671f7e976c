# SPDX-License-Identifier: BSD-3-Clause
"""Published data sets, which are downloaded and checked, and simulated ones."""

from bayesieve.datasets.aircraft import aircraft_indicators, aircraft_scores, make_aircraft_series
from bayesieve.datasets.donors import make_donors
from bayesieve.datasets.kdd98 import load_kdd98
from bayesieve.datasets.loading import (
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
    "aircraft_indicators",
    "aircraft_scores",
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
    "make_aircraft_series",
    "make_donors",
    "probe_report",
]
