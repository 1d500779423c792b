"""The answers of one player on disk: a line each, written as they come, so that a killed run goes on.

The first line says what determines the answers: file, format, player, seed, prompt. A file that was begun
with others is refused, and says which. Once all is answered, the lines are put in the order of the items, so
that a run that was killed and one that was not end with the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final, NamedTuple, Self

from osler.errors import BadInput
from osler.files import whole_file
from osler.vqa.prompt import Asked

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

MARK: Final = "osler_vqa"
VERSION: Final = 1
LONGEST_KEPT: Final = 8000
"""Characters of a reply that are kept: its end, where the answer stands."""
_MOST_LINE: Final = 2_000_000
_ARMS: Final = ("seeing", "blind")
_ROTATIONS: Final = 32
_CHANGED: Final = {
    "file_hash": "the file of questions has changed",
    "format": "--format was {before} and is {now}",
    "player": "the model or its settings have changed: {before}, now {now}",
    "seed": "--seed was {before} and is {now}",
    "prompt": "the prompt has changed",
    "reading": "the rules of reading answers have changed",
}


class Place(NamedTuple):
    """The place of an answer among all: its item's row, the rotation, and whether pictures were withheld."""

    row: int
    blind: bool
    rotation: int

    @property
    def number(self) -> int:
        """The place as one number; they sort as the answers stand in a finished file."""
        return (self.row * 2 + self.blind) * _ROTATIONS + self.rotation


def place_of(asked: Asked) -> Place:
    """The place of a question's answer."""
    return Place(asked.item.row, asked.blind, asked.rotation)


class Journal:
    """The answers of one player in one file, used as a context; `about` determines them.

    Raises BadInput for a file that cannot be read or written, is in use, or was begun with something else.
    """

    def __init__(self, path: Path, about: Mapping[str, Any], *, retry_failed: bool = False) -> None:
        self.path, self._retry = path, retry_failed
        self.about: dict[str, Any] = json.loads(_encoded({MARK: VERSION, **about}))
        self._at: dict[int, int] = {}
        self._keys: dict[int, str] = {}
        self._file: IO[bytes]
        self.answered_any = False
        self.faults = 0

    def __enter__(self) -> Self:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self.path.open("a+b")
        except OSError as error:
            raise BadInput(f"cannot be written: {error.strerror}", where=str(self.path)) from None
        try:
            self._lock()
            self._read()
        except BaseException:
            self._file.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def __len__(self) -> int:
        return len(self._at)

    def holds(self, place: Place, key: str = "") -> bool:
        """Whether an answer is kept. With the item's `key`, raises BadInput if another was answered."""
        kept = self._keys.get(place.number)
        if kept is None or not key or kept == key:
            return kept is not None
        raise BadInput(
            f"row {place.row} has changed since it was answered: its pictures are others",
            where=str(self.path),
            hint="restore them, or choose another folder with --out",
        )

    def add(self, place: Place, key: str, line: Mapping[str, Any]) -> None:
        """Keep an answer; it is on disk when this returns."""
        whole = {"row": place.row, "blind": place.blind, "rotation": place.rotation, "key": key, **line}
        raw = json.dumps(whole).encode() + b"\n"
        try:
            self._at[place.number] = self._file.seek(0, 2)
            self._file.write(raw)
            self._file.flush()
        except OSError as error:
            raise BadInput(f"cannot be written: {error.strerror}", where=str(self.path)) from None
        self._keys[place.number] = key
        self.answered_any = self.answered_any or not line.get("fault")

    def finish(self) -> None:
        """Put the answers in the order of their items, the last one where there are several."""
        with whole_file(self.path) as partial, partial.open("wb") as file:
            file.write(_encoded(self.about))
            for number in sorted(self._at):
                self._file.seek(self._at[number])
                file.write(self._file.readline())

    def lines(self) -> Iterator[dict[str, Any]]:
        """The answers in the order of their items."""
        for number in sorted(self._at):
            self._file.seek(self._at[number])
            yield json.loads(self._file.readline())

    def _lock(self) -> None:
        if fcntl is None:
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise BadInput(
                "another process is writing to it", where=str(self.path), hint="wait for it to end"
            ) from None

    def _read(self) -> None:
        """Note where the answers stand; cut off a last line that was not written whole."""
        self._file.seek(0)
        first = self._file.readline(_MOST_LINE)
        if not first.endswith(b"\n"):
            if first and not _encoded(self.about).startswith(first):
                raise _not_ours(self.path)
            self._file.truncate(0)
            self._file.write(_encoded(self.about))
            self._file.flush()
            return
        check_same(self.path, header_of(first, self.path), self.about)
        at, number = self._file.tell(), 1
        while raw := self._file.readline(_MOST_LINE):
            number += 1
            if not raw.endswith(b"\n") and len(raw) < _MOST_LINE:
                self._file.truncate(at)
                break
            line = line_of(raw, self.path, number)
            place = Place(line["row"], line["blind"], line["rotation"])
            if not (self._retry and line["fault"]):
                self._at[place.number], self._keys[place.number] = at, line["key"]
                self.faults += bool(line["fault"])
            self.answered_any = self.answered_any or not line["fault"]
            at = self._file.tell()


