"""Extracting the rubric's items: statements that are verbatim in the evaluator's material.

Each has one competency. Either a model or the rules of `checklists` may propose the items; each is looked up
in the evaluator's text, and one whose words are not there is refused and reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, Final, NamedTuple

from pydantic import TypeAdapter

from osler.authoring.scenarios.asking import Asker, Forgiving, Question, ask, shaped, source_block
from osler.authoring.scenarios.checklists import competency_of, rows
from osler.authoring.scenarios.verbatim import Document, Standing, words
from osler.cases.rubrics.inference import infer
from osler.cases.rubrics.model import COMPETENCIES, VERSION_FIELD, Competency, Rubric, items_of
from osler.cases.rubrics.side_file import side_text
from osler.models.types import Output, encodable

MAX_ITEMS: Final = 500
MAX_ROWS: Final = 2_000
_VERSION: Final = "v1"
_LANGUAGE: Final = re.compile(
    r"^(.{1,200}?)[-_. ](zh|cn|chinese|fr|es|de|it|pt|ja|ko|ar|ru|tr|nl|pl)$", re.IGNORECASE
)
_ENGLISH: Final = re.compile(r"[-_. ](?:en|english)$", re.IGNORECASE)


class Extracted(NamedTuple):
    """One item verbatim from the evaluator's material. `part` marks one that is only part of a statement;
    `against` is as in `Row`."""

    competency: Competency
    text: str
    file: str
    line: int
    part: bool = False
    against: bool | None = None


class Refused(NamedTuple):
    """A refused text, and the reason."""

    text: str
    why: str


class Extraction(NamedTuple):
    """The outcome for all proposed items.

    `left_out` are rows that are clearly items and were not proposed.
    """

    items: tuple[Extracted, ...]
    refused: tuple[Refused, ...] = ()
    left_out: tuple[str, ...] = ()


class _ItemText(Forgiving):
    competency: Competency
    text: str


class _Answer(Forgiving):
    items: list[_ItemText]


_OUTPUT: Final = Output.of(TypeAdapter(_Answer), "scenario_rubric")


def once_each(files: Mapping[str, str]) -> dict[str, str]:
    """The files without translations: of `Form.md` and `Form-zh.md` only the first counts."""
    stems = {_stem(name) for name in files if not _LANGUAGE.match(PurePosixPath(name).stem)}
    return {
        name: text
        for name, text in files.items()
        if not ((match := _LANGUAGE.match(PurePosixPath(name).stem)) and _plain(match[1]) in stems)
    }


def _stem(name: str) -> str:
    return _plain(_ENGLISH.sub("", PurePosixPath(name).stem))


def _plain(stem: str) -> str:
    return re.sub(r"^\d+-", "", stem).casefold()


def by_rules(files: Mapping[str, str]) -> Extraction:
    """The rows that are clearly items. Pure."""
    plain = [row for text in once_each(files).values() for row in rows(text)][:MAX_ROWS]
    against = {tuple(words(row.text)): row.against for row in plain}
    pairs = [(row.competency or competency_of(row.text, row.heading), row.text) for row in plain]
    result = checked(pairs, files)
    items = (item._replace(against=against.get(tuple(words(item.text)))) for item in result.items)
    return result._replace(items=tuple(items))


def question_of(files: Mapping[str, str]) -> Question:
    """The question to a model about the evaluator's material."""
    texts = list(once_each(files).items())
    return Question("rubric", "rubric", (source_block(texts),), _OUTPUT)


async def by_model(asker: Asker, files: Mapping[str, str]) -> Extraction:
    """The items a model proposes, checked. Refused ones go back to it a bounded number of times."""

    def check(parsed: object) -> tuple[Extraction | None, tuple[str, ...]]:
        answer, wrong = shaped(_Answer, parsed)
        if answer is None:
            return None, wrong
        if len(answer.items) > MAX_ITEMS:
            return None, (f"items: {len(answer.items)} of them; at most {MAX_ITEMS}",)
        result = checked([(item.competency, encodable(item.text)) for item in answer.items], files)
        lines = [f"{one.why}: {one.text[:200]}" for one in result.refused]
        lines += [f"plainly an item, and left out: {text[:200]}" for text in result.left_out]
        return result, tuple(lines)

    extraction, _ = await ask(asker, question_of(files), check)
    return extraction


