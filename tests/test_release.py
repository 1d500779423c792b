"""What a release says of itself: one version, its licence, the licences of what it carries, no index."""

from __future__ import annotations

import re
import runpy
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

import osler

ROOT = Path(__file__).parent.parent
PAGES = [path.relative_to(ROOT).as_posix() for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"))]
INDEXED = re.compile(r"(?:pipx?|uv tool|uv pip) install (?:--?[\w-]+ )*[\"']?osler\b(?!/)")
"""A line that installs Osler as if a package index had it."""


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def citation() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(text("CITATION.cff"))
    return found


def test_the_version_is_said_once_and_followed_everywhere() -> None:
    project = tomllib.loads(text("pyproject.toml"))
    assert "version" not in project["project"]
    assert project["tool"]["hatch"]["version"]["path"] == "src/osler/__init__.py"
    first = re.findall(r"^## (.*)$", text("CHANGES.md"), re.MULTILINE)[0]
    assert citation()["version"] == osler.__version__
    assert first.partition(",")[0] == osler.__version__ or first.startswith("Unreleased: ")


def test_every_further_section_of_the_change_log_belongs_to_a_version() -> None:
    others = re.findall(r"^## (.*)$", text("CHANGES.md"), re.MULTILINE)[1:]
    assert [one for one in others if not re.match(r"\d+\.\d+\.\d+(, |$)", one)] == [], "use ### in a version"


def test_the_licence_is_the_same_everywhere() -> None:
    project = tomllib.loads(text("pyproject.toml"))["project"]
    assert project["license"] == citation()["license"] == "MIT"
    assert text("LICENSE").startswith("MIT License")


def test_the_four_systems_are_cited() -> None:
    cited = citation()["references"]
    words = " ".join(f"{one['title']} {one['notes']}" for one in cited)
    assert len(cited) == 4
    assert not [one for one in cited if not one["authors"]]
    for name in ("MedAgentSim", "ClinEdu", "MedSP1000", "MedEvoEval"):
        assert name in words


def test_the_licences_of_all_that_the_pages_contain_are_shipped() -> None:
    packages = runpy.run_path(str(ROOT / "web/notices.py"))["bundled"]()
    notices = text("src/osler/web/dist/LICENSES.txt")
    names = [
        f"{folder.removeprefix('node_modules/')} {about['version']}:" for folder, about in packages.items()
    ]
    assert len(names) > 10
    assert not [name for name in names if name not in notices], "run `python web/notices.py`"
    assert "SIL OPEN FONT LICENSE" in notices
    assert "Apache License" in notices


def test_the_extras_that_the_commands_name_exist() -> None:
    extras = tomllib.loads(text("pyproject.toml"))["project"]["optional-dependencies"]
    named = {
        name
        for path in (ROOT / "src/osler").rglob("*.py")
        for name in re.findall(r"install_line\([\"']([\w-]+)", path.read_text("utf-8"))
    }
    assert {"web", "postgres"} <= named
    assert named <= extras.keys()


def test_nothing_installs_osler_from_an_index() -> None:
    """No index has it: pages and hints install it from its folder."""
    places = [*PAGES, *(path.relative_to(ROOT).as_posix() for path in (ROOT / "src/osler").rglob("*.py"))]
    assert [place for place in places if INDEXED.search(text(place))] == []


@pytest.mark.parametrize(
    "line", ["pip install osler", "pip install 'osler[web]'", "pipx install osler", "uv tool install osler"]
)
def test_an_install_from_an_index_is_noticed(line: str) -> None:
    assert INDEXED.search(f"Write `{line}`.")
    assert not INDEXED.search("Write `pip install -e '.[web]'` in Osler's folder, then `osler serve`.")
    assert not INDEXED.search("pip install -e '.[ray]' && osler run")
