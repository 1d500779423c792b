"""What a release says of itself: one version, its licence, the licences of what it carries, sound links."""

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
LINK = re.compile(r"\]\((?!https?://|mailto:)([^)#\s]*)(#[^)\s]*)?\)")


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


@pytest.mark.parametrize("page", PAGES)
def test_the_links_of_a_page_lead_to_files(page: str) -> None:
    here = (ROOT / page).parent
    broken = [link for link, _ in LINK.findall(text(page)) if link and not (here / link).exists()]
    assert not broken


@pytest.mark.parametrize("page", PAGES)
def test_the_links_of_a_page_lead_to_headings(page: str) -> None:
    here = ROOT / page
    broken = [
        link + anchor
        for link, anchor in LINK.findall(text(page))
        if anchor and (there := here.parent / link if link else here).suffix == ".md" and there.is_file()
        if anchor[1:] not in headings(there)
    ]
    assert not broken


def headings(page: Path) -> set[str]:
    """The anchors of a page's headings, as the documentation site makes them."""
    found = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", one).strip().lower()) for one in found}


def test_the_extras_that_the_commands_name_exist() -> None:
    extras = tomllib.loads(text("pyproject.toml"))["project"]["optional-dependencies"]
    named = {
        name
        for path in (ROOT / "src/osler").rglob("*.py")
        for found in re.findall(r"osler\[([\w,-]+)\]", path.read_text("utf-8"))
        for name in found.split(",")
    }
    assert {"web", "postgres"} <= named
    assert named <= extras.keys()
