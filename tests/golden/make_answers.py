"""Record what the library answers, or compare it with the record: ``make_answers.py [--check] [--only TEXT]``."""

import argparse
import json
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import csr_matrix

import bayesieve

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from golden.answer_cases import Case, all_cases
from golden.answer_record import SHOWN, record
from golden.answer_sets import load

ANSWERS = Path(__file__).with_name("answers.json")


def answer(case: Case) -> dict[str, Any]:
    """Fit an estimator to four of five rows, and return digests of its predictions of all."""
    X, y = load(case.data)
    order = np.arange(len(y))
    train = order % 5 != 4
    pick = X.loc if isinstance(X, pd.DataFrame) else X
    parameters, options = dict(case.parameters), _fit_options(case.rows, order[train])
    if case.rows == "validation set":
        options |= {"X_val": pick[~train], "y_val": y[~train]}
    make = attrgetter(case.kind)(bayesieve)
    model = make(*case.arguments, **parameters)
    with warnings.catch_warnings(), _FORMS.get(case.rows, _in_memory)(pick[train], y[train]) as rows:
        warnings.simplefilter("ignore")
        model.fit(*rows, **options)
        return record(model, csr_matrix(X) if case.rows == "sparse" else X)


def _fit_options(rows: str, order: np.ndarray) -> dict[str, Any]:
    benefits = np.zeros((len(order), 2, 2))
    benefits[:, 1, 0], benefits[:, 1, 1] = -1.0, order % 6
    options = {
        "weights": {"sample_weight": 0.5 + order % 7 / 4},
        "groups": {"groups": order // 3},
        "amounts": {"amounts": 10.0 + order % 50},
        "benefits": {"benefits": benefits},
    }
    return dict(options.get(rows, {}))


@contextmanager
def _in_memory(X: Any, y: Any) -> Iterator[tuple[Any, Any]]:
    yield X, y


@contextmanager
def _sparse(X: Any, y: Any) -> Iterator[tuple[Any, Any]]:
    yield csr_matrix(X), y


@contextmanager
def _in_dask(X: pd.DataFrame, y: Any) -> Iterator[tuple[Any, Any]]:
    import dask.dataframe as dd
    from distributed import Client

    with Client(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None):
        frame = dd.from_pandas(X.assign(target=y), npartitions=4)
        yield frame.drop(columns="target"), frame["target"]


@contextmanager
def _in_parquet(X: pd.DataFrame, y: Any) -> Iterator[tuple[Any, Any]]:
    whole = X.assign(target=y)
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{k}.parquet" for k in range(5)]
        for path, places in zip(paths, np.array_split(np.arange(len(whole)), len(paths)), strict=True):
            whole.iloc[places].to_parquet(path, index=False)
        frame = bayesieve.open_parquet(paths)
        yield frame.drop("target"), frame["target"]


_FORMS: dict[str, Callable[..., Any]] = {"sparse": _sparse, "dask": _in_dask, "parquet": _in_parquet}


def differences(case: Case, recorded: Mapping[str, Any]) -> list[str]:
    """Return the recorded fields that differ, one line per field; fields that are new do not count."""
    if str(case) not in recorded:
        return [f"{case}: not recorded"]
    then, now = recorded[str(case)], answer(case)
    differing = [name for name in then if name != SHOWN and then[name] != now.get(name)]
    return [f"{case}: {name}: {then[name]} -> {now.get(name)}" for name in differing]


def main() -> int:
    """Write the record, or compare with it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare with the record and exit 1 on a difference")
    parser.add_argument("--only", default="", help="check the cases whose name contains this text")
    given = parser.parse_args()
    cases = [case for case in all_cases() if given.only in str(case)]
    if given.check:
        recorded = json.loads(ANSWERS.read_text())
        lines = [line for case in cases for line in differences(case, recorded)]
        print(*lines, f"{len(cases)} cases, {len(lines)} differences", sep="\n")  # noqa: T201
        return bool(lines)
    rows = [f"{json.dumps(str(case))}: {json.dumps(answer(case), separators=(',', ':'))}" for case in cases]
    ANSWERS.write_text("{\n" + ",\n".join(rows) + "\n}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
