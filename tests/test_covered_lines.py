"""Files that tests reach too little of need a reason, and a reason needs such a file."""

import json
import runpy
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TOOL = runpy.run_path(str(ROOT / "tools" / "covered_lines.py"))


@pytest.fixture
def reports(tmp_path):
    """Return the files of gcovr and of coverage.py, with two files each."""
    core = [
        {"filename": f"native/src/{name}.cpp", "line_covered": n, "line_total": 100}
        for name, n in (("a", 95), ("b", 94))
    ]
    summaries = {"src/c.py": (20, 20), "src/d.py": (9, 10), "src/empty.py": (0, 0)}
    files = {
        name: {"summary": {"covered_lines": n, "num_statements": of, "percent_covered": 0.0}}
        for name, (n, of) in summaries.items()
    }
    for name, document in (("core.json", {"files": core}), ("src.json", {"files": files})):
        (tmp_path / name).write_text(json.dumps(document))
    return [tmp_path / "core.json", tmp_path / "src.json"]


@pytest.mark.parametrize(
    ("reasons", "status", "sentences"),
    [
        ({"native/src/b.cpp": "why", "src/d.py": "why"}, 0, ["94.0 % native/src/b.cpp: why", "90.0 % src/d.py: why"]),
        ({"native/src/b.cpp": "why"}, 1, ["src/d.py: 90.0 % of lines, and no reason"]),
        ({"native/src/b.cpp": "w", "src/d.py": "w", "src/c.py": "w"}, 1, ["src/c.py: has a reason and needs none"]),
    ],
)
def test_files_below_have_reasons(reports, reasons, status, sentences, tmp_path, capsys):
    written = tmp_path / "reasons.toml"
    written.write_text("".join(f'"{name}" = "{reason}"\n' for name, reason in reasons.items()))
    main = TOOL["main"]
    main.__globals__["REASONS"] = written
    assert main(reports) == status
    printed = capsys.readouterr().out
    assert "native/ 2 files, 189 of 200 lines reached (94.5 %)" in printed
    assert "src/ 3 files, 29 of 30 lines reached (96.7 %)" in printed
    assert [each for each in sentences if each not in printed] == []


def test_reasons_are_of_files_that_exist():
    reasons = tomllib.loads((ROOT / "tools" / "unreached.toml").read_text(encoding="utf-8"))
    assert [name for name in reasons if not (ROOT / name).is_file()] == []
