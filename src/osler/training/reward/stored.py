"""Turns to be scored that are stored already: those of a run, of a data set, or of a file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from pydantic import ValidationError

from osler.core.events import Seat
from osler.errors import BadInput, in_words
from osler.store.records import RunInfo
from osler.store.store import Store
from osler.training.harvest import LeftOut, episodes
from osler.training.reading import pictured
from osler.training.samples import KINDS
from osler.training.splits import SPLITS
from osler.training.state import ImageRef, State
from osler.training.task import TrainedSeat

MOST_BYTES: Final = 2_000_000_000
LONGEST_LINE: Final = 50_000_000
_TEXTS: Final = ("text", "target")


class Stored(NamedTuple):
    """A turn at its state. `accepted` says whether it was spoken; a line of a file says so if it knows."""

    state: State
    text: str
    accepted: bool = True


class Harvested(NamedTuple):
    """The turns of a run, the episodes left out by reason, and the bytes of images by SHA-256."""

    turns: list[Stored]
    left_out: dict[str, int]
    pictures: dict[str, bytes]


def turns_of(
    run: RunInfo, store: Store, seat: TrainedSeat, *, limit: int | None = None, pictures: bool = False
) -> Harvested:
    """The turns of a seat in a run's episodes, at most `limit`; the store is one that a data set may read.
    With `pictures`, the bytes of images are kept. Raises BadInput."""
    harvested: list[Stored] = []
    left_out: dict[str, int] = {}
    kept: dict[str, bytes] = {}

    def keep(image: ImageRef, raw: bytes) -> None:
        kept[image.sha256] = raw

    for played in episodes(run, store, _seat(seat)):
        if isinstance(played, LeftOut):
            left_out[played.filter] = left_out.get(played.filter, 0) + 1
            continue
        for turn in seat.turns(played):
            if limit is not None and len(harvested) >= limit:
                return Harvested(harvested, left_out, kept)
            state = seat.state(turn, keep if pictures else None)
            harvested.append(Stored(state, seat.target(turn), turn.accepted))
    return Harvested(harvested, left_out, kept)


def _seat(seat: TrainedSeat) -> Seat:
    return seat.seat


def rows_of(folder: Path, *, limit: int | None = None) -> Harvested:
    """The turns in a data set, whatever form it is in and whichever split they are in, with its pictures; of
    its single rows, and where it has none the last turn of each conversation. Raises BadInput."""
    harvested: list[Stored] = []
    kept: dict[str, bytes] = {}
    for kind in KINDS:
        for split in SPLITS:
            for sample, images in pictured(folder, kind, split):
                if limit is not None and len(harvested) >= limit:
                    return Harvested(harvested, {}, kept)
                kept |= {ref.sha256: raw for ref, raw in zip(sample.images, images, strict=False)}
                known = {name: getattr(sample, name) for name in State.model_fields}
                if kind == "multi":
                    known["messages"] = sample.messages[:-1]
                harvested.append(Stored(State.model_validate(known), sample.target))
        if harvested:
            break
    return Harvested(harvested, {}, kept)


def lines_of(file: Path, *, limit: int | None = None) -> Harvested:
    """The turns in a file of JSON lines: the fields of a state, and the turn under `text` or `target`; rows
    of a data set are such lines. Raises BadInput, naming the line."""
    return Harvested(list(_lines(file, limit)), {}, {})


def _lines(file: Path, limit: int | None) -> Iterator[Stored]:
    try:
        if file.stat().st_size > MOST_BYTES:
            raise BadInput(f"is larger than {MOST_BYTES // 1_000_000_000} GB", where=str(file))
        with file.open("rb") as lines:
            count = 0
            for number, line in enumerate(lines, 1):
                if limit is not None and count >= limit:
                    return
                if line.strip():
                    count += 1
                    yield _stored(line, f"{file}, line {number}")
    except OSError as error:
        raise BadInput(f"cannot be read: {error.strerror}", where=str(file)) from None


def _stored(line: bytes, where: str) -> Stored:
    try:
        if len(line) > LONGEST_LINE:
            raise BadInput("is too long", where=where)
        row: Any = json.loads(line)
    except (ValueError, RecursionError):
        raise BadInput("is not JSON in UTF-8", where=where) from None
    if not isinstance(row, Mapping):
        raise BadInput("is not an object", where=where, hint="a state's fields and `text`, as docs say")
    text = next((row[name] for name in _TEXTS if isinstance(row.get(name), str)), None)
    if text is None:
        raise BadInput("has no turn", where=where, hint="give it as `text`")
    known = {name: row[name] for name in State.model_fields if name in row}
    try:
        state = State.model_validate(known)
    except ValidationError as error:
        raise BadInput(in_words(error, "the state"), where=where) from None
    return Stored(state, text, row.get("accepted") is not False)
