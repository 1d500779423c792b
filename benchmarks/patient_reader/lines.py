"""The labelled lines: what doctors said to the patients of the library, and the facts that answer it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import yaml

from osler.cases.personas import persona
from osler.cases.sources import open_source
from osler.protocols.shared.patient import PatientView
from osler.protocols.shared.players.context import in_context
from osler.protocols.shared.players.sought import story_of
from osler.protocols.shared.players.utterance_steps import questions_in
from osler.protocols.shared.players.weighing import Heard, Known, hear, known
from osler.protocols.shared.views import patient_view

FIXTURES: Final = Path(__file__).parents[2] / "tests/fixtures"
FOLDS: Final = 5


class Line(NamedTuple):
    """A question of one clause to the patient of a case, and the ids of the facts that answer it (none where
    the case does not). `fold` keeps the lines of a writer for a case together; -1 is always learned from."""

    case: str
    heard: Heard
    leans: bool
    answers: frozenset[str]
    held: bool
    fold: int


def library() -> Mapping[str, PatientView]:
    """The patient's view of each case of the library, by id."""
    return {
        case.id: patient_view(case, persona=persona("plain"), unknown="standard")
        for case in open_source("library")
    }


def known_of(view: PatientView) -> tuple[Known, ...]:
    """The facts of a view, indexed."""
    return tuple([known(fact) for fact in view.facts])


def lines(views: Mapping[str, PatientView]) -> Iterator[Line]:
    """Every labelled line that is one question."""
    for wave, each in _records():
        view = views[each["case"]]
        found = questions_in(each["say"])
        if len(found) != 1:
            continue
        alone = hear(found[0])
        heard = in_context(alone, each.get("before", []), story_of(known_of(view)))
        fold = -1 if not wave else _fold(wave + each["case"])
        held = each.get("expect", "fact") in ("fact", "declined")
        answers = frozenset(each.get("facts", ())) if held else frozenset[str]()
        yield Line(each["case"], heard, heard != alone, answers, held, fold)


def _fold(name: str) -> int:
    return int(hashlib.md5(name.encode(), usedforsecurity=False).hexdigest(), 16) % FOLDS


def _records() -> Iterator[tuple[str, dict[str, Any]]]:
    """Each record with the letter of its writers' wave; the earlier questions of our own have none."""
    for file in sorted((FIXTURES / "patient_lines").glob("*.jsonl")):
        said: dict[str, list[str]] = {}
        for line in file.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            if history := record.get("history"):
                record["before"] = list(said.setdefault(history, []))
                said[history].append(record["say"])
            if record["expect"] != "other":
                yield file.name[0], record
    for file in sorted((FIXTURES / "questions").glob("*.yaml")):
        for item in yaml.safe_load(file.read_text(encoding="utf-8")):
            yield "", {"case": file.stem, "say": item["question"], "facts": [item["fact"]]}
    for case, items in yaml.safe_load((FIXTURES / "asked.yaml").read_text(encoding="utf-8")).items():
        for item in items:
            held = "fact" if item.get("held", True) else "not_held"
            record = {"case": case, "say": item["ask"], "facts": item["facts"], "expect": held}
            yield "", {**record, "before": item.get("before", [])}
