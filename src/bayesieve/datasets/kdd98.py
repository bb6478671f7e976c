# SPDX-License-Identifier: BSD-3-Clause
"""KDD Cup 1998: responses to a charity's letter, and the amounts."""

import os
import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from bayesieve.data import TypedValues, build_typed_frame, read_file
from bayesieve.datasets.download import locate
from bayesieve.exceptions import DataError, ParameterError

__all__ = ["FEATURES", "FIELDS", "IDENTIFIER", "TARGETS", "kind_of", "load_kdd98"]

# The 481 fields in the order of the file, and their types, from its dictionary and documentation.
# ETH1-16 stands for ETH1, ETH2 ... ETH16.
_IN_ORDER = """
ODATEDW OSOURCE TCODE STATE ZIP MAILCODE PVASTATE DOB NOEXCH RECINHSE RECP3 RECPGVG RECSWEEP MDMAUD DOMAIN CLUSTER AGE
AGEFLAG HOMEOWNR CHILD03 CHILD07 CHILD12 CHILD18 NUMCHLD INCOME GENDER WEALTH1 HIT MBCRAFT MBGARDEN MBBOOKS MBCOLECT
MAGFAML MAGFEM MAGMALE PUBGARDN PUBCULIN PUBHLTH PUBDOITY PUBNEWFN PUBPHOTO PUBOPP DATASRCE MALEMILI MALEVET VIETVETS
WWIIVETS LOCALGOV STATEGOV FEDGOV SOLP3 SOLIH MAJOR WEALTH2 GEOCODE COLLECT1 VETERANS BIBLE CATLG HOMEE PETS CDPLAY
STEREO PCOWNERS PHOTO CRAFTS FISHER GARDENIN BOATS WALKER KIDSTUFF CARDS PLATES LIFESRC PEPSTRFL POP901-903 POP90C1-5
ETH1-16 AGE901-907 CHIL1-3 AGEC1-7 CHILC1-5 HHAGE1-3 HHN1-6 MARR1-4 HHP1-2 DW1-9 HV1-4 HU1-5 HHD1-12 ETHC1-6 HVP1-6
HUR1-2 RHP1-4 HUPA1-7 RP1-4 MSA ADI DMA IC1-23 HHAS1-4 MC1-3 TPE1-9 PEC1-2 TPE10-13 LFC1-10 OCC1-13 EIC1-16 OEDC1-7
EC1-8 SEC1-5 AFC1-6 VC1-4 ANC1-15 POBC1-2 LSC1-4 VOC1-3 HC1-21 MHUC1-2 AC1-2 ADATE_2-24 RFA_2-24 CARDPROM MAXADATE
NUMPROM CARDPM12 NUMPRM12 RDATE_3-24 RAMNT_3-24 RAMNTALL NGIFTALL CARDGIFT MINRAMNT MINRDATE MAXRAMNT MAXRDATE LASTGIFT
LASTDATE FISTDATE NEXTDATE TIMELAG AVGGIFT CONTROLN TARGET_B TARGET_D HPHONE_D RFA_2R RFA_2F RFA_2A MDMAUD_R MDMAUD_F
MDMAUD_A CLUSTER2 GEOCODE2
"""

# Strings, and codes written as numbers.
_NOMINAL = """
OSOURCE TCODE STATE ZIP MAILCODE PVASTATE NOEXCH RECINHSE RECP3 RECPGVG RECSWEEP MDMAUD DOMAIN CLUSTER AGEFLAG HOMEOWNR
CHILD03 CHILD07 CHILD12 CHILD18 GENDER DATASRCE SOLP3 SOLIH MAJOR GEOCODE COLLECT1 VETERANS BIBLE CATLG HOMEE PETS
CDPLAY STEREO PCOWNERS PHOTO CRAFTS FISHER GARDENIN BOATS WALKER KIDSTUFF CARDS PLATES LIFESRC PEPSTRFL MSA ADI DMA
RFA_2-24 RFA_2R RFA_2F RFA_2A MDMAUD_R MDMAUD_F MDMAUD_A CLUSTER2 GEOCODE2
"""

# Year and month.
_DATES = "ODATEDW DOB ADATE_2-24 MAXADATE RDATE_3-24 MINRDATE MAXRDATE LASTDATE FISTDATE NEXTDATE"


def _expanded(names: str) -> Iterator[str]:
    for name in names.split():
        if family := re.fullmatch(r"(.*?)(\d+)-(\d+)", name):
            stem, first, last = family.groups()
            yield from (f"{stem}{k}" for k in range(int(first), int(last) + 1))
        else:
            yield name


FIELDS: Final = tuple(_expanded(_IN_ORDER))
IDENTIFIER: Final = "CONTROLN"
TARGETS: Final = ("TARGET_B", "TARGET_D")
FEATURES: Final = tuple(name for name in FIELDS if name not in (IDENTIFIER, *TARGETS))

_KINDS: Final = dict.fromkeys(_expanded(_NOMINAL), "nominal") | dict.fromkeys(_expanded(_DATES), "date")


def kind_of(field: str) -> str:
    """Return "nominal", "date" or "numeric"."""
    return _KINDS.get(field, "numeric")