def stored(path: Path) -> tuple[dict[str, Any], Iterator[dict[str, Any]]]:
    """A finished file: all that determined its answers, and the answers in order. Raises BadInput."""
    try:
        file = path.open("rb")
    except OSError as error:
        raise BadInput(f"cannot be read: {error.strerror}", where=str(path)) from None
    with file:
        about = header_of(file.readline(_MOST_LINE), path)

    def lines() -> Iterator[dict[str, Any]]:
        last = -1
        with path.open("rb") as again:
            again.readline(_MOST_LINE)
            for number, raw in enumerate(iter(lambda: again.readline(_MOST_LINE), b""), 2):
                line = line_of(raw, path, number)
                here = Place(line["row"], line["blind"], line["rotation"]).number
                if here <= last:
                    raise BadInput(
                        "the run of these answers is not finished",
                        where=str(path),
                        hint="go on with it first: the same command again",
                    )
                last = here
                yield line

    return about, lines()


def header_of(raw: bytes, path: Path) -> dict[str, Any]:
    """Read the first line of a file, which says what determined its answers. Raises BadInput."""
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError):
        raise _not_ours(path) from None
    if not isinstance(found, dict) or found.get(MARK) != VERSION or not isinstance(found.get("player"), dict):
        raise _not_ours(path)
    return found


def line_of(raw: bytes, path: Path, number: int) -> dict[str, Any]:
    """An answer from its line. Raises BadInput with the line's number."""
    try:
        found = json.loads(raw)
        if isinstance(found, dict) and _is_answer(found):
            return found
    except (ValueError, RecursionError):
        pass
    raise BadInput(
        f"line {number} is damaged", where=str(path), hint="remove that line, and it is asked again"
    ) from None


def check_same(path: Path, before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Raise BadInput, naming what differs, unless two runs are determined by the same."""
    for name, words in _CHANGED.items():
        if name in now and before.get(name) != now[name]:
            told = words.format(before=_short(before.get(name)), now=_short(now[name]))
            raise BadInput(told, where=str(path), hint="choose another folder with --out")


def _is_answer(line: Mapping[str, Any]) -> bool:
    """Whether a line has what scoring reads, in the types and ranges it needs."""
    shown, right, given = line.get("shown"), line.get("right"), line.get("given")
    if not isinstance(shown, list) or not 2 <= len(shown) <= 26 or sorted(map(str, shown)) != _sorted(shown):
        return False
    places = range(len(shown))
    subjects = line.get("subjects")
    return (
        type(line.get("row")) is int
        and 0 < line["row"] < 2**40
        and type(line.get("rotation")) is int
        and 0 <= line["rotation"] < _ROTATIONS
        and isinstance(line.get("blind"), bool)
        and isinstance(line.get("key"), str)
        and type(right) is int
        and right in places
        and (given is None or (type(given) is int and given in places))
        and isinstance(line.get("why"), str)
        and isinstance(line.get("fault"), str)
        and type(line.get("pictures")) is int
        and isinstance(subjects, list)
        and all(
            isinstance(one, list) and len(one) == 2 and all(isinstance(s, str) for s in one)
            for one in subjects
        )
    )


def _sorted(shown: list[Any]) -> list[str]:
    return sorted(map(str, range(len(shown))))


def _short(value: object) -> str:
    return json.dumps(value)[:200] if isinstance(value, dict) else str(value)[:200]


def _encoded(about: Mapping[str, Any]) -> bytes:
    return json.dumps(about, sort_keys=True).encode() + b"\n"


def _not_ours(path: Path) -> BadInput:
    return BadInput("holds no answers of osler vqa", where=str(path), hint="choose another with --out")
