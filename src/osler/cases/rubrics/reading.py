"""Reading published rubric files as they are, or refusing them; writing them back with equal content.

A file is one JSON object: `case_id`, `scenario`, `rubric_version`, six lists of texts (PC, MK, SBP, ICS,
PBLI, PROF) and fields that mean nothing here but are kept.
"""

from __future__ import annotations

import codecs
import json
import math
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from osler.cases.rubrics.criteria import KEPT, Criteria, criteria_of
from osler.cases.rubrics.inference import doubt, infer
from osler.cases.rubrics.model import (
    COMPETENCIES,
    KNOWN_VERSIONS,
    VERSION_FIELD,
    Competency,
    Rubric,
    items_of,
)
from osler.cases.rubrics.side_file import corrected, side_of
from osler.errors import BadInput
from osler.text.languages import ENGLISH, shown
from osler.text.records.missing import is_missing
from osler.text.records.written_in import written_in

MAX_BYTES: Final = 5_000_000
MAX_ITEMS: Final = 5_000
_SHOWN: Final = 60
_NUMBER: Final = re.compile(r"(\d+)")


class RubricFile(NamedTuple):
    """The outcome for one file: a rubric with remarks, or why it was refused. `file` is its relative path."""

    file: str
    path: Path
    rubric: Rubric | None
    reason: str = ""
    remarks: tuple[str, ...] = ()


def read_all(path: Path) -> Iterator[RubricFile]:
    """Every JSON file of a folder and its subfolders, or the one file named, in natural order.

    Names that begin with a dot are skipped. Raises BadInput where there is nothing to read.
    """
    files = list(rubric_files(path))
    if not files:
        raise BadInput("holds no JSON file", where=str(path))
    for file in files:
        name = file.relative_to(path).as_posix() if path.is_dir() else file.name
        try:
            if (several := _criteria(file)) is not None:
                yield from _of_criteria(name, file, several)
                continue
            rubric = load(file)
        except BadInput as error:
            place = "" if error.where in ("", file.name) else f"{error.where}: "
            yield RubricFile(name, file, None, f"{place}{error.what}")
        else:
            yield RubricFile(name, file, rubric, "", tuple(_remarks(rubric, file)))


def _criteria(file: Path) -> list[Criteria] | None:
    """The rubrics of a file of criteria with points, or `None`. Raises BadInput."""
    raw = _bytes(file)
    lines = file.suffix.lower() in (".jsonl", ".ndjson", ".csv")
    if not lines and not any(mark in raw for mark in (b'"criterion"', b'"rubrics"')):
        return None
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"not UTF-8: byte {error.start + 1} cannot be decoded") from None
    criteria = criteria_of(file, text)
    if criteria is None and lines:
        raise BadInput("is no rubric: its rows must have criterion and points, or such rows under rubrics")
    return criteria


def _of_criteria(name: str, file: Path, several: Sequence[Criteria]) -> Iterator[RubricFile]:
    """The outcome for each rubric of a file, those of several in a folder of the file's name."""
    used: Counter[str] = Counter()
    for one in several:
        used[one.name] += 1
        shown = re.sub(r"[^\w.-]+", "_", one.name)[:80].strip(".") or "one"
        again = f"_{used[one.name]}" if used[one.name] > 1 else ""
        place = name if len(several) == 1 else f"{Path(name).with_suffix('').as_posix()}/{shown}{again}.json"
        if one.rubric is None:
            yield RubricFile(place, file, None, one.reason)
        else:
            yield RubricFile(place, file, one.rubric, "", tuple(_remarks(one.rubric, file)))


def rubric_files(path: Path) -> Iterator[Path]:
    """The files of JSON and JSON lines under a folder in natural order (2 before 10), or the one file."""
    if not path.is_dir():
        if not path.exists():
            raise BadInput("there is no such file or folder", where=str(path))
        yield path
        return
    result = []
    for folder, names, files in os.walk(path):
        names[:] = [name for name in names if not name.startswith(".")]
        result += [
            Path(folder) / n
            for n in files
            if n.lower().endswith((".json", ".jsonl")) and not n.startswith(".")
        ]
    yield from sorted(result, key=lambda file: _natural(file.as_posix()))


def load(path: Path) -> Rubric:
    """Load a rubric with the traits of its items: inferred by rule, then corrected by the side file if any.

    Raises BadInput.
    """
    several = _criteria(path)
    if several is not None:
        if len(several) != 1 or several[0].rubric is None:
            why = several[0].reason if len(several) == 1 else f"holds {len(several)} rubrics"
            raise BadInput(why, where=path.name, hint="osler rubric import FILE --out FOLDER writes each")
        rubric = several[0].rubric
    else:
        rubric = infer(read(path))
    side = side_of(path)
    return corrected(rubric, side) if side.exists() else rubric


def read(path: Path) -> Rubric:
    """Read a rubric as published, without inferred traits. Raises BadInput."""
    try:
        return parse(_bytes(path))
    except BadInput as error:
        raise BadInput(error.what, where=path.name, hint=error.hint) from None


