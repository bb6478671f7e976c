# SPDX-License-Identifier: BSD-3-Clause
"""Script for an environment with Khiops and without this library: Khiops's classifier on some splits of a table.

The folder holds ``kinds.json`` (name of each column: "Numerical" or "Categorical", the class last) and for each split a
folder with ``train.txt`` and ``test.txt`` (tabs, a header); the result is ``answer.json`` in the same folder. With the
form "frame", files are read before the clock starts, and fitted by Khiops's scikit-learn classifier.
"""

import json
import sys
import time
import warnings
from pathlib import Path
from typing import Any

__all__ = ["deploy", "import_khiops", "n_columns", "run", "train"]


def run(folder: Path, form: str = "file") -> None:
    """Fit and predict on every split."""
    kh = import_khiops()
    kinds = json.loads((folder / "kinds.json").read_text(encoding="utf-8"))
    for split in sorted(path.parent for path in folder.glob("*/train.txt")):
        answer = _fit(kh, kinds, split) if form == "file" else _fit_frame(kinds, split)
        (split / "answer.json").write_text(json.dumps(answer), encoding="utf-8")


def _fit(kh: Any, kinds: dict[str, str], split: Path) -> dict[str, Any]:
    """Fit Khiops's classifier without trees, pairs and constructed columns; apply it to the test rows."""
    *_, target = kinds
    report = split / "report.khj"
    began = time.perf_counter()
    model = train(kh, kinds, split / "train.txt", report)
    fitted = time.perf_counter() - began
    document = json.loads(report.read_text(encoding="utf-8", errors="replace"))
    return {"n_columns": n_columns(document), "seconds": fitted, **deploy(kh, model, target, split)}


def _fit_frame(kinds: dict[str, str], split: Path) -> dict[str, Any]:
    """Fit Khiops's classifier for scikit-learn on a frame in memory."""
    import pandas as pd
    from khiops.sklearn import KhiopsClassifier

    *columns, target = kinds
    numbers = [name for name, kind in kinds.items() if kind == "Numerical"]
    reading: dict[str, Any] = {
        "sep": "\t",
        "dtype": {name: float if name in numbers else str for name in kinds},
        "keep_default_na": False,
        "na_values": dict.fromkeys(numbers, ""),
    }
    rows, new = (pd.read_csv(split / f"{part}.txt", **reading) for part in ("train", "test"))
    model = KhiopsClassifier(n_trees=0, n_pairs=0, n_features=0, n_text_features=0)
    began = time.perf_counter()
    model.fit(rows[columns], rows[target])
    fitted = time.perf_counter() - began
    return {
        "n_columns": len(model.model_report_.modeling_report.get_snb_predictor().selected_variables),
        "seconds": fitted,
        "labels": [str(label) for label in model.classes_],
        "probabilities": model.predict_proba(new[columns]).tolist(),
    }


def train(kh: Any, kinds: dict[str, str], data: Path, report: Path, **more: Any) -> Any:
    """Train on a file, and return the path of the model."""
    domain, dictionary = kh.DictionaryDomain(), kh.Dictionary()
    dictionary.name = "data"
    domain.add_dictionary(dictionary)
    for name, kind in kinds.items():
        variable = kh.Variable()
        variable.name, variable.type = name, kind
        dictionary.add_variable(variable)
    *_, target = kinds
    options = {
        "header_line": True,
        "field_separator": "\t",
        "sample_percentage": 100,  # the default is 70
        "max_trees": 0,
        "max_pairs": 0,
        "max_constructed_variables": 0,
        "max_text_features": 0,
    }
    _, model = kh.train_predictor(domain, "data", str(data), target, str(report), **options | more)
    return model


def deploy(kh: Any, model: Any, target: str, split: Path) -> dict[str, Any]:
    """Apply a model to the test rows; return labels and probabilities."""
    scores = split / "scores.txt"
    kh.deploy_model(
        str(model),
        "SNB_data",
        str(split / "test.txt"),
        str(scores),
        header_line=True,
        field_separator="\t",
        output_header_line=True,
        output_field_separator="\t",
    )
    return _probabilities(scores, target)


def import_khiops() -> Any:
    """Import Khiops without the warnings of its import."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import khiops.core as kh
    return kh


def n_columns(report: dict[str, Any]) -> int:
    """Return the number of columns with a weight; the list is absent if no column is informative."""
    details = report.get("modelingReport", {}).get("trainedPredictorsDetails", {})
    return max((len(each.get("selectedVariables", [])) for each in details.values()), default=0)


def _probabilities(scores: Path, target: str) -> dict[str, Any]:
    """Read Khiops's columns Prob<target><label>."""
    header, *lines = scores.read_text(encoding="utf-8").splitlines()
    prefix = f"Prob{target}"
    places = {name.removeprefix(prefix): j for j, name in enumerate(header.split("\t")) if name.startswith(prefix)}
    labels = sorted(places)
    rows = [[float(line.split("\t")[places[label]]) for label in labels] for line in lines]
    return {"labels": labels, "probabilities": rows}


if __name__ == "__main__":
    run(Path(sys.argv[1]), *sys.argv[2:])
