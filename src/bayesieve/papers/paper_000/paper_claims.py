# SPDX-License-Identifier: BSD-3-Clause
"""Claims to check on simulated campaigns."""

from typing import Final

from bayesieve.papers.claim import Claim

__all__ = ["CLAIMS"]

_FORWARD: Final = ("5 forward", "10 forward", "20 forward", "forward, size by folds, MODL")
_OTHERS: Final = ("7 hand-selected", "all columns")
_CALIBRATED: Final = ("5 boosted, logit, MODL", "5 boosted, brier, MODL")
_CONFIDENT: Final = ("5 boosted", "5 boosted, confidence, MODL")


def _all(quantity: str, *, forward_is_larger: bool) -> tuple[tuple[str, str, str], ...]:
    pairs = [(ours, other) for ours in _FORWARD for other in _OTHERS]
    return tuple((quantity, *(pair if forward_is_larger else pair[::-1])) for pair in pairs)


CLAIMS: Final = (
    Claim(
        "Forward selection has a lower MSE than all columns and the seven.", _all("mse_test", forward_is_larger=False)
    ),
    Claim("Forward selection earns more than all columns and the seven.", _all("true_profit", forward_is_larger=True)),
    Claim(
        "All columns together have a very high MSE: a higher one than the class frequencies alone.",
        (("mse_test", "all columns", "prior"),),
    ),
    Claim("More columns do harm: 20 have a higher test MSE than 5.", (("mse_test", "20 forward", "5 forward"),)),
    Claim(
        "Calibrated boosting has a lower MSE than boosting by confidence.",
        tuple(("mse_test", other, ours) for ours in _CALIBRATED for other in _CONFIDENT),
    ),
    Claim(
        "Calibrated boosting earns more than boosting by confidence.",
        tuple(("true_profit", ours, other) for ours in _CALIBRATED for other in _CONFIDENT),
    ),
    Claim(
        "Calibration earns more on the columns of forward selection.",
        (("true_profit", "forward, size by folds, calibrated, MODL", "forward, size by folds, MODL"),),
    ),
    Claim(
        "Choosing columns by their benefit earns more than by the Brier score.",
        (("true_profit", "benefit, size by folds, calibrated, MODL", "forward, size by folds, calibrated, MODL"),),
    ),
    Claim(
        "SelectiveNaiveBayes as it is earns more than every other row.",
        tuple(
            ("true_profit", "SelectiveNaiveBayes, MODL", other)
            for other in (
                *_FORWARD,
                *_OTHERS,
                *_CONFIDENT,
                *_CALIBRATED,
                "5 boosted, real, MODL",
                "forward, size by folds, calibrated, MODL",
                "benefit, size by folds, calibrated, MODL",
            )
        ),
        every=True,
    ),
    Claim(
        "SelectiveNaiveBayes closes more than half of the gap between a letter to everyone and the truth.",
        (("gap_closed", "SelectiveNaiveBayes, MODL", "half"),),
    ),
)
