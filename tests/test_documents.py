"""Documents: links lead somewhere, the reference has every public name, and versions agree."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

import bayesieve
import bayesieve.datasets
import bayesieve.exceptions
from bayesieve.estimators._sklearn import DOCUMENTATION

ROOT = Path(__file__).parents[1]
PAGES = [
    *ROOT.glob("*.md"),
    *(ROOT / "research").glob("*.md"),
    *(page for page in (ROOT / "docs").rglob("*.md") if not {"_build", "prose"} & {*page.parts}),
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files_and_headings(page):
    text = re.sub(r"^```(python|sh|console|text).*?^```", "", page.read_text(encoding="utf-8"), flags=re.S | re.M)
    for target in re.findall(r"\]\(([^()\s]+)\)", text):
        path, _, heading = target.partition("#")
        assert "://" not in target
        place = (page.parent / path).resolve() if path else page
        assert place.exists(), target
        if heading:
            titles = re.findall(r"^#+ (.*)$", place.read_text(encoding="utf-8"), re.M)
            assert heading in {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}, target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_page_has_the_marks_of_a_merge(page):
    assert not re.search(r"^(<<<<<<<|>>>>>>>) ", page.read_text(encoding="utf-8"), re.M)


def test_every_page_of_the_site_is_in_a_list():
    for folder in ("tutorials", "how-to", "explanation", "papers"):
        listed = (ROOT / "docs" / folder / "index.md").read_text(encoding="utf-8")
        for page in (ROOT / "docs" / folder).glob("*.md"):
            if page.stem != "index":
                assert f"]({page.name})" in listed
                assert f"\n{page.stem}\n" in listed


def test_the_reference_has_every_public_name():
    listed = (ROOT / "docs" / "reference" / "index.md").read_text(encoding="utf-8").split()
    names = [*bayesieve.__all__, *bayesieve.datasets.__all__, *bayesieve.exceptions.__all__]
    assert set(names) - set(listed) == {"__version__"}


def test_versions_agree():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    cited = re.search(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.M)[1]
    assert cited == project["version"]


def test_the_conda_recipe_has_the_version_and_requirements_of_the_project():
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    recipe = (ROOT / "packaging/conda/recipe.yaml").read_text(encoding="utf-8")
    assert f'version: "{pyproject["project"]["version"]}"' in recipe
    listed = {kind: re.search(rf"^  {kind}:\n((?:    - .*\n)+)", recipe, re.M)[1] for kind in ("host", "run")}
    needed = {"host": pyproject["build-system"]["requires"], "run": pyproject["project"]["dependencies"]}
    for kind, requirements in needed.items():
        for requirement in requirements:
            name, version = re.fullmatch(r"([\w-]+)(.*)", requirement).groups()
            assert f"    - {name} {version}\n" in listed[kind], requirement


def test_addresses_are_those_of_the_project():
    urls = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]
    site, source = urls["Documentation"], urls["Source"]
    assert all(url.startswith((site, source)) for url in urls.values())
    assert DOCUMENTATION.startswith(f"{site}/")
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f'url: "{site}"\nrepository-code: "{source}"\n' in cited
    for page in ("docs/_static/versions.json", "docs/conf.py"):
        own = re.findall(r"https://[\w.]*bayesieve[^\s\"]*", (ROOT / page).read_text(encoding="utf-8"))
        assert own
        assert all(url.startswith(f"{site}/") for url in own)


def test_the_picture_of_the_report_is_small():
    assert 10_000 < (ROOT / "docs" / "_static" / "report.png").stat().st_size < 150_000


def test_the_diagram_of_layers_is_the_import_contract():
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    drawn = re.search(r"^```layers\n(.*?)^```", page, re.S | re.M)[1].split("\n")[:-1]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    (layers,) = [contract["layers"] for contract in contracts if contract["type"] == "layers"]
    assert drawn == [re.sub(r"[()]", "", layer) for layer in layers]


def test_every_package_is_in_the_table_of_the_architecture():
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    described = {name for row in re.findall(r"^\| (`.*?`) \|", page, re.M) for name in re.findall(r"`(\w+)`", row)}
    packages = {folder.name for folder in (ROOT / "src" / "bayesieve").iterdir() if (folder / "__init__.py").exists()}
    assert packages <= described


def test_the_architecture_is_one_screen():
    assert len((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").split()) <= 1300


def test_the_files_to_copy_are_short():
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("## How to add a part")[1]
    files = re.findall(r"\]\(((?:src|tests)/[^()\s]+)\)", page)
    assert len(files) >= 4
    assert {file: n for file in files if (n := len((ROOT / file).read_text(encoding="utf-8").splitlines())) > 80} == {}


def test_the_classes_and_functions_to_copy_have_about_the_lines_that_are_stated():
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("## How to add a part")[1]
    named = re.findall(r"`(\w+)` in `([\w/]+\.py)`, (\d+)\slines", page)
    assert len(named) >= 8
    for name, file, n_lines in named:
        body = ast.parse((ROOT / "src" / "bayesieve" / file).read_text(encoding="utf-8")).body
        (found,) = [each for each in body if getattr(each, "name", None) == name]
        own = found.end_lineno - found.lineno + 1
        assert own <= 80, name
        assert abs(own - int(n_lines)) <= 5, f"{name}: {own}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_files_that_are_named_exist(page):
    if page.parent.name == "research":  # notes of their time
        return
    roots = [ROOT, page.parent, ROOT / "src" / "bayesieve", ROOT / "src" / "bayesieve" / "search", ROOT / "tests"]
    for file in re.findall(r"`([\w.-]+/[\w./-]+\.(?:py|cpp|hpp|inc|md|toml|sh))`", page.read_text(encoding="utf-8")):
        assert any((root / file).exists() for root in roots), file


def test_the_gallery_has_ten_examples_and_those_who_migrate_see_their_old_code():
    programs = {path.stem: path.read_text(encoding="utf-8") for path in (ROOT / "examples").glob("*.py")}
    assert len(programs) >= 10
    for name in ("from_mlxtend", "from_khiops", "from_ebm", "from_optbinning"):
        assert "You have this code:\n\n```python\n" in programs[name]
        assert "instead." in programs[name]
        assert "What changes:" in programs[name]
    assert all("Display" in text for text in programs.values())


def test_the_tests_of_the_features_exist():
    rows = re.findall(r"^\| (\d+) \|.*\|(.*)\|$", (ROOT / "docs/explanation/features.md").read_text(), re.M)
    assert [int(number) for number, _ in rows] == list(range(1, 45))
    for _, cell in rows:
        named = re.findall(r"`([^`]+)`", cell)
        assert named
        for name in named:
            file, *path = name.split("::")
            body = ast.parse((ROOT / "tests" / file).read_text(encoding="utf-8")).body
            for part in path:
                (found,) = [each for each in body if getattr(each, "name", None) == part]
                body = found.body
            assert not path or path[-1].startswith("test_"), name
