"""The record that a case was imported from, put together again from the pieces that the case kept of it.

Every leaf of a source has one holder in the case, with its path, so a record in MedTutor's form can be
written out again. The prose of `question` is kept whole; in a case that was imported before it was, it is
joined from its sentences. Images have the neutral names under which they were imported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise, zip_longest
from typing import Any, Final

from osler.cases.model import Case

_QUESTION: Final = "question"
_SCRIPT: Final = "patient_script."
_STEP: Final = re.compile(r"\.?([^.\[\]\"]+)|\[(\d+)\]")
_NUMBER: Final = re.compile(r"-?\d{1,6}(?:\.\d{1,6})?")
_IMAGE: Final = re.compile(r"images\[(\d+)\]")
_NUMBERS: Final = (".age",)
_MOST_ITEMS: Final = 1000
_MARKS: Final = tuple(".!?:,…")
_CLOSING: Final = "\"'’”)*"
_LISTS: Final = ("images", "related_images", "compatible_persona_tags")


def source_id(case: Case) -> str:
    """The id of the record in its source ("MM-599"); the case's own where the source gives none."""
    return next((leaf.text for leaf in case.withheld if leaf.source == "id" and leaf.text), case.id)


def medtutor_record(case: Case) -> dict[str, Any] | None:
    """The record in MedTutor's form; `None` for a case that comes from elsewhere."""
    pieces: dict[str, list[str]] = {}
    for path, text in _pieces(case):
        pieces.setdefault(path, []).append(text)
    if not any(_question_place(path) for path in pieces) or not any(
        path.startswith((_SCRIPT, "medical_task", "question_steps", "model_response")) for path in pieces
    ):
        return None
    prose = sorted((place, path) for path in pieces if (place := _question_place(path)))
    joined = " ".join(text for _, path in prose for text in pieces[path] if text)
    question = case.provenance.prose or joined
    record: dict[str, Any] = {"id": source_id(case), _QUESTION: question}
    for path, texts in pieces.items():
        if path != "id" and not _question_place(path):
            _put(record, path, _value(path, _as_written(texts)))
    return record


def _pieces(case: Case) -> Iterator[tuple[str, str]]:
    """Each path of the source with the text that the case kept of it."""
    opened = False
    for path in case.opening.sources:
        if path.startswith(_SCRIPT):
            yield path, case.opening.words
        else:
            # The note on the door joins the sentences that introduce the patient.
            yield path, "" if opened else case.opening.door_note
            opened = True
    for fact in case.facts:
        if fact.source:
            yield fact.source, fact.spoken or fact.text
    for finding in case.findings:
        if finding.source:
            yield finding.source, _image(finding.source) or finding.result
    for leaf in case.withheld:
        yield leaf.source, leaf.text


def _image(path: str) -> str:
    """The neutral name of the image at a path, by which steps and script call it; empty for another path."""
    match = _IMAGE.fullmatch(path)
    return f"Image {int(match[1]) + 1}" if match else ""


def _question_place(path: str) -> tuple[int, ...]:
    """The place of a piece of the question, from 1; empty for any other path."""
    if path != _QUESTION and not path.startswith(f"{_QUESTION}["):
        return ()
    return (1, *(int(number) for number in re.findall(r"\d+", path)))


def _as_written(texts: Sequence[str]) -> str:
    """Statements of one leaf as one text again; one without a mark at its end was cut at a semicolon."""
    ends = [" " if text.rstrip(_CLOSING).endswith(_MARKS) else "; " for text in texts[:-1]]
    return "".join(part for pair in zip_longest(texts, ends, fillvalue="") for part in pair)


def _value(path: str, text: str) -> object:
    if path.endswith(_NUMBERS) and _NUMBER.fullmatch(text):
        return float(text) if "." in text else int(text)
    return text or ([] if path.endswith(_LISTS) else None)


def _put(record: dict[str, Any], path: str, value: object) -> None:
    """Set a value at its path; a path that does not fit what stands there already is left out."""
    keys: list[str | int] = [int(number) if number else key for key, number in _STEP.findall(path)]
    holder: Any = record
    for key, below in pairwise(keys):
        holder = _child(holder, key, [] if isinstance(below, int) else {})
    if keys and holder is not None:
        _child(holder, keys[-1], value)


def _child(holder: Any, key: str | int, new: object) -> Any:
    """The child of a holder, made if it is not there; `None` where there can be none."""
    if isinstance(key, int):
        if not isinstance(holder, list) or key >= _MOST_ITEMS:
            return None
        # The holders of a list's items are in no order: a later item may come before an earlier one.
        holder.extend([None] * (key + 1 - len(holder)))
        if holder[key] is None:
            holder[key] = new
        return holder[key]
    return holder.setdefault(key, new) if isinstance(holder, dict) else None
