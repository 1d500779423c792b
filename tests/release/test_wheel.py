"""The wheel holds all of the program and nothing else, and runs where nothing but it is installed."""

from __future__ import annotations

import email
import json
import re
import signal
import subprocess
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import Message
from pathlib import Path
from typing import Any
from urllib.parse import urljoin
from urllib.request import urlopen

import osler
from tests.release.conftest import ROOT, Installed, install
from tests.test_conventions import SUSPICIOUS

SOURCE = ROOT / "src"
SDIST = {
    "src", "docs", "PKG-INFO", ".gitignore", "pyproject.toml", "README.md", "CHANGES.md", "CITATION.cff",
    "CONTRIBUTING.md", "SECURITY.md", "LICENSE", "NOTICE", "osler.toml.example", "train-constraints.txt",
    "Containerfile", ".containerignore", "deploy",
}  # fmt: skip
"""All that stands at the top of the source distribution: no tests, no node, nothing of anybody's machine."""


def tracked() -> dict[str, bytes]:
    """The files of the program that git keeps, by their path in a wheel."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "src/osler"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    names = [name.removeprefix("src/") for name in listed.stdout.split("\0") if name]
    return {name: (SOURCE / name).read_bytes() for name in names if (SOURCE / name).is_file()}


def metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as opened:
        [name] = [one for one in opened.namelist() if one.endswith(".dist-info/METADATA")]
        return email.message_from_bytes(opened.read(name))


def test_the_wheel_holds_every_file_of_the_program_and_no_other(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as opened:
        held = {name: opened.read(name) for name in opened.namelist() if ".dist-info/" not in name}
    wanted = tracked()
    assert len(wanted) > 1000
    assert held.keys() - wanted.keys() == set()
    assert wanted.keys() - held.keys() == set()
    assert [name for name in wanted if wanted[name] != held[name]] == []


def test_the_source_distribution_holds_what_the_wheel_is_built_of(sdist: Path) -> None:
    """`python -m build` makes the wheel from it, so its contents are what the test above sees."""
    with tarfile.open(sdist) as opened:
        names = {one.name.partition("/")[2] for one in opened.getmembers() if one.isfile()}
    assert {name.partition("/")[0] for name in names} == SDIST
    assert {f"src/{name}" for name in tracked()} <= names


def test_no_secret_and_no_path_of_a_machine_is_in_it(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as opened:
        texts = {name: opened.read(name).decode("utf-8", "replace") for name in opened.namelist()}
    found = [name for name, text in texts.items() if SUSPICIOUS.search(text)]
    assert found == []


def test_the_metadata_say_what_the_project_says(wheel: Path) -> None:
    told, project = metadata(wheel), tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert (told["Name"], told["Version"], told["License-Expression"]) == ("osler", osler.__version__, "MIT")
    assert set(told.get_all("Provides-Extra", [])) == set(project["optional-dependencies"])
    assert told.get_all("License-File") == project["license-files"]
    assert told.get_all("Project-URL") is None  # nobody knows where it will be kept
    assert "# Osler" in str(told.get_payload())


def test_it_runs_where_nothing_else_is_installed(bare: Installed) -> None:
    assert bare.run(bare.osler, "--version").stdout == f"osler {osler.__version__}\n"
    checked = json.loads(bare.run(bare.osler, "check", "--json").stdout)
    assert checked["ok"], checked
    demo = bare.run(str(bare.python), "-m", "osler.cli.demo")
    assert "(30 completed)" in demo.stdout
    assert ".venv/bin" not in demo.stderr
    played = bare.run(bare.osler, "consult", "library", "--limit", "3", "--json").stdout
    assert json.loads(played)["episodes"] == 3
    ended = bare.run(bare.osler, "serve", "--port", "0", code=1)
    assert "pip install -e '.[web]' in Osler's folder" in ended.stderr


def test_nothing_is_written_beside_the_program(bare: Installed) -> None:
    """A second use finds the files as they were installed, and the store in the folder of the first."""
    assert (bare.folder / "osler.db").is_file()
    place = bare.run(str(bare.python), "-c", "import osler; print(osler.__path__[0])").stdout.strip()
    here = Path(place).parent
    found = {path.relative_to(here).as_posix() for path in Path(place).rglob("*") if path.is_file()}
    assert {name for name in found if "__pycache__" not in name} == tracked().keys()


@contextmanager
def served(one: Installed) -> Iterator[dict[str, Any]]:
    """A running `osler serve`, and what it said of itself."""
    words = [one.osler, "serve", "--port", "0", "--json"]
    with subprocess.Popen(
        words, cwd=one.folder, env=one.env(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line, process.communicate()[1]
            yield json.loads(line)
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=300)


def test_with_its_extra_it_serves_the_built_pages(bare: Installed, wheel: Path) -> None:
    install(bare.python, f"{wheel}[web]")
    with served(bare) as told:
        with urlopen(told["url"], timeout=60) as answer:
            page = answer.read().decode()
        links = re.findall(r'(?:src|href)="(/[^"]+)"', page)
        assert len(links) > 2
        for link in [*links, "/LICENSES.txt", "/openapi.json"]:
            with urlopen(urljoin(told["url"], link), timeout=60) as answer:
                assert answer.status == 200
                assert answer.read()
