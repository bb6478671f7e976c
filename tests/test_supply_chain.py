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


def test_the_conda_recipe_is_that_of_the_project():
    recipe = (ROOT / "packaging" / "conda" / "recipe.yaml").read_text(encoding="utf-8")
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project, built_with = settings["project"], settings["build-system"]["requires"]

    def items(section):
        block = re.search(rf"^( *){section}:\n((?:\1  .*\n|\n)+)", recipe, re.M)
        return re.findall(r"^ *- (.*)$", block[2], re.M)

    assert re.search(r'^  version: "(.*)"$', recipe, re.M)[1] == project["version"]
    needs = [f"python {project['requires-python']}", *(each.replace(">=", " >=") for each in project["dependencies"])]
    assert items("run") == needs
    assert {each.replace(">=", " >=") for each in built_with} <= set(items("host"))
    assert items("entry_points") == [f"{name} = {place}" for name, place in project["scripts"].items()]
    assert f"license: {project['license']}\n" in recipe
    assert (ROOT / re.search(r"license_file: (.*)", recipe)[1]).exists()


def test_nightly_builds_what_a_release_needs():
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    nightly = re.search(r"^nightly:\n((?:\t.*\n)+)", text, re.M)[1].split()
    assert {"docs", "linkcheck", "wheels", "reproducible", "materials"} <= set(nightly)


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
