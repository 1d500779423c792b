"""The side file of a rubric: YAML beside the published file, in which people correct inferred traits.

    rubric: case_id/scenario
    items:
    - {id: "3fa9c1d2e0b4", negative: true, by_absence: true, text: "Fails to wash hands"}

A trait that is not listed stays as inferred. `text` is there for the reader: it must be the published text,
and nothing in this file changes it. An id that is not in the rubric is refused by name.
"""

from __future__ import annotations

import difflib
import json
import re
from collections import Counter
from pathlib import Path
from typing import Annotated, Any, Final

import yaml
from pydantic import Field, ValidationError

from osler.cases.rubrics.inference import levels
from osler.cases.rubrics.model import COMPETENCIES, Rubric, Traits
from osler.core.events import Frozen
from osler.errors import BadInput, in_words

MAX_BYTES: Final = 10_000_000
_HEAD: Final = (
    "# What was inferred of each item. Correct it here; the published text beside it stays as it is.\n"
    "# negative: it speaks against the examinee. by_absence: it holds because something was not done.\n"
    "# finding: it is about the patient, not about what was done. weight 0 takes an item out of the "
    "net score.\n"
    "# Items of one group are levels of one thing; level is the share of the weight that one earns.\n"
)
_OPTIONAL: Final = ("group", "level")
_NOT_PLAIN: Final = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_NAMES: Final = tuple(Traits.model_fields)


class _Entry(Frozen):
    id: str
    text: str | None = None
    negative: bool | None = None
    by_absence: bool | None = None
    critical: bool | None = None
    finding: bool | None = None
    weight: Annotated[float | None, Field(ge=0, le=1000, allow_inf_nan=False)] = None
    group: Annotated[str | None, Field(max_length=60)] = None
    level: Annotated[float | None, Field(ge=0, le=1, allow_inf_nan=False)] = None


class _File(Frozen):
    rubric: str | None = None
    items: tuple[_Entry, ...] = ()


def side_of(path: Path) -> Path:
    """The path of the side file that belongs to a rubric's file."""
    return path.with_suffix(".yaml")


def side_text(rubric: Rubric) -> str:
    """A side file with the traits of every item, one line each, ready to be corrected."""
    lines = [f"rubric: {_flow(rubric.key)}", "items:" if rubric.items else "items: []"]
    default = Traits().model_dump()
    # An item that the rules infer as a level is listed even where a person decided that it is not one.
    by_rule = {key for name in COMPETENCIES for key in levels(rubric.of(name))}
    for item in rubric.items:
        traits = item.traits.model_dump()
        named = {n for n in _NAMES if n not in _OPTIONAL or item.id in by_rule or traits[n] != default[n]}
        shown = {n: traits[n] for n in _NAMES if n in named}
        held = {"id": item.id, **shown, "text": item.text}
        lines.append(f"- {{{', '.join(f'{name}: {_flow(told)}' for name, told in held.items())}}}")
    return _HEAD + "\n".join(lines) + "\n"


def corrected(rubric: Rubric, path: Path) -> Rubric:
    """The rubric with the side file's corrections applied. Raises BadInput."""
    file = _read(path)
    if file.rubric is not None and file.rubric != rubric.key:
        raise BadInput(f"is the side file of {file.rubric}, not of {rubric.key}", where=path.name)
    texts = {item.id: item.text for item in rubric.items}
    doubled = [key for key, times in Counter(entry.id for entry in file.items).items() if times > 1]
    if doubled:
        raise BadInput(f"item {doubled[0]} is in it twice", where=path.name)
    for entry in file.items:
        if entry.id not in texts:
            near = difflib.get_close_matches(entry.id, texts, n=1)
            hint = f"perhaps {near[0]}" if near else "osler rubric import writes a side file with every id"
            raise BadInput(f"the rubric has no item {entry.id}", where=path.name, hint=hint)
        if entry.text is not None and entry.text != texts[entry.id]:
            raise BadInput(f"item {entry.id}: the text is not the published one", where=path.name)
    given = {entry.id: _given(entry) for entry in file.items}
    return rubric.with_traits(
        [item.traits.model_copy(update=given.get(item.id, {})) for item in rubric.items]
    )


def _given(entry: _Entry) -> dict[str, Any]:
    return {name: value for name in _NAMES if (value := getattr(entry, name)) is not None}


def _read(path: Path) -> _File:
    try:
        raw = path.read_bytes()
        if len(raw) > MAX_BYTES:
            raise BadInput("is too long for a side file", where=path.name)
        value = yaml.load(raw.decode("utf-8-sig"), Loader=yaml.CSafeLoader)
        return _File.model_validate(value)
    except OSError as error:
        raise BadInput(f"cannot be read: {error.strerror or error}", where=path.name) from None
    except UnicodeDecodeError:
        raise BadInput("not UTF-8", where=path.name) from None
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        place = f" at line {mark.line + 1}" if mark else ""
        raise BadInput(f"not valid YAML{place}", where=path.name) from None
    except ValidationError as error:
        raise BadInput(in_words(error, "the file"), where=path.name) from None


def _flow(value: object) -> str:
    """A plain value as YAML: its JSON, escaping what YAML takes for a line break or refuses."""
    text = json.dumps(value, ensure_ascii=False)
    return _NOT_PLAIN.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
