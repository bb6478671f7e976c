# SPDX-License-Identifier: BSD-3-Clause
"""The eleven data sets, with the paper's table 1; the less frequent class is positive."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.utils import Bunch

from bayesieve import datasets

__all__ = ["SETS", "WORD_TABLES", "PaperSet", "load_words"]

# All pairs of groups with 1,963 messages together; in the first, comp.graphics has 973 of them and is less frequent.
_PAIRS: Final = (
    ("rec.autos", "comp.graphics"),
    ("sci.med", "comp.graphics"),
    ("comp.windows.x", "misc.forsale"),
)
_N_WORDS: Final = 500


@dataclass(frozen=True)
class PaperSet:
    """A loader, and the printed abbreviation, numbers of columns and rows, and percentage of positive rows."""

    load: Callable[[], Bunch]
    short: str
    n_columns: int
    n_rows: int
    positive: int


def load_words(negative: str = _PAIRS[0][0], positive: str = _PAIRS[0][1]) -> Bunch:
    """Return indicators of 500 words in the messages of two groups of 20 Newsgroups.

    These are the most frequent words, without stop words. The choice does not use the groups, so that it may use all
    messages.
    """
    bunch = datasets.load_20newsgroups("all")
    groups = np.array(bunch.target_names)[bunch.target]
    rows = np.flatnonzero(np.isin(groups, (negative, positive)))
    words = CountVectorizer(stop_words="english", binary=True, max_features=_N_WORDS)
    indicators = words.fit_transform([bunch.data[i] for i in rows.tolist()])
    target: Any = (groups[rows] == positive).astype(np.int64)
    return Bunch(
        data=indicators.toarray().astype(np.uint8), target=target, feature_names=list(words.get_feature_names_out())
    )


WORD_TABLES: Final[dict[str, Callable[[], Bunch]]] = {
    f"{positive} against {negative}": partial(load_words, negative, positive)
    for pair in _PAIRS
    for negative, positive in (pair, pair[::-1])
}
"""Each pair twice: either group is the positive class."""

SETS: Final[dict[str, PaperSet]] = {
    "breast-w": PaperSet(datasets.load_breast_w, "BC", 9, 699, 34),
    "pima": PaperSet(datasets.load_pima, "D", 8, 768, 35),
    "heart-statlog": PaperSet(datasets.load_heart_statlog, "HS", 13, 270, 44),
    "spect": PaperSet(datasets.load_spect, "S", 22, 80, 33),
    "vote": PaperSet(datasets.load_vote, "V", 16, 435, 39),
    "newsgroup": PaperSet(load_words, "NG", 500, 1963, 49),
    "horse-colic": PaperSet(datasets.load_horse_colic, "HC", 22, 368, 37),
    "crx": PaperSet(datasets.load_crx, "CR", 15, 690, 44),
    "german": PaperSet(datasets.load_german, "GC", 20, 1000, 30),
    "hepatitis": PaperSet(datasets.load_hepatitis, "H", 19, 155, 21),
    "ionosphere": PaperSet(datasets.load_ionosphere, "I", 34, 351, 36),
}
