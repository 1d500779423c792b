"""Packets for tests: a small folder of our own in the published layout, and ways to make more."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "fixtures" / "packets"
CASES = FOLDER / "cases"
RUBRICS = FOLDER / "rubrics"
SMALL = Path(__file__).with_name("small.yaml")
ROLES = ("examinee", "sp_actor", "environment_controller", "evaluator")
COMPETENCIES = ("PC", "MK", "SBP", "ICS", "PBLI", "PROF")


def put_packet(root: Path, case: str = "mep-99-1-s001", scenario: str = "scenario1") -> Path:
    """A small sound packet under `root`; returns its folder."""
    for role in ROLES:
        folder = root / case / scenario / role
        folder.mkdir(parents=True)
        (folder / "text.md").write_text(f"What the {role} of this encounter has to know.\n")
    return root / case / scenario


def put_rubric(
    root: Path, case: str, scenario: str, items: Mapping[str, Sequence[str]], *, raw: str | None = None
) -> Path:
    """A published rubric under `root`, or a file with other contents; returns its path."""
    root.mkdir(parents=True, exist_ok=True)
    path = root / f"{case}_{scenario}.json"
    value = {"case_id": case, "scenario": scenario, "scenario_dir": "", "rubric_version": "v1"}
    lists = {name: list(items.get(name, ())) for name in COMPETENCIES}
    path.write_text(json.dumps({**value, **lists}) if raw is None else raw)
    return path


def copied(tmp_path: Path) -> Path:
    """A copy of our packets, to be spoilt; returns the folder of cases."""
    return Path(shutil.copytree(FOLDER, tmp_path / "packets")) / "cases"


def tree(folder: Path) -> dict[str, str]:
    """The texts of all files under a folder by their paths in it."""
    return {
        path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()
    }
