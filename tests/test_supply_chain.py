"""What a release is made of: pinned actions, bounded build requirements, named licenses."""

import re
import runpy
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
HEADERS = runpy.run_path(str(ROOT / "tools" / "license_headers.py"))


@pytest.mark.parametrize("workflow", sorted((ROOT / ".github" / "workflows").glob("*.yml")), ids=lambda path: path.stem)
def test_actions_are_pinned_by_commit(workflow):
    uses = re.findall(r"uses:\s*(\S+)", workflow.read_text(encoding="utf-8"))
    assert uses
    assert [each for each in uses if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", each)] == []


def test_build_requirements_have_upper_bounds():
    requirements = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]["requires"]
    assert [each for each in requirements if "<" not in each] == []


def test_sources_name_their_license():
    assert HEADERS["without_header"]([str(ROOT / folder) for folder in ("src", "native", "tools", "benchmarks")]) == []


def test_a_missing_header_is_found_and_added(tmp_path, capsys):
    source = tmp_path / "a.cpp"
    source.write_text("int main() {}\n")
    assert HEADERS["main"]([str(tmp_path)]) == 1
    assert "make format adds it" in capsys.readouterr().out
    assert HEADERS["main"](["--fix", str(tmp_path)]) == 0
    assert source.read_text() == "// SPDX-License-Identifier: BSD-3-Clause\nint main() {}\n"
    assert HEADERS["main"]([str(tmp_path)]) == 0
