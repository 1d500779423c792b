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
from typing import IO, Any, Final, Self

from pydantic import ValidationError

from osler.errors import BadInput
from osler.files import whole_file
from osler.vqa.answer import Answer, Place

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

MARK: Final = "osler_vqa"
VERSION: Final = 1
_MOST_LINE: Final = 2_000_000
_CHANGED: Final = {
    "file_hash": "the file of questions has changed",
    "format": "--format was {before} and is {now}",
    "player": "the model or its settings have changed: {before}, now {now}",
    "seed": "--seed was {before} and is {now}",
    "prompt": "the prompt has changed",
    "reading": "the rules of reading answers have changed",
}


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

    def add(self, answer: Answer) -> None:
        """Keep an answer; it is on disk when this returns."""
        raw = json.dumps(answer.model_dump()).encode() + b"\n"
        number = answer.place.number
        try:
            self._at[number] = self._file.seek(0, 2)
            self._file.write(raw)
            self._file.flush()
        except OSError as error:
            raise BadInput(f"cannot be written: {error.strerror}", where=str(self.path)) from None
        self._keys[number] = answer.key
        self.answered_any = self.answered_any or not answer.fault

    def finish(self) -> None:
        """Put the answers in the order of their items, the last one where there are several."""
        with whole_file(self.path) as partial, partial.open("wb") as file:
            file.write(_encoded(self.about))
            for number in sorted(self._at):
                self._file.seek(self._at[number])
                file.write(self._file.readline())

    def answers(self) -> Iterator[Answer]:
        """The answers in the order of their items."""
        for number in sorted(self._at):
            self._file.seek(self._at[number])
            yield Answer.model_validate_json(self._file.readline())

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
            answer = _answer(raw, self.path, number)
            place = answer.place.number
            if not (self._retry and answer.fault):
                self._at[place], self._keys[place] = at, answer.key
                self.faults += bool(answer.fault)
            self.answered_any = self.answered_any or not answer.fault
            at = self._file.tell()


def stored(path: Path) -> tuple[dict[str, Any], Iterator[Answer]]:
    """A finished file: all that determined its answers, and the answers in order. Raises BadInput."""
    try:
        file = path.open("rb")
    except OSError as error:
        raise BadInput(f"cannot be read: {error.strerror}", where=str(path)) from None
    with file:
        about = header_of(file.readline(_MOST_LINE), path)

    def answers() -> Iterator[Answer]:
        last = -1
        with path.open("rb") as again:
            again.readline(_MOST_LINE)
            for number, raw in enumerate(iter(lambda: again.readline(_MOST_LINE), b""), 2):
                answer = _answer(raw, path, number)
                here = answer.place.number
                if here <= last:
                    raise BadInput(
                        "the run of these answers is not finished",
                        where=str(path),
                        hint="go on with it first: the same command again",
                    )
                last = here
                yield answer

    return about, answers()


def header_of(raw: bytes, path: Path) -> dict[str, Any]:
    """Read the first line of a file, which says what determined its answers. Raises BadInput."""
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError):
        raise _not_ours(path) from None
    if not isinstance(found, dict) or found.get(MARK) != VERSION or not isinstance(found.get("player"), dict):
        raise _not_ours(path)
    return found


def _answer(raw: bytes, path: Path, number: int) -> Answer:
    """An answer from its line. Raises BadInput with the line's number."""
    try:
        return Answer.model_validate_json(raw)
    except ValidationError:
        raise BadInput(
            f"line {number} is damaged", where=str(path), hint="remove that line, and it is asked again"
        ) from None


def check_same(path: Path, before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Raise BadInput, naming what differs, unless two runs are determined by the same."""
    for name, words in _CHANGED.items():
        if name in now and before.get(name) != now[name]:
            told = words.format(before=_short(before.get(name)), now=_short(now[name]))
            raise BadInput(told, where=str(path), hint="choose another folder with --out")


def _short(value: object) -> str:
    return json.dumps(value)[:200] if isinstance(value, dict) else str(value)[:200]


def _encoded(about: Mapping[str, Any]) -> bytes:
    return json.dumps(about, sort_keys=True).encode() + b"\n"


def _not_ours(path: Path) -> BadInput:
    return BadInput("holds no answers of osler vqa", where=str(path), hint="choose another with --out")
