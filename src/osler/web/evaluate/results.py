"""Results in the folders that the server was started with (`osler serve --results`): records of studies, and
cards of the benchmark. What they are called comes from the folders; no visitor names a path."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from fastapi import APIRouter
from fastapi.responses import HTMLResponse
from pydantic import ValidationError

from osler.errors import BadInput
from osler.reports.printed import Part, parts_of
from osler.studies.bench.card import html, judged_by, standing, title
from osler.studies.bench.card_hashes import card_hash
from osler.studies.bench.card_tables import card_shown
from osler.studies.study.record import ENDING, StudyRecord
from osler.text.hostile import safe
from osler.web.evaluate.reports import PAGE_POLICY
from osler.web.evaluate.result_schemas import Cell, ResultLine, ResultList, ResultPage, Unread
from osler.web.house import House, TheHouse
from osler.web.lookups import ResultName
from osler.web.problems import NotFound
from osler.web.rights import needs
from osler.web.watch.seeing import Looking, Onlooker

router = APIRouter()
_LONGEST: Final = 8_000_000
"""The longest file that is read, in bytes."""
_MOST: Final = 500


class _Read(NamedTuple):
    """A file of a folder: its name for visitors, and what it holds, or why that cannot be shown."""

    id: str
    path: Path
    record: StudyRecord | None = None
    card: dict[str, Any] | None = None
    why: str = ""


@router.get("/results", dependencies=[needs("watch")])
def result_list(house: TheHouse) -> ResultList:
    """The records and cards in the server's folders, the latest first, and what could not be read."""
    held = sorted(_held(house.results), key=lambda one: -one.path.stat().st_mtime)
    return ResultList(
        items=[_line(one) for one in held if not one.why],
        unread=[Unread(name=one.id, why=one.why) for one in held if one.why],
        folders=len(house.results),
    )


@router.get("/results/{name}", dependencies=[needs("watch")])
def one_result(house: TheHouse, looking: Looking, name: ResultName) -> ResultPage:
    """One study or card, with the figures as a terminal prints them."""
    held = _named(house, name)
    line = _line(held)
    if held.record is not None:
        cells = list(_cells(looking, house, held.record))
        return ResultPage(line=line, notes=_notes(held.record), parts=list(held.record.shown), cells=cells)
    card = held.card or {}
    judges = [Part(text=safe(f"{one['name']}: judged by {judged_by(one)}")) for one in card["tables"]]
    notes = [safe(card["use"]), safe(standing(card)), f"Card {card['hash']}"]
    return ResultPage(line=line, notes=notes, parts=[*parts_of(card_shown(card)), *judges], cells=[])


@router.get("/results/{name}/card.html", dependencies=[needs("watch")], response_class=HTMLResponse)
def card_page(house: TheHouse, name: ResultName) -> HTMLResponse:
    """A card as its own page."""
    held = _named(house, name)
    if held.card is None:
        raise NotFound("this is no card", where=name[:100], hint="a study has its page in the browser")
    return HTMLResponse(html(held.card), headers={"content-security-policy": PAGE_POLICY})


def not_shown(folders: Sequence[Path]) -> list[Unread]:
    """The files of the folders that cannot be shown. Raises BadInput for a folder that is not there."""
    for folder in folders:
        if not folder.is_dir():
            raise BadInput("there is no such folder", where=f"--results {folder}", hint="create it first")
    return [Unread(name=one.id, why=one.why) for one in _held(folders) if one.why]


def _named(house: House, name: str) -> _Read:
    path = dict(_paths(house.results)).get(name)
    held = None if path is None else _read(name, path)
    if held is not None and not held.why:
        return held
    raise NotFound("there is no such result here", where=name[:100], hint="look in the list of results")


def _held(folders: Sequence[Path]) -> Iterator[_Read]:
    """The files of the folders, read."""
    return (_read(name, path) for name, path in _paths(folders))


def _paths(folders: Sequence[Path]) -> Iterator[tuple[str, Path]]:
    """Yield the files of the folders and of the folders in them, each under a name of its own; none is
    opened."""
    taken = set[str]()
    for folder in folders:
        there = sorted({*folder.glob(f"*{ENDING}"), *folder.glob(f"*/*{ENDING}")})
        for path in there[:_MOST]:
            if path.is_symlink() or path.parent.is_symlink() or not path.is_file():
                continue
            first = "-".join(path.relative_to(folder).with_suffix("").parts)
            name = next(one for one in _names(first) if one not in taken)
            taken.add(name)
            yield name, path


def _names(first: str) -> Iterator[str]:
    yield first
    n = 2
    while True:
        yield f"{first}-{n}"
        n += 1


def _read(name: str, path: Path) -> _Read:
    try:
        if path.stat().st_size > _LONGEST:
            return _Read(name, path, why="it is too large for a record or a card")
        value = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return _Read(name, path, why="it cannot be read as JSON")
    if isinstance(value, dict) and value.get("record") == "study":
        try:
            return _Read(name, path, record=StudyRecord.model_validate(value))
        except ValidationError:
            return _Read(name, path, why="it is no whole record of a study: write it again with --out")
    if isinstance(value, dict) and "benchmark" in value and "tables" in value:
        try:
            if value.get("hash") != card_hash(value):
                return _Read(name, path, why="it is no whole card: its hash is not that of what it holds")
            _ = html(value), list(card_shown(value)), title(value), standing(value)
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError, BadInput):
            return _Read(name, path, why="it is no card of this version of Osler")
        return _Read(name, path, card=value)
    return _Read(name, path, why="it is neither a record of a study nor a card of the benchmark")


def _line(held: _Read) -> ResultLine:
    written = held.path.stat().st_mtime
    if held.record is not None:
        one = held.record
        return ResultLine(
            id=held.id, kind="study", title=safe(one.title), about=safe(one.question), written=written
        )
    card = held.card or {}
    return ResultLine(
        id=held.id, kind="card", title=safe(title(card)), about=safe(standing(card)), written=written
    )


def _notes(record: StudyRecord) -> list[str]:
    notes = [f"Written with Osler {safe(record.osler)}"]
    if record.status != "done":
        notes.append(safe(f"The study is not finished: {record.status}. {record.why}".strip()))
    return notes


def _cells(looking: Onlooker, house: House, record: StudyRecord) -> Iterator[Cell]:
    """The conditions with their runs, as far as this visitor sees them in this store."""
    seen = {one.run.name: one.run for one in looking.among(house.store.runs())}
    for cases, runs in record.runs.items():
        for condition, name in runs.items():
            run = seen.get(name)
            yield Cell(
                condition=safe(condition),
                cases=safe(cases),
                run=name if run else "",
                status=run.status if run else None,
                done=run.done if run else 0,
                planned=run.planned if run else 0,
            )
