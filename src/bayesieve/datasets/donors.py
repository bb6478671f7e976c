# SPDX-License-Identifier: BSD-3-Clause
"""A simulated charity mailing with known true probabilities: people with hidden traits, and columns about them.

The mailing of KDD Cup 1998 had 95,412 people, 5.08 % of whom gave, $1 to $500 and $15.6 on average, so that a letter of
$0.68 to everyone brought about $0.11 each. Frequent donors give less at a time. Most columns are averages of the
neighborhood. Numbers are dollars, cents, counts and percentages in float32, rounded the same on every machine.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from bayesieve._typing import Floats
from bayesieve.data import TypedValues, build_typed_frame
from bayesieve.exact import exp_nonpositive
from bayesieve.exceptions import ParameterError

__all__ = ["HAND_SELECTED", "PARAMETERS", "make_donors"]

# Set by the published margins of KDD Cup 1998 before any model was fitted.
PARAMETERS: Final[dict[str, Any]] = {
    "n_rows": 95_412,
    "cost": 0.68,
    # Traits of a person are standard normal; the size of gifts falls with their frequency.
    "size_on_frequency": -0.35,
    # Log-odds of an answer.
    "response": {
        "constant": -3.107,
        "frequency": 0.40,
        "recency": 0.22,
        "size": -0.28,
        "affluence": 0.10,
        "age_squared": -0.06,
        "frequency_recency": 0.06,
        "unknown": 0.08,
    },
    # Logarithm of the expected gift in dollars, which stays between the two bounds.
    "amount": {
        "constant": 2.825,
        "size": 0.55,
        "frequency": -0.05,
        "affluence": 0.10,
        "unknown": 0.10,
        "least": 2.0,
        "most": 75.0,
    },
    # A gift is its expectation times one of these, whose mean is 1.
    "gift_factors": (0.5, 0.8, 1.0, 1.2, 1.5, 6.5),
    "gift_chances": (0.15, 0.20, 0.35, 0.20, 0.095, 0.005),
    # Neighborhoods: people in each, hidden factors (the first is affluence), and averages. An average is 50 plus the
    # spread times its loadings on two factors and its own noise, in integer percent.
    "neighbourhood": {  # spelled as in the fingerprint of these numbers
        "people": 4,
        "n_factors": 6,
        "n_averages": 304,
        "spread": 18.0,
        "first": (0.55, 0.90),
        "second": (0.0, 0.45),
        "noise": (0.25, 0.70),
        "missing": 0.02,
        "structure_seed": 1998,
    },
    # Share of missing values.
    "missing": {"AGE": 0.25, "INCOME": 0.22, "WEALTH1": 0.47, "WEALTH2": 0.46, "NEXTDATE": 0.10, "mail_order": 0.55},
    "n_promotions": 23,
    "n_interests": 28,
    "n_mail_order": 14,
    "n_flags": 10,
    "labels": {"STATE": 51, "CLUSTER": 53, "OSOURCE": 60},
}

HAND_SELECTED: Final = ("INCOME", "FISTDATE", "LASTDATE", "PGIFT", "RFA_2F", "RFA_2A", "PEPSTRFL")
"""The seven columns that people chose for the real data (Zadrozny and Elkan, 2001)."""


def make_donors(n_rows: int = PARAMETERS["n_rows"], random_state: int = 0) -> Bunch:
    """Simulate a mailing with the published margins of KDD Cup 1998.

    One in twenty gives, $1 to $500; frequent donors give less at a time. About 480 columns describe past gifts, facts
    that are often missing, and the neighborhood in 304 averages of six hidden factors.

    Parameters
    ----------
    n_rows : int, default=95412
        Number of people.
    random_state : int, default=0
        The seed of the random numbers.

    Returns
    -------
    campaign : Bunch
        ``data`` (a pandas frame, or polars), ``target`` (1 for a gift), ``amounts`` (dollars, 0 without a gift),
        ``probabilities`` and ``expected_amounts`` (the true ones, which are not in ``data``), ``cost`` (of a letter),
        ``feature_names``, ``hand_selected`` (the seven columns that experts selected for the real data) and ``DESCR``.

    Examples
    --------
    >>> from bayesieve.datasets import make_donors
    >>> campaign = make_donors(2000)
    >>> campaign.data.shape, int(campaign.target.sum())
    ((2000, 478), 83)
    """
    if n_rows < 1:
        raise ParameterError(f"n_rows must be positive, got {n_rows!r}.")
    rng = np.random.default_rng(random_state)
    people = _draw_people(n_rows, rng)
    columns = dict(_draw_columns(people, rng))
    return Bunch(
        data=build_typed_frame(columns, ("pandas", "polars")),
        target=people.gave.astype(np.int64),
        amounts=people.amount,
        probabilities=people.probability,
        expected_amounts=people.expected_amount,
        cost=PARAMETERS["cost"],
        feature_names=list(columns),
        hand_selected=list(HAND_SELECTED),
        DESCR="A simulated charity mailing with the margins of KDD Cup 1998 and known true probabilities.",
    )


@dataclass(frozen=True)
class _People:
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


def _draw_people(n_rows: int, rng: np.random.Generator) -> _People:
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
    return _People(traits, place, factors, probability, expected, gave, amount)


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


Column = tuple[str, TypedValues]

_GROUPS = ("POP", "HH", "HU", "HV", "IC", "TPE", "LFC", "OCC", "EIC", "EC")  # as census columns are called


def _draw_columns(people: _People, rng: np.random.Generator) -> Iterator[Column]:
    """Yield each column's name and values."""
    yield from _history(people, rng)
    yield from _promotions(people, rng)
    yield from _facts(people, rng)
    yield from _neighborhood(people, rng)


