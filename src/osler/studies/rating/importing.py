"""Import of filled sheets: every cell is checked, valid rows are stored, each invalid one is reported."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from osler.core.permitted import NotPermitted
from osler.errors import BadInput
from osler.judging.person_sheet import sheet_of
from osler.runs.run import protocol_of
from osler.runs.stored_case import stored
from osler.store.permitted_store import for_reader
from osler.store.records import RunInfo
from osler.store.store import Record, Store
from osler.studies.rating.blind import fingerprint
from osler.studies.rating.guide import CANNOT_SAY as CANNOT
from osler.studies.rating.item_rows import judgement_of, line_named
from osler.studies.rating.ratings import CANNOT_SAY, NOT_RATED, Rating, grader_of, rating_json
from osler.studies.rating.scales import ScaleItem
from osler.studies.rating.sheet import Row, Sheet, episode_of, read_sheet
from osler.studies.rating.unblinding_key import Behind, Key

_LEVEL: Final = re.compile(r"([0-9]{1,3})(?:[.,]0{1,6})?")
_RATER: Final = re.compile(r"\w[\w.-]{0,39}")
_OWN: Final = re.compile(r"id|rater|comment|item|quote|(?:transcript|reference)(?: \d+)?")
_QUOTED: Final = 40


class Problem(NamedTuple):
    """The reason why a row was rejected. `row` is counted as in a spreadsheet; `column` may be empty."""

    file: str
    row: int
    column: str
    what: str
    mend: str


class Imported(NamedTuple):
    """The outcome of an import, as counts of rows: newly `stored`, `replaced` an earlier rating, `unchanged`,
    `unfilled`, or `refused`.

    `problems` says why, cell by cell; `passed_over` lists the contents of unknown columns.
    """

    raters: dict[str, int]
    stored: int
    replaced: int
    unchanged: int
    unfilled: int
    refused: int
    problems: list[Problem]
    passed_over: list[Problem]


class _SheetRow(NamedTuple):
    """A valid row, and its place in the file."""

    file: str
    row: int
    rating: Rating


def import_sheets(store: Store, paths: Sequence[Path], key: Key) -> Imported:
    """Store the ratings of these sheets. Raises BadInput if a file as a whole cannot be read."""
    sheets = [read_sheet(path) for path in paths]
    filled = [(sheet, row) for sheet in sheets for row in _filled(sheet, key)]
    problems = [problem for sheet, row in filled for problem in _faults(sheet, row, key)]
    bad = {(problem.file, problem.row) for problem in problems}
    good = [
        _SheetRow(str(sheet.path), row.number, _rating(sheet, row, key))
        for sheet, row in filled
        if (str(sheet.path), row.number) not in bad
    ]
    rows, twice = _once(good)
    raters, fresh, replaced, unchanged, gone = _store(for_reader(store, "rating"), key, rows)
    wrong = sorted([*problems, *twice, *gone])
    return Imported(
        raters=raters,
        stored=fresh,
        replaced=replaced,
        unchanged=unchanged,
        unfilled=sum(len(sheet.rows) for sheet in sheets) - len(filled),
        refused=len({(problem.file, problem.row) for problem in wrong}),
        problems=wrong,
        passed_over=[each for sheet in sheets for each in _strange(sheet, key)],
    )


def rater_named(name: str) -> str | None:
    """Normalize a rater's name for storage: lower case, no blanks; `None` if it is not a valid name."""
    plain = "-".join(unicodedata.normalize("NFKC", name).casefold().split())
    return plain if _RATER.fullmatch(plain) else None


def _filled(sheet: Sheet, key: Key) -> list[Row]:
    """Return the rows that the rater has filled in, at least in part."""
    ids = [item.id for item in key.scale.items]
    missing = [name for name in ids if name not in sheet.headings]
    if missing:
        raise BadInput(
            f"there is no column {missing[0]!r} in its first row",
            where=str(sheet.path),
            hint="each item of the scale needs its column, with its heading as it was",
        )
    written = [*ids, "quote", "comment"]
    return [row for row in sheet.rows if any(row.cells.get(name, "").strip() for name in written)]


def _faults(sheet: Sheet, row: Row, key: Key) -> Iterator[Problem]:
    """Yield everything wrong in a row, cell by cell."""

    def fault(column: str, what: str, mend: str) -> Problem:
        return Problem(str(sheet.path), row.number, column, what, mend)

    name = row.cells["id"].strip()
    behind = key.episodes.get(name)
    if behind is None:
        other = "is of another export" if key.batch not in name else "is not in the key"
        what = f"{name[:_QUOTED]!r} {other}" if name else "is empty"
        yield fault("id", what, "put the id back, or give the key of that export")
    elif fingerprint(row.whole(_shown(behind))) != behind.transcript:
        mend = "columns were moved apart or text was changed: copy the ratings into a fresh sheet"
        yield fault(_shown(behind), f"is not that of {name}", mend)
    elif _quote(sheet, row, key) is None:
        mend = "write the number of a line of its transcript, or the words themselves"
        yield fault("quote", f"{row.cells['quote'].strip()[:_QUOTED]!r} is no line of it", mend)
    if rater_named(row.cells["rater"]) is None:
        shown = row.cells["rater"].strip()[:_QUOTED]
        what = f"{shown!r} is not a name" if shown else "is empty"
        yield fault("rater", what, "letters, digits, '.', '_' and '-', at most 40")
    for item in key.scale.items:
        if _level(row.cells[item.id], item) is None:
            shown = row.cells[item.id].strip()[:_QUOTED]
            last = item.top + item.first
            mend = f"a whole number from {item.first} to {last}, {CANNOT} if you cannot say, or nothing"
            yield fault(item.id, f"{shown!r} is not a level", mend)