def checked(named: Sequence[tuple[Competency, str]], files: Mapping[str, str]) -> Extraction:
    """Each text as it is in the evaluator's files, or refused with the reason. Pure."""
    used = once_each(files)
    documents = {name: Document(text) for name, text in used.items()}
    result: dict[tuple[str, int, int], Extracted] = {}
    refused: list[Refused] = []
    pairs: set[tuple[str, ...]] = set()
    for competency, text in named:
        place = _place(text, documents)
        shown = " ".join(text.split())[:300]
        if place is None:
            refused.append(Refused(shown, "does not stand in the evaluator's material word for word"))
            continue
        name, standing = place
        unit = documents[name].units[standing.unit]
        if unit.kind == "heading" and len(words(text)) <= len(words(unit.text)):
            refused.append(Refused(shown, "is a heading"))
            continue
        plain = tuple(words(standing.text))
        if plain in pairs:
            refused.append(Refused(shown, "is named twice"))
            continue
        pairs.add(plain)
        item = Extracted(competency, standing.text, name, unit.line, not standing.whole)
        result[name, standing.first, standing.last] = item
    inside = _inside(result)
    refused += [Refused(result[key].text, "is part of another item") for key in sorted(inside)]
    keys = sorted(key for key in result if key not in inside)
    order = {name: place for place, name in enumerate(used)}
    keys.sort(key=lambda key: (order[key[0]], key[1]))
    return Extraction(tuple(result[key] for key in keys), tuple(refused), _left_out(used, documents, keys))


def _place(text: str, documents: Mapping[str, Document]) -> tuple[str, Standing] | None:
    places = [(name, standing) for name, d in documents.items() if (standing := d.find(text)) is not None]
    return next((place for place in places if place[1].whole), places[0] if places else None)


def _inside(keys: Iterable[tuple[str, int, int]]) -> set[tuple[str, int, int]]:
    """The spans (file, first, last) that are contained in another."""
    inside, file, last = set(), "", -1
    for key in sorted(keys, key=lambda key: (key[0], key[1], -key[2])):
        if key[0] == file and key[2] <= last:
            inside.add(key)
        else:
            file, last = key[0], key[2]
    return inside


def _left_out(
    files: Mapping[str, str], documents: Mapping[str, Document], kept: Sequence[tuple[str, int, int]]
) -> tuple[str, ...]:
    """Rows that are clearly items and that no extracted item touches."""
    missing = []
    for name, text in files.items():
        for row in rows(text):
            place = documents[name].find(row.text)
            if place and not any(
                key[0] == name and key[1] <= place.last and place.first <= key[2] for key in kept
            ):
                missing.append(row.text)
    return tuple(dict.fromkeys(missing))


def rubric_of(items: Sequence[Mapping[str, Any]], case_id: str, scenario: str) -> Rubric:
    """The frozen rubric of the extracted items, laid out as published."""
    return Rubric(
        case_id=case_id,
        scenario=scenario,
        version=_VERSION,
        items=items_of((item["competency"], str(item["text"])) for item in _ordered(items)),
        layout=("case_id", "scenario", "scenario_dir", VERSION_FIELD, *COMPETENCIES),
        other={"scenario_dir": f"{case_id}/{scenario}"},
    )


def side_of_items(rubric: Rubric, items: Sequence[Mapping[str, Any]]) -> str:
    """The text of the side file of their rubric: traits are inferred from the wording, and a heading's word
    on an item's polarity comes first."""
    inferred = infer(rubric)
    told = [item.get("against") for item in _ordered(items)]
    return side_text(
        rubric.with_traits(
            [
                rubric_item.traits
                if against is None
                else rubric_item.traits.model_copy(update={"negative": against})
                for rubric_item, against in zip(inferred.items, told, strict=True)
            ]
        )
    )


def _ordered(items: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [item for name in COMPETENCIES for item in items if item["competency"] == name]