def parse(raw: bytes) -> Rubric:
    """Parse a rubric from the bytes of a file. Raises BadInput, saying what is wrong and where."""
    value = _object(raw)
    for field in ("case_id", "scenario"):
        if not isinstance(value.get(field), str) or is_missing(value[field]):
            raise BadInput(f"is no rubric: {field} must be a text")
    version = value.get(VERSION_FIELD)
    if version is not None and not isinstance(version, str):
        raise BadInput(f"{VERSION_FIELD} must be a text")
    if not any(competency in value for competency in COMPETENCIES):
        raise BadInput(f"is no rubric: it has none of {', '.join(COMPETENCIES)}")
    texts = [(competency, text) for competency in COMPETENCIES for text in _texts(value, competency)]
    if len(texts) > MAX_ITEMS:
        raise BadInput(f"holds {len(texts):,} items; at most {MAX_ITEMS:,} can be judged")
    known = {"case_id", "scenario", VERSION_FIELD, *COMPETENCIES}
    return Rubric(
        case_id=value["case_id"],
        scenario=value["scenario"],
        version=version,
        items=items_of(texts),
        layout=tuple(value),
        other={name: held for name, held in value.items() if name not in known},
    )


def published(rubric: Rubric) -> dict[str, Any]:
    """The rubric in its published form: the fields of its source in their order, and nothing of ours."""
    ours: dict[str, Any] = {
        "case_id": rubric.case_id,
        "scenario": rubric.scenario,
        VERSION_FIELD: rubric.version,
        **{name: [item.text for item in rubric.of(name)] for name in COMPETENCIES},
    }
    return {name: ours[name] if name in ours else rubric.other[name] for name in rubric.layout}


def published_text(rubric: Rubric) -> str:
    """The published form as a JSON file."""
    return json.dumps(published(rubric), ensure_ascii=False, indent=2) + "\n"


def _remarks(rubric: Rubric, path: Path) -> Iterator[str]:
    if not rubric.items:
        yield "holds no item"
    if rubric.version not in KNOWN_VERSIONS and KEPT not in rubric.other:
        yield f"version {_short(rubric.version)} is not known; read like {KNOWN_VERSIONS[-1]}"
    missing = [name for name in COMPETENCIES if name not in rubric.layout]
    if missing:
        yield f"has no list for {', '.join(missing)}"
    strange = [name for name in rubric.other if name not in ("scenario_dir", KEPT)]
    if strange:
        yield f"fields kept and not judged: {', '.join(_short(name) for name in strange[:5])}"
    if (language := written_in(" ".join(item.text for item in rubric.items))) != ENGLISH:
        yield f"it is written in {shown(language)}: rules that read English read none of it"
    if doubtful := [item for item in rubric.items if doubt(item)]:
        yield f"doubtful points of items: {len(doubtful)} (`osler rubric lint --show points` names them)"
    if KEPT in rubric.other:
        yield "its competencies are taken from the axes of its tags, patient care for others"
    elif path.stem != f"{rubric.case_id}_{rubric.scenario}":
        yield f"the file is not named after its case and scenario, {_short(rubric.key)}"


def _bytes(path: Path) -> bytes:
    if not path.is_file():
        raise BadInput("is not a file")
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise BadInput(f"cannot be read: {error.strerror or error}") from None
    if not raw:
        raise BadInput("the file is empty (0 bytes)")
    if len(raw) > MAX_BYTES:
        raise BadInput(f"is longer than {MAX_BYTES // 1_000_000} MB")
    return raw


def _object(raw: bytes) -> dict[str, Any]:
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise BadInput("is written in UTF-16", hint="save it as UTF-8")
    try:
        text = raw.decode("utf-8-sig")
        value = json.loads(text, object_pairs_hook=_once, parse_constant=_no_number, parse_float=_finite)
        json.dumps(value, ensure_ascii=False).encode()  # a lone surrogate cannot be written back
    except UnicodeDecodeError as error:
        raise BadInput(f"not UTF-8: byte {error.start + 1} cannot be decoded") from None
    except UnicodeEncodeError:
        raise BadInput("a text holds half a character (a lone surrogate)") from None
    except json.JSONDecodeError as error:
        if not text.strip():
            raise BadInput("the file holds nothing but blanks") from None
        ended = not text[error.pos :].strip() or error.msg.startswith("Unterminated")
        why = "it ends too early" if ended else f"{error.msg} at line {error.lineno}, column {error.colno}"
        raise BadInput(f"not valid JSON: {why}") from None
    except RecursionError:
        raise BadInput("nested too deeply") from None
    except ValueError as error:
        raise BadInput(f"not valid JSON: {error}") from None
    if not isinstance(value, dict):
        raise BadInput("is no rubric: the file must hold one object")
    return value


def _texts(value: dict[str, Any], competency: Competency) -> list[str]:
    texts = value.get(competency, [])
    if not isinstance(texts, list):
        raise BadInput(f"{competency} must be a list of texts")
    for number, text in enumerate(texts, start=1):
        if not isinstance(text, str):
            raise BadInput(f"{competency}, item {number}: must be a text")
        if not text.strip():
            raise BadInput(f"{competency}, item {number}: is blank")
        if re.search(r"[^\W_]", text) and is_missing(text, named=False):
            raise BadInput(f"{competency}, item {number}: {text.strip()!r} stands for a missing value")
    return texts


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        raise BadInput("not valid JSON: a field is repeated")
    return result


def _no_number(word: str) -> float:
    raise BadInput(f"not valid JSON: {word} is no number")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise BadInput(f"not valid JSON: {_short(text)} is no number that can be kept")
    return number


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _natural(name: str) -> list[tuple[int, int, str]]:
    parts = _NUMBER.split(name)
    return [(1, int(part), "") if part.isdecimal() else (0, 0, part) for part in parts]
