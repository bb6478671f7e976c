"""One case: a damaged table given to a command, which must work or end with one sentence and code 2."""

import gzip
import io
import tempfile
from functools import cache
from pathlib import Path

import polars
from hostile.damage import damage, rng_of
from hostile.registry import COMMANDS, TABLE_FORMATS
from hostile.tables import choose
from hostile.watched import watched, where
from typer.testing import CliRunner

from bayesieve.cli.app import app

RUNNER = CliRunner()


@cache
def contents():
    """Return a table in every format."""
    rng = rng_of(1)
    y = rng.integers(0, 2, 80)
    columns = {
        "id": list(range(80)),
        "a": (rng.normal(size=80) + 2 * y).round(2),
        "b": rng.choice(["u", "v", 'é,"x'], 80).tolist(),
        "d": [f"2020-01-{1 + i % 28:02}" for i in range(80)],
        "m": [None if i % 5 == 0 else i % 7 for i in range(80)],
        "y": ["yes" if each else "no" for each in y],
    }
    table = polars.DataFrame(columns)
    parquet, feather, lines, sheet = (
        _written(getattr(table, writer)) for writer in ("write_parquet", "write_ipc", "write_ndjson", "write_excel")
    )
    csv, tabs = table.write_csv().encode(), table.write_csv(separator="\t").encode()
    by_format = {".csv": csv, ".csv.gz": gzip.compress(csv), ".tsv": tabs, ".txt": csv}
    by_format |= {".parquet": parquet, ".pq": parquet, ".arff": _arff(table), ".jsonl": lines, ".ndjson": lines}
    by_format |= dict.fromkeys((".feather", ".arrow", ".ipc"), feather)
    by_format |= dict.fromkeys((".xlsx", ".ods", ".xls", ".xlsb"), sheet)  # polars writes only the first
    assert set(by_format) == set(TABLE_FORMATS)
    return by_format


def _written(write):
    file = io.BytesIO()
    write(file)
    return file.getvalue()


def _arff(table):
    head = ["@relation t", "@attribute id numeric", "@attribute a real", "@attribute b {u,v,'é,\"x'}"]
    head += ["@attribute d date 'yyyy-MM-dd'", "@attribute m numeric", "@attribute y {no,yes}", "@data"]
    rows = [
        f"{i},{a},{repr(b) if ',' in b else b},'{d}',{'?' if m is None else m},{y}" for i, a, b, d, m, y in table.rows()
    ]
    return "\n".join(head + rows).encode()


@cache
def _model(method="nb"):
    with tempfile.TemporaryDirectory() as folder:
        table, model = Path(folder) / "t.csv", Path(folder) / "m.json"
        table.write_bytes(contents()[".csv"])
        done = RUNNER.invoke(
            app, ["fit", str(table), "--target", "y", "--model", str(model), "--cv", "2", "--method", method]
        )
        assert done.exit_code == 0, done.output
        return model.read_bytes()


def try_command(seed):
    """Return the text and the outcome of a case."""
    rng = rng_of(seed)
    suffix, content = choose(rng, contents())
    name, forms = choose(rng, {name: forms for name, forms in COMMANDS.items() if forms})
    damaged, how = damage(rng, content)
    with tempfile.TemporaryDirectory() as folder:
        places = {"table": f"{folder}/t{suffix}", "model": f"{folder}/m.json", "folder": folder}
        Path(places["table"]).write_bytes(damaged)
        Path(places["model"]).write_bytes(_model())
        if name == "edit":
            Path(places["model"]).write_bytes(_model("scorecard"))
        arguments = [name, *(word.format(**places) for word in forms[int(rng.integers(len(forms)))])]
        with watched() as outcome:
            done = RUNNER.invoke(app, arguments)
            outcome.word = f"exit {done.exit_code}"
            _check(outcome.problems, done)
    return f"{name} {' '.join(arguments[2:])} {suffix}, {how}".replace(folder, ""), outcome


def _check(problems, done):
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        problems.append(f"foreign {type(done.exception).__name__}: {done.exception!s:.150} @ {where(done.exception)}")
    elif done.exit_code == 2:
        sentences = [line for line in done.stderr.splitlines() if line.startswith("Error: ")]
        if "Usage:" not in done.stderr and (len(sentences) != 1 or len(sentences[0]) > 500):
            problems.append(f"unclear: {done.stderr[:250]!r}")
    elif done.exit_code not in (0, 2):
        problems.append(f"exit code {done.exit_code}: {done.stderr[:250]!r}")