def _history(people: _People, rng: np.random.Generator) -> Iterator[Column]:
    """Yield summaries of past gifts: frequency, amount and recency in many forms."""
    n = len(people.place)
    frequency, recency, size, tenure = (people.traits[name] for name in ("frequency", "recency", "size", "tenure"))
    gifts = np.floor(_grown(1.9 + 0.65 * frequency + 0.20 * tenure + 0.15 * rng.standard_normal(n))) + 1
    letters = np.rint(np.clip(45 + 18 * tenure + 4 * rng.standard_normal(n), 5, None)) + gifts
    last = np.rint(np.clip(_grown(2.70 + 0.60 * size + 0.15 * rng.standard_normal(n)), 1, 1000))
    mean = _cents(_grown(2.55 + 0.55 * size - 0.10 * frequency + 0.10 * rng.standard_normal(n)))
    months = np.rint(np.clip(17 - 2.5 * recency + 0.5 * rng.standard_normal(n), 6, 30))
    first = np.rint(np.clip(70 + 38 * tenure + 3 * rng.standard_normal(n), 20, None))
    lag = np.rint(np.clip(8 - 3 * frequency + 5 * np.abs(rng.standard_normal(n)), 0, 60))
    card = np.floor(gifts * rng.uniform(0.3, 0.7, size=n))
    yield _number("NGIFTALL", gifts)
    yield _number("CARDGIFT", card)
    yield _number("NUMPROM", letters)
    yield _number("CARDPROM", np.rint(letters * 0.4))
    yield _number("NUMPRM12", np.rint(np.clip(13 + 2 * rng.standard_normal(n), 1, None)))
    yield _number("PGIFT", np.rint(1000 * gifts / letters) / 1000)
    yield _number("RAMNTALL", np.rint(mean * gifts))
    yield _number("AVGGIFT", mean)
    yield _number("LASTGIFT", last)
    yield _number("MAXRAMNT", np.rint(np.maximum(last, mean * rng.uniform(1.1, 2.0, size=n))))
    yield _number("MINRAMNT", np.rint(np.minimum(last, mean * rng.uniform(0.3, 0.9, size=n))))
    yield _number("LASTDATE", _date(months))
    yield _number("FISTDATE", _date(first))
    yield _number("ODATEDW", _date(np.rint(first + 6 * rng.random(n))))
    yield _number("NEXTDATE", _unknown(_date(np.maximum(first - lag, months)), "NEXTDATE", rng))
    yield _number("TIMELAG", lag)


def _promotions(people: _People, rng: np.random.Generator) -> Iterator[Column]:
    """Yield for each past letter its date, the gift if any, and the code that the charity then assigned."""
    n, traits = len(people.place), people.traits
    for k in range(2, 2 + PARAMETERS["n_promotions"]):
        fade = 1.0 - 0.02 * k
        often = np.clip(np.floor(2.5 + fade * traits["frequency"] + 0.35 * rng.standard_normal(n)), 1, 4)
        much = np.clip(np.floor(2.0 + 1.2 * fade * traits["size"] + 0.40 * rng.standard_normal(n)), 0, 4)
        code = 5 * (often.astype(np.intp) - 1) + much.astype(np.intp)
        yield f"RFA_{k}", _labels(code, [f"L{f}{a}" for f in "1234" for a in "CDEFG"])
        if k == 2:
            yield "RFA_2F", _labels(often.astype(np.intp) - 1, list("1234"))
            yield "RFA_2A", _labels(much.astype(np.intp), list("CDEFG"))
        late = rng.random(n) < 0.1
        yield _number(f"ADATE_{k}", np.where(rng.random(n) < 0.01 * k, np.nan, _date(np.where(late, k + 1, k))))
        answered = rng.random(n) < np.clip(0.12 + 0.07 * traits["frequency"], 0.01, 0.6)
        gift = np.rint(_grown(2.55 + 0.55 * traits["size"] + 0.3 * rng.standard_normal(n)))
        yield _number(f"RDATE_{k}", np.where(answered, _date(np.full(n, k)), np.nan))
        yield _number(f"RAMNT_{k}", np.where(answered, gift, np.nan))


