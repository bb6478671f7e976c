# SPDX-License-Identifier: BSD-3-Clause
"""The parameters of `make_donors`, set by the published margins of KDD Cup 1998 before any model was fitted.

The mailing had 95,412 people, 5.08 % of whom gave, $1 to $500 and $15.6 on average, so that a letter of $0.68 to
everyone brought about $0.11 each. Frequent donors give less at a time. Most columns are averages of the neighborhood.
"""

from typing import Any, Final

__all__ = ["HAND_SELECTED", "PARAMETERS"]

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
