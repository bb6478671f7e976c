# SPDX-License-Identifier: BSD-3-Clause
"""The people of a simulated campaign: hidden traits, and the response to the next letter that follows from them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats
from bayesieve.datasets.donor_parameters import PARAMETERS
from bayesieve.exact import exp_nonpositive

__all__ = ["People", "draw_people"]


@dataclass(frozen=True)
class People:
    """Hidden traits and true responses.

    Attributes
    ----------
    traits : mapping of name to array of shape (n_samples,)
        Standard normal: frequency, recency, size, tenure, age.
    place : int array of shape (n_samples,)
        Each person's neighborhood.
    factors : array of shape (n_factors, n_places)
        Hidden factors of the neighborhoods; the first is affluence.
    probability, expected_amount : arrays of shape (n_samples,)
        Probability of a gift, and its expected amount if there is one.
    gave : bool array of shape (n_samples,)
        Whether there was a gift.
    amount : array of shape (n_samples,)
        Amount in dollars; 0 without a gift.
    """

    traits: Mapping[str, Floats]
    place: NDArray[np.intp]
    factors: Floats
    probability: Floats
    expected_amount: Floats
    gave: NDArray[np.bool_]
    amount: Floats


def draw_people(n_rows: int, rng: np.random.Generator) -> People:
    """Draw people and their responses to the letter."""
    options = PARAMETERS["neighbourhood"]
    n_places = -(-n_rows // options["people"])
    factors = rng.standard_normal((options["n_factors"], n_places))
    place = rng.integers(0, n_places, size=n_rows)
    traits = {name: rng.standard_normal(n_rows) for name in ("frequency", "recency", "size", "tenure", "age")}
    share = PARAMETERS["size_on_frequency"]
    traits["size"] = share * traits["frequency"] + np.sqrt(1.0 - share * share) * traits["size"]
    affluence = factors[0][place]
    probability = _probability(traits, affluence, rng.standard_normal(n_rows))
    expected = _expected_amount(traits, affluence, rng.standard_normal(n_rows))
    gave = rng.random(n_rows) < probability
    factor = rng.choice(PARAMETERS["gift_factors"], p=PARAMETERS["gift_chances"], size=n_rows)
    amount = np.where(gave, np.rint(100.0 * expected * factor) / 100.0, 0.0)
    return People(traits, place, factors, probability, expected, gave, amount)


def _probability(traits: Mapping[str, Floats], affluence: Floats, unknown: Floats) -> Floats:
    by: Mapping[str, Any] = PARAMETERS["response"]
    x = by["constant"] + by["frequency"] * traits["frequency"] + by["recency"] * traits["recency"]
    x = x + by["size"] * traits["size"] + by["affluence"] * affluence + by["unknown"] * unknown
    x = x + by["age_squared"] * (traits["age"] * traits["age"] - 1.0)
    x = x + by["frequency_recency"] * traits["frequency"] * traits["recency"]
    tail = exp_nonpositive(-np.abs(x))
    return np.where(x < 0, tail, 1.0) / (1.0 + tail)


def _expected_amount(traits: Mapping[str, Floats], affluence: Floats, unknown: Floats) -> Floats:
    by: Mapping[str, Any] = PARAMETERS["amount"]
    x = by["constant"] + by["size"] * traits["size"] + by["frequency"] * traits["frequency"]
    x = x + by["affluence"] * affluence + by["unknown"] * unknown
    size = exp_nonpositive(-np.abs(x))
    return np.clip(np.where(x < 0, size, 1.0 / size), by["least"], by["most"])
