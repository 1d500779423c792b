"""Libraries of personas as files: lenient in reading the published format, strict in writing it.

Whatever cannot be read is rejected with its place and the reason; fields missing from a record stay empty.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

from osler.cases.importers.demographics import OLDEST, age_of
from osler.cases.importers.reading import read_records
from osler.cases.importers.report import Rejected
from osler.cases.personas.people import PatientPersona, Persona, StudentPersona
from osler.core.events import Frozen
from osler.errors import BadInput

PATIENTS_FILE: Final = "patients.json"
STUDENTS_FILE: Final = "students.json"
FILES: Final = (".json", ".jsonl", ".ndjson")
_RAW: Final = "model_raw_output"
_STUDENT_FIELDS: Final = frozenset({"student_id", "behavioral_prompt_for_llm", "knowledge_profile"})
_PATIENT_FIELDS: Final = frozenset({"persona_id", "style_prompt_for_llm", "persona_tags", "background"})
_F = TypeVar("_F", bound=Frozen)


class Library(NamedTuple):
    """The contents of a file or folder; `remarks` say what was repaired or left out in a record."""

    patients: tuple[PatientPersona, ...] = ()
    students: tuple[StudentPersona, ...] = ()
    rejected: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


def read_library(path: Path) -> Library:
    """The personas of a file, or of every record file in a folder.

    Raises BadInput where nothing can be read.
    """
    try:
        inside = [one for one in path.iterdir() if one.suffix.lower() in FILES] if path.is_dir() else [path]
    except (OSError, ValueError) as error:
        raise BadInput(f"cannot be read: {error}", where=str(path)[:200]) from None
    personas: list[Persona] = []
    rejected: list[str] = []
    remarks: list[str] = []
    for file in sorted(inside):
        for place, item in _items(file):
            try:
                persona, said = persona_of(item, place) if isinstance(item, dict) else _refuse(item)
            except BadInput as error:
                rejected.append(f"{file.name}, {place}: {error.what}")
                continue
            personas.append(persona)
            remarks += [f"{file.name}, {place}: {remark}" for remark in said]
    if not personas:
        why = f"; the first was rejected: {rejected[0]}" if rejected else ""
        hint = "give a JSON file of patient or student personas, or a folder of them"
        raise BadInput(f"no persona could be read{why}", where=str(path), hint=hint)
    return Library(
        tuple(each for each in personas if isinstance(each, PatientPersona)),
        tuple(each for each in personas if isinstance(each, StudentPersona)),
        tuple(rejected),
        tuple(remarks),
    )


def published(personas: Iterable[Persona]) -> str:
    """A library as the published JSON: one list, indented by two spaces."""
    listed = [each.model_dump(mode="json") for each in personas]
    return json.dumps(listed, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def persona_of(record: Mapping[str, object], place: str) -> tuple[Persona, list[str]]:
    """Build a persona from one record, with remarks on what was repaired or left out.

    Raises BadInput where the record is not a persona.
    """
    remarks: list[str] = []
    if record.keys() & _STUDENT_FIELDS:
        student = {"student_id": record.get("student_id") or place, **record}
        return _taken(StudentPersona, student, remarks), remarks
    if record.keys() & _PATIENT_FIELDS:
        patient = {"persona_id": record.get("persona_id") or place, **record}
        return _taken(PatientPersona, patient, remarks), remarks
    raise BadInput("it is neither a patient nor a student persona")


def _refuse(item: Rejected) -> tuple[Persona, list[str]]:
    raise BadInput(item.reason)


def _items(file: Path) -> Iterator[tuple[str, dict[str, object] | Rejected]]:
    """The records with their place, unwrapped from an enclosing object or from a model's raw answer."""
    for record in read_records(file):
        if isinstance(record, Rejected):
            yield f"record {record.record}", record
            continue
        place = f"record {record.number}"
        inner = _unpacked(record.value)
        if len(inner) == 1:
            yield place, inner[0]
        else:
            yield from ((f"{place}.{number}", item) for number, item in enumerate(inner, 1))


def _unpacked(value: dict[str, object]) -> list[dict[str, object]]:
    raw = value.get(_RAW)
    if isinstance(raw, str):
        fenced = re.sub(r"^\s*```\w*\s*|\s*```\s*$", "", raw)
        try:
            data = json.loads(fenced)
        except (ValueError, RecursionError):
            return [value]
        items = [each for each in (data if isinstance(data, list) else [data]) if isinstance(each, dict)]
        return items or [value]
    if _is_persona(value):
        return [value]
    lists = [listed for listed in value.values() if isinstance(listed, list)]
    inside = [each for listed in lists for each in listed if isinstance(each, dict) and _is_persona(each)]
    return inside or [value]


def _is_persona(record: Mapping[str, object]) -> bool:
    return bool(record.keys() & (_STUDENT_FIELDS | _PATIENT_FIELDS))


def _taken(kind: type[_F], record: Mapping[str, object], remarks: list[str], under: str = "") -> _F:
    """Extract the fields of a model from a record, coercing each; others are reported and left out."""
    values: dict[str, object] = {}
    for name, field in kind.model_fields.items():
        inner, value = field.annotation, record.get(name)
        where = f"{under}{name}"
        if isinstance(inner, type) and issubclass(inner, Frozen):
            part = value if isinstance(value, Mapping) else {}
            values[name] = _taken(inner, part, remarks, f"{where}.")
        elif name == "age":
            values[name] = _age(value, remarks)
        elif inner == tuple[str, ...]:
            values[name] = _texts(value)
        else:
            values[name] = _text(value) or (None if field.default is None else "")
    for name in sorted(record.keys() - kind.model_fields.keys()):
        if name != _RAW:
            remarks.append(f"{under}{name} is not a field of a persona and was left out")
    return kind.model_validate(values)


def _text(value: object) -> str:
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, list):
        return "; ".join(_texts(value))
    return "" if value is None or isinstance(value, dict) else str(value)


def _texts(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        value = re.split(r"[,;]", value)
    return tuple(text for each in value if (text := _text(each))) if isinstance(value, list) else ()


def _in_short(value: object) -> str:
    """A value for a message; a number may have more digits than Python will write."""
    return "of many digits" if isinstance(value, int) and abs(value) > 10**18 else repr(value)[:80]


def _age(value: object, remarks: list[str]) -> int | float | None:
    """An age in years, from a number or from words such as "18 months"."""
    if value is None or value == "":
        return None
    age: int | float | None = (
        value if isinstance(value, int | float) and not isinstance(value, bool) else None
    )
    if isinstance(value, str) and (years := age_of(f"age {value}").years) is not None:
        age = int(years) if years == int(years) else round(years, 3)
        remarks.append(f"age {value!r} was read as {age:g} years")
    if age is None or not 0 <= age <= OLDEST:  # nan is neither
        remarks.append(f"age {_in_short(value)} is no age and was left out")
        return None
    return age