def _level(cell: str, item: ScaleItem) -> int | str | None:
    """Parse a cell: its level counted from 0, the reason why there is none, or `None` if it cannot be
    read."""
    text = unicodedata.normalize("NFKC", cell).strip()
    if text in ("", CANNOT):
        return CANNOT_SAY if text else NOT_RATED
    match = _LEVEL.fullmatch(text)
    level = int(match[1]) - item.first if match else -1
    return level if 0 <= level <= item.top else None


def _shown(behind: Behind) -> str:
    """Return the column whose words the key has a fingerprint of."""
    return "item" if behind.item else "transcript"


def _quote(sheet: Sheet, row: Row, key: Key) -> str | None:
    """Return what a rater gave as proof; `None` if it is the number of a line that is not there."""
    text = row.cells.get("quote", "").strip() if key.scale.each == "item" else ""
    return line_named(text, sheet.transcript_of(row)) if text else ""


def _rating(sheet: Sheet, row: Row, key: Key) -> Rating:
    levels = {item.id: _level(row.cells[item.id], item) for item in key.scale.items}
    return Rating(
        rater=rater_named(row.cells["rater"]) or "",
        levels={name: level for name, level in levels.items() if level is not None},
        comment=row.cells.get("comment", "").strip(),
        batch=key.batch,
        blind_id=row.cells["id"].strip(),
        quote=_quote(sheet, row, key) or "",
    )


def _once(sheet_rows: list[_SheetRow]) -> tuple[list[_SheetRow], list[Problem]]:
    """Deduplicate rows by rater and episode; if two differ, neither is taken."""
    by_place: dict[tuple[str, str], list[_SheetRow]] = {}
    for each in sheet_rows:
        by_place.setdefault((each.rating.rater, each.rating.blind_id), []).append(each)
    kept, problems = [], []
    for (rater, name), rows in by_place.items():
        if all(each.rating == rows[0].rating for each in rows):
            kept.append(rows[0])
            continue
        for each in rows:
            others = ", ".join(f"{one.file} row {one.row}" for one in rows if one is not each)
            what = f"{rater} rates {name} otherwise in {others}"
            problems.append(Problem(each.file, each.row, "id", what, "keep one of them"))
    return kept, problems


def _store(
    store: Store, key: Key, sheet_rows: list[_SheetRow]
) -> tuple[dict[str, int], int, int, int, list[Problem]]:
    """Store new ratings; return (rows by rater, new, replaced, unchanged, rows whose episode is gone)."""
    runs = {run.name: run for run in store.runs()}
    raters, fate, gone = Counter[str](), Counter[str](), list[Problem]()
    written: dict[int, list[tuple[int, str, str, str]]] = {}
    together: dict[tuple[str, str], list[_SheetRow]] = {}
    for row in sorted(sheet_rows, key=lambda row: (row.rating.blind_id, row.rating.rater)):
        together.setdefault((episode_of(row.rating.blind_id), row.rating.rater), []).append(row)
    for rows in together.values():
        behind = key.episodes[rows[0].rating.blind_id]
        run = runs.get(behind.run)
        try:
            record = None if run is None else _record(store, run, behind)
        except NotPermitted as refused:
            gone += [Problem(one.file, one.row, "id", refused.what, refused.hint) for one in rows]
            continue
        if run is None or record is None:
            what = f"{behind.run}:{behind.ordinal} is not here as it was exported"
            mend = "give the store it was exported from with --store; what was played again is rated again"
            gone += [Problem(one.file, one.row, "id", what, mend) for one in rows]
            continue
        marks = (grader_of(key.scale, rows[0].rating.rater), key.scale.full_version)
        body = _body(store, run, key, rows)
        before = next((one.body for one in record[2] if one[1:3] == marks), None)
        raters[rows[0].rating.rater] += len(rows)
        fate["new" if before is None else "unchanged" if before == body else "replaced"] += len(rows)
        if before != body:
            written.setdefault(run.id, []).append((behind.ordinal, *marks, body))
    for run_id, bodies in written.items():
        store.put_judgements(run_id, bodies)
    return dict(sorted(raters.items())), fate["new"], fate["replaced"], fate["unchanged"], gone


def _body(store: Store, run: RunInfo, key: Key, rows: list[_SheetRow]) -> str:
    """Return one rater's ratings of an episode as the text of a judgement."""
    if key.scale.each != "item":
        return rating_json(key.scale, rows[0].rating)
    first = key.episodes[rows[0].rating.blind_id]
    case = stored(store, protocol_of(run).config.model)(first.case)
    rubric = key.rubrics.get(first.case) or sheet_of(case)
    by_item = {key.episodes[one.rating.blind_id].item or "": one.rating for one in rows}
    marks = (grader_of(key.scale, rows[0].rating.rater), key.scale.full_version)
    return judgement_of(rubric, *marks, by_item, key.scale.items[0].id).stored.body


def _record(store: Store, run: RunInfo, behind: Behind) -> Record | None:
    """Return the episode that was shown, `None` if it is gone or has been played again since. Raises
    NotPermitted."""
    try:
        record = store.record(run.id, behind.ordinal)
    except NotPermitted:
        raise
    except BadInput:
        return None
    return record if record[0].key == behind.key else None


def _strange(sheet: Sheet, key: Key) -> Iterator[Problem]:
    """Yield a notice for each entry in a column that is not part of the sheet."""
    ours = {item.id for item in key.scale.items}
    for row in sheet.rows:
        for name, text in row.cells.items():
            if text.strip() and name not in ours and not _OWN.fullmatch(name):
                mend = "write it under comment if it is to be kept"
                yield Problem(str(sheet.path), row.number, name, "is not a column of this scale", mend)
