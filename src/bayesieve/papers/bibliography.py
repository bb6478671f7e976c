# SPDX-License-Identifier: BSD-3-Clause
"""The five papers whose tables and figures are computed again."""

from dataclasses import dataclass
from typing import Final

__all__ = ["PAPERS", "Paper"]


@dataclass(frozen=True)
class Paper:
    """A paper: its title, authors as a text, year or None, where it appeared, and the name of its page."""

    title: str
    authors: str | None
    year: int | None
    place: str
    page: str
    content: str


PAPERS: Final = {
    "000": Paper(
        "Feature selection for class probability estimation",
        "Győző Gidófalvi and Bianca Zadrozny",
        None,
        "University of California, San Diego; its latest reference is of 2001",
        "000_class_probability_estimation",
        "mailing campaign, table 3 and figures 1 and 2",
    ),
    "001": Paper(
        "A probabilistic model for high recall feature selection",
        None,
        None,
        "anonymous conference submission, paper 1253; its latest reference is of 2013",
        "001_high_recall",
        "voting selectors for recall, figures 2 to 4",
    ),
    "002": Paper(
        "An enhanced selective naïve Bayes method with optimal discretization",
        "Marc Boullé",
        2006,
        "chapter 25 of Feature Extraction: Foundations and Applications, Springer",
        "002_selective_naive_bayes",
        "selective naive Bayes, tables 25.1 and 25.2 and figure 25.1",
    ),
    "003": Paper(
        "Probabilistic model for high precision/recall feature selection",
        None,
        2014,
        "anonymous draft for ICML, January 31",
        "003_n_of_k_votes",
        "n-of-k votes, recall and precision against n",
    ),
    "004": Paper(
        "Search strategies for binary feature selection for a naive Bayes classifier",
        "Tsirizo Rabenoro, Jérôme Lacaille, Marie Cottrell and Fabrice Rossi",
        2015,
        "ESANN 2015, Bruges, pages 291 to 296",
        "004_search_strategies",
        "indicators for engine monitoring, table 1",
    ),
}
