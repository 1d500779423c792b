"""Packaged studies on a few cases of the library: every comparison as it was recorded.

`OSLER_RECORD_GOLDENS=1` records them anew, after a change that says what differs.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from osler.runs import run as runs
from osler.store.records import RunInfo
from osler.store.store import open_store
from osler.studies.study.design import study_named
from osler.studies.study.running import RunOptions, StudyResult, run_study

GOLDEN = Path(__file__).parents[1] / "fixtures" / "studies"
RECORD = "OSLER_RECORD_GOLDENS"


def found(name: str, given: RunOptions, store: Path) -> StudyResult:
    with open_store(store) as opened:

        def sit(label: str, config: Any, find: Callable[[Any, Any], RunInfo]) -> runs.Session:
            return runs.play(find(config, None), opened)

        return run_study(study_named(name), given, opened, sit)


def rounded(contrast: dict[str, Any]) -> dict[str, Any]:
    """Without the last digits of p, which processors may add up in another order."""
    return {key: round(one, 9) if isinstance(one, float) else one for key, one in contrast.items()}


@pytest.mark.parametrize(
    ("name", "given"),
    [("tutors", RunOptions(limit=2)), ("mdt", RunOptions(limit=3)), ("examinees", RunOptions(limit=3))],
)
def test_a_packaged_study_finds_what_it_found(name: str, given: RunOptions, tmp_path: Path) -> None:
    value = found(name, given, tmp_path / "o.db").as_json()
    kept = {
        "primary": rounded(value["primary"]),
        "contrasts": [rounded(one) for one in value["contrasts"]],
        "values": {
            condition: {figure: each["value"] for figure, each in one["found"].items()}
            for condition, one in value["conditions"].items()
        },
    }
    golden = GOLDEN / f"{name}.json"
    if os.environ.get(RECORD):
        golden.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    assert kept == json.loads(golden.read_text(encoding="utf-8"))
