"""Rubrics written by us, in the published form."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from osler.cases.rubrics.inference import infer
from osler.cases.rubrics.model import Rubric
from osler.cases.rubrics.reading import parse

CHEST_PAIN: dict[str, list[str]] = {
    "PC": [
        "Asks when the pain began",
        "Asks where the pain is and whether it spreads",
        "Asks about current medicines",
        "Orders an electrocardiogram (critical action)",
        "Orders a troponin",
        "Administers glyceryl trinitrate (harmful)",
        "Fails to ask about allergies",
    ],
    "MK": ["Names inferior myocardial infarction as the diagnosis"],
    "SBP": ["Arranges admission to a cardiac unit"],
    "ICS": [
        "Excellent: summarizes and checks understanding",
        "Fair: summarizes only",
        "Poor: neither summarizes nor checks understanding",
        "Does not interrupt the patient",
    ],
    "PBLI": [],
    "PROF": ["Introduces self by name and role"],
}


def published_of(
    case_id: str = "cardiology-01",
    scenario: str = "scenario1",
    items: dict[str, list[str]] | None = None,
    **more: Any,
) -> dict[str, Any]:
    """A rubric in its published form."""
    empty: dict[str, list[str]] = {name: [] for name in CHEST_PAIN}
    held = CHEST_PAIN if items is None else empty | items
    head = {"case_id": case_id, "scenario": scenario, "scenario_dir": f"somewhere/{case_id}/{scenario}"}
    return {**head, "rubric_version": "v1", **held, **more}


def rubric_of(*texts: str, **fields: Any) -> Rubric:
    """A rubric with these items of patient care, their traits inferred; or our own one."""
    value = published_of(items={"PC": list(texts)} if texts else None, **fields)
    return infer(parse(json.dumps(value).encode()))


def write(folder: Path, value: object, name: str = "") -> Path:
    """Write a rubric, or any other value, to a file named as the published ones are."""
    folder.mkdir(parents=True, exist_ok=True)
    if not name:
        assert isinstance(value, dict)
        name = f"{value['case_id']}_{value['scenario']}.json"
    path = folder / name
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    return path