def _facts(people: _People, rng: np.random.Generator) -> Iterator[Column]:
    """Yield age, income, interests and flags: often missing, and mostly irrelevant."""
    n, affluence = len(people.place), people.factors[0][people.place]
    star = people.traits["frequency"] + 0.5 * rng.standard_normal(n) > 0.0
    yield "PEPSTRFL", _labels(np.where(star, 0, -1), ["X"])
    yield _number("AGE", _unknown(np.rint(np.clip(62 + 16 * people.traits["age"], 1, 98)), "AGE", rng))
    for name, high in (("INCOME", 7), ("WEALTH1", 9), ("WEALTH2", 9)):
        rating = np.clip(np.rint(high / 2 + high / 5 * (0.7 * affluence + 0.7 * rng.standard_normal(n))), 1, high)
        yield _number(name, _unknown(rating, name, rng))
    yield _number("HIT", np.floor(_grown(0.5 + 0.8 * rng.standard_normal(n))))
    yield _number("TCODE", rng.choice([0.0, 1.0, 2.0, 3.0, 28.0], p=[0.4, 0.3, 0.2, 0.05, 0.05], size=n))
    yield "GENDER", _labels(rng.choice([-1, 0, 1, 2], p=[0.03, 0.54, 0.41, 0.02], size=n), ["F", "M", "U"])
    yield "HOMEOWNR", _labels(np.where(affluence + rng.standard_normal(n) > 0, 0, -1), ["H"])
    for name, n_labels in PARAMETERS["labels"].items():
        drawn = np.minimum(rng.geometric(3.0 / n_labels, size=n) - 1, n_labels - 1)
        yield name, _labels(drawn, [f"{name[0]}{k:02}" for k in range(n_labels)])
    for k in range(PARAMETERS["n_interests"]):
        yield f"INTEREST{k + 1}", _labels(np.where(rng.random(n) < 0.03 + 0.01 * (k % 9), 0, -1), ["Y"])
    for k in range(PARAMETERS["n_flags"]):
        yield f"FLAG{k + 1}", _labels((rng.random(n) < 0.05 + 0.08 * k).astype(np.intp), ["N", "Y"])
    bought = rng.random(n) >= PARAMETERS["missing"]["mail_order"]
    for k in range(PARAMETERS["n_mail_order"]):
        yield _number(f"MB{k + 1}", np.where(bought, np.floor(rng.exponential(0.8, size=n)).clip(max=9), np.nan))


def _neighborhood(people: _People, rng: np.random.Generator) -> Iterator[Column]:
    """Yield averages of the neighborhood: many noisy mixtures of a few hidden factors."""
    options = PARAMETERS["neighbourhood"]
    structure = np.random.default_rng(options["structure_seed"])
    n_places = people.factors.shape[1]
    unknown = rng.random(n_places) < options["missing"]
    for j in range(options["n_averages"]):
        one, other = structure.choice(options["n_factors"], size=2, replace=False)
        first, second, noise = (structure.uniform(*options[name]) for name in ("first", "second", "noise"))
        sign = -1.0 if structure.random() < 0.3 else 1.0
        level = sign * first * people.factors[one] + second * people.factors[other]
        percent = np.rint(50 + options["spread"] * (level + noise * rng.standard_normal(n_places))).clip(0, 99)
        values = np.where(unknown, np.nan, percent)[people.place]
        yield _number(f"{_GROUPS[j * len(_GROUPS) // options['n_averages']]}{j + 1}", values)


def _number(name: str, values: NDArray[np.floating]) -> Column:
    return name, TypedValues("single", values.astype(np.float32))


def _labels(codes: NDArray[np.intp], levels: list[str]) -> TypedValues:
    """Return labels by code; -1 is missing."""
    return TypedValues("nominal", np.array([*levels, None], dtype=object)[codes], tuple(levels))


def _unknown(values: Floats, name: str, rng: np.random.Generator) -> Floats:
    return np.where(rng.random(len(values)) < PARAMETERS["missing"][name], np.nan, values)


def _grown(x: Floats) -> Floats:
    return np.exp(np.clip(x, -20.0, 20.0))


def _cents(dollars: Floats) -> Floats:
    return np.rint(100.0 * dollars) / 100.0


def _date(months: Floats) -> Floats:
    """Return the date that is `months` before June 1997, as yymm."""
    index = 97 * 12 + 5 - months
    year = np.floor(index / 12)
    yymm: Floats = 100 * year + (index - 12 * year) + 1
    return yymm