_SOURCE: Final = "https://kdd.ics.uci.edu/databases/kddcup98/epsilon_mirror"
# File, where it is published, and its number of records by the documentation.
_FILES: Final = {
    "train": ("cup98LRN.txt", f"{_SOURCE}/cup98lrn.zip", 95_412),
    "test": ("cup98VAL.txt", f"{_SOURCE}/cup98val.zip", 96_367),
}
_ANSWERS: Final = ("valtargt.txt", f"{_SOURCE}/valtargt.txt")
_COST: Final = 0.68


def load_kdd98(subset: str = "train", data_home: str | os.PathLike[str] | None = None) -> Bunch:
    """Load KDD Cup 1998: 478 columns of earlier donors, and their response to one more letter.

    Parameters
    ----------
    subset : {"train", "test"}, default="train"
        The learning data (cup98LRN.txt), or the validation data (cup98VAL.txt) with their answers (valtargt.txt).
    data_home : path, default=None
        The folder that contains the folder ``kdd98``; by default ``BAYESIEVE_DATA``, or the folder of downloads.

    Returns
    -------
    mailing : Bunch
        ``data`` (numbers, categories, and dates of year and month), ``target`` (TARGET_B), ``amounts`` (TARGET_D),
        ``identifiers`` (CONTROLN), ``cost`` (of a letter, $0.68), ``feature_names``, ``target_names`` and ``DESCR``.
    """
    if subset not in _FILES:
        raise ParameterError(f"subset of kdd98 must be 'train' or 'test', got {subset!r}.")
    name, url, n_records = _FILES[subset]
    path = locate("kdd98", url, [name], data_home)[0]
    frame = _read(path, n_records, with_targets=subset == "train")
    identifiers = np.asarray(frame[IDENTIFIER].to_numpy(), dtype=np.int64)
    answers = frame if subset == "train" else _answers(data_home, identifiers)
    target, amounts = (np.asarray(answers[field].to_numpy(), dtype=np.float64) for field in TARGETS)
    if not np.isin(target, (0, 1)).all() or ((amounts > 0) != (target == 1)).any():
        raise DataError(f"kdd98: in {path}, TARGET_B must be 1 where TARGET_D is positive, and 0 elsewhere.")
    return Bunch(
        data=build_typed_frame({field: _typed(frame[field], field) for field in FEATURES}, ("pandas", "polars")),
        target=target.astype(np.int64),
        amounts=amounts,
        identifiers=identifiers,
        cost=_COST,
        feature_names=list(FEATURES),
        target_names=["no donation", "donation"],
        DESCR=f"KDD Cup 1998, {subset}: answers to a charity's letter.\n\nSource: {url}\n"
        "License: the terms in the archive's documentation",
    )


def _read(path: Path, n_records: int, *, with_targets: bool) -> Any:
    """Read a file and check its header and number of records."""
    types = {name: "categorical" if kind_of(name) == "nominal" else "numeric" for name in FIELDS}
    names = [name for name in FIELDS if with_targets or name not in TARGETS]
    try:
        frame = read_file(path, missing=("", "."), types={name: types[name] for name in names})
    except (DataError, ParameterError) as error:
        raise DataError(f"kdd98: {path} cannot be read as that data set ({error})") from error
    if list(frame.columns) != names:
        raise DataError(f"kdd98: {path} must have the {len(names)} fields of the dictionary in their order.")
    if len(frame) != n_records:
        raise DataError(
            f"kdd98: {path} must have {n_records} records, but has {len(frame)}; remove it to download it again."
        )
    return frame


def _answers(data_home: Any, identifiers: NDArray[np.int64]) -> Any:
    """Return the published responses of the validation rows, in the same order."""
    name, url = _ANSWERS
    path = locate("kdd98", url, [name], data_home)[0]
    answers = read_file(path)
    if list(answers.columns) != [IDENTIFIER, *TARGETS]:
        raise DataError(f"kdd98: {path} must have the fields {IDENTIFIER}, {', '.join(TARGETS)}.")
    order = {number: i for i, number in enumerate(answers[IDENTIFIER].to_list())}
    rows = [order.get(number, -1) for number in identifiers.tolist()]
    if len(order) != len(rows) or min(rows) < 0:
        raise DataError(f"kdd98: the {IDENTIFIER} of {path} are not those of the validation data.")
    return answers[rows]


def _typed(series: Any, field: str) -> TypedValues:
    kind = kind_of(field)
    if kind == "nominal":
        labels = [None if label is None else str(label) for label in series.to_list()]
        return TypedValues(kind, labels, tuple(sorted({label for label in labels if label is not None})))
    numbers: NDArray[np.float64] = np.array(series.to_list(), dtype=np.float64)  # None is NaN
    return TypedValues(kind, _dates(numbers) if kind == "date" else numbers)


def _dates(numbers: NDArray[np.float64]) -> Sequence[datetime | None]:
    """Return the first day of each month given as yymm; 0 and impossible months are missing."""
    dates = {
        yymm: datetime(1900 + int(yymm) // 100, int(yymm) % 100, 1) if 1 <= int(yymm) % 100 <= 12 else None
        for yymm in np.unique(numbers[~np.isnan(numbers)]).tolist()
    }
    return [dates.get(yymm) for yymm in numbers.tolist()]
