"""Patient data from a triage file beside a packet: age, sex, specialty, urgency, part of the body.

Such a file is a JSON object with `case_shape` and `scenarios`, written when a source was triaged. Words that
are not understood are left out: better no value than a wrong one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from osler.cases.file_source import natural

MAX_BYTES: Final = 2_000_000
MOST_FILES: Final = 20
TRIAGE: Final = "triage.json"
ENTRY: Final = (
    "scenario_id",
    "scenario_title",
    "department",
    "urgency_level",
    "patient_gender",
    "patient_age",
    "injury_body_part",
)
"""The published fields of a scenario in a triage file."""
_AGE: Final = re.compile(r"(\d{1,3}(?:\.\d+)?)\s*-?\s*([a-z]*)")
_YEARS: Final = {"": 1.0, "y": 1.0, "m": 1 / 12, "w": 7 / 365.25, "d": 1 / 365.25}
_SEXES: Final = {"female": "female", "f": "female", "woman": "female", "girl": "female"} | {
    "male": "male",
    "m": "male",
    "man": "male",
    "boy": "male",
}
_URGENCIES: Final = (
    ("routine", re.compile(r"\b(?:non-?|not )(?:urgent|emerg)|\broutine|\belective|\blow\b")),
    ("emergency", re.compile(r"\bemerg|\bcritical|\bimmediate|\blife-threat|\bresus|\bstat\b")),
    ("urgent", re.compile(r"\burgent|\bhigh\b|\bacute\b|\bmoderate\b")),
)
_NONE: Final = frozenset({"", "none", "n/a", "na", "null", "not stated", "not applicable", "unknown", "-"})
_NUMBER: Final = re.compile(r"\d+")


def triage_of(packet: Path, scenario: str) -> dict[str, Any]:
    """Fields of a `Scenario`, taken from the triage files in the folder of the packet or of its case."""
    for folder in (packet, packet.parent):
        for path in triage_files(folder):
            triage = _object(path)
            entry = _entry(triage, scenario)
            if entry is not None:
                return _fields(triage, entry)
    return {}


def triage_files(folder: Path) -> list[Path]:
    """The JSON files in a folder that may be triage files, in natural order."""
    result = (path for path in folder.glob("*.json") if path.is_file() and not path.is_symlink())
    paths = [path for path in result if not path.name.startswith(".")]
    return sorted(paths, key=lambda path: natural(path.name))[:MOST_FILES]


def triage_names(folder: Path) -> frozenset[str]:
    """The names of the triage files in a folder."""
    return frozenset(path.name for path in triage_files(folder) if _object(path))


def triage_text(case_shape: str, entries: Sequence[Mapping[str, str]]) -> str:
    """A triage file in its published form, as `triage_of` reads it back; its fields are those of `ENTRY`."""
    value = {
        "simulatable": True,
        "simulatable_reason": "",
        "case_shape": case_shape,
        "scenarios": [{name: entry.get(name, "") for name in ENTRY} for entry in entries],
    }
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def reason_not_simulatable(folder: Path) -> str:
    """The reason in a case's triage why it has no scenario; empty where there is none."""
    for path in triage_files(folder):
        result = _object(path)
        if result.get("simulatable") is False:
            return _text(result.get("simulatable_reason")) or "the triage gives no reason"
    return ""


def _object(path: Path) -> Mapping[str, Any]:
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
        value = json.loads(raw.decode("utf-8-sig")) if len(raw) <= MAX_BYTES else None
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) and "case_shape" in value else {}


def _entry(found: Mapping[str, Any], scenario: str) -> Mapping[str, Any] | None:
    scenarios = found.get("scenarios")
    entries = [one for one in scenarios if isinstance(one, dict)] if isinstance(scenarios, list) else []
    for same in (_exactly, _by_number):
        for entry in entries:
            if same(_text(entry.get("scenario_id")), scenario):
                return entry
    return None


def _exactly(named: str, scenario: str) -> bool:
    return named.casefold() == scenario.casefold()


def _by_number(named: str, scenario: str) -> bool:
    """Whether `1`, `S01` or the like refers to `scenario1`."""
    one, other = _NUMBER.findall(named), _NUMBER.findall(scenario)
    return len(one) == len(other) == 1 and int(one[0]) == int(other[0])


def _fields(found: Mapping[str, Any], entry: Mapping[str, Any]) -> dict[str, Any]:
    fields = {
        "title": _text(entry.get("scenario_title")),
        "specialty": _text(entry.get("department")),
        "case_shape": _text(found.get("case_shape")),
        "urgency": urgency_of(_text(entry.get("urgency_level"))),
        "sex": _SEXES.get(_text(entry.get("patient_gender")).casefold()),
        "age_years": age_of(_text(entry.get("patient_age"))),
        "body_part": _body_part(_text(entry.get("injury_body_part"))),
    }
    return {name: value for name, value in fields.items() if value not in (None, "")}


def age_of(text: str) -> float | None:
    """An age in years, from "54", "54-year-old", "6 months", "3 days"; `None` if not one person's age."""
    matches = _AGE.findall(text.casefold())
    if len(matches) != 1:
        return None
    number, unit = matches[0]
    factor = _YEARS.get(unit[:1])
    years = float(number) * factor if factor else None
    return None if years is None or years > 130 else round(years, 3)


def urgency_of(text: str) -> str | None:
    """Map words to `emergency`, `urgent` or `routine`; `None` where they are not understood."""
    low = text.casefold()
    return next((name for name, words in _URGENCIES if words.search(low)), None)


def _body_part(text: str) -> str:
    return "" if text.casefold().strip(" .") in _NONE else text


def _text(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return ""
    return " ".join(str(value).split())[:200]
