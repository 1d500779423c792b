"""The states that a policy is trained on, kept on disk: a data set of any size takes next to no memory."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple, overload

from osler.core.pictures import Held
from osler.files import write_bytes_once
from osler.training.pictures import ENDINGS, name_of
from osler.training.samples import Sample, as_row, from_row
from osler.training.spool import packed, unpacked

PICTURES: Final = "pictures"
_ROWS: Final = "prompts.db"
_HELD: Final = 256
"""The states that are held in memory: those of a batch are asked for again and again."""


class Prompt(NamedTuple):
    """A state that is trained on, with its pictures."""

    state: Sample
    pictures: tuple[bytes, ...] = ()


class Prompts(Sequence[Prompt]):
    """The kept states of a folder, by their place."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._db = sqlite3.connect(f"file:{folder / _ROWS}?mode=ro", uri=True, check_same_thread=False)
        self._length = int(self._db.execute("select count(*) from rows").fetchone()[0])
        self._at = lru_cache(maxsize=_HELD)(self._read)

    @classmethod
    def keep(cls, folder: Path, prompts: Iterable[Prompt]) -> Prompts:
        """Keep states in a folder, in the place of those that are there."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / _ROWS).unlink(missing_ok=True)
        database = sqlite3.connect(folder / _ROWS)
        try:
            database.executescript(
                "pragma journal_mode = off; pragma synchronous = off;"
                "create table rows (place integer primary key, body blob);"
            )
            for place, one in enumerate(prompts):
                for ref, raw in zip(one.state.images, one.pictures, strict=True):
                    write_bytes_once(folder / PICTURES / name_of(ref), raw)
                database.execute("insert into rows values (?, ?)", (place, packed(as_row(one.state))))
            database.commit()
        finally:
            database.close()
        return cls(folder)

    def _read(self, place: int) -> Prompt:
        (body,) = self._db.execute("select body from rows where place = ?", (place,)).fetchone()
        state = from_row(unpacked(body))
        result = (self.folder / PICTURES / name_of(ref) for ref in state.images)
        return Prompt(state, tuple(path.read_bytes() for path in result))

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, place: int) -> Prompt: ...

    @overload
    def __getitem__(self, place: slice) -> list[Prompt]: ...

    def __getitem__(self, place: int | slice) -> Prompt | list[Prompt]:
        if isinstance(place, slice):
            return [self._at(n) for n in range(*place.indices(self._length))]
        if not 0 <= place < self._length:
            raise IndexError(place)
        return self._at(place)

    def __iter__(self) -> Iterator[Prompt]:
        return (self._read(place) for place in range(self._length))

    def close(self) -> None:
        """Close the file."""
        self._db.close()


class PicturesIn(Mapping[str, bytes]):
    """The pictures of a folder by SHA-256, read when they are asked for, beside those `at_hand` and those
    that a store has `held`; the folder may yet be missing."""

    held: Held | None = None

    def __init__(self, folder: Path, at_hand: Mapping[str, bytes]) -> None:
        self.folder, self.at_hand = folder, at_hand

    def __getitem__(self, sha256: str) -> bytes:
        if (raw := self.at_hand.get(sha256)) is not None:
            return raw
        for ending in ENDINGS:
            if (path := self.folder / f"{sha256}.{ending}").is_file():
                return path.read_bytes()
        if self.held is not None and (raw := self.held(sha256)) is not None:
            return raw
        raise KeyError(sha256)

    def __iter__(self) -> Iterator[str]:
        there = (path.stem for path in self.folder.iterdir()) if self.folder.is_dir() else ()
        return iter({*self.at_hand, *there})

    def __len__(self) -> int:
        return sum(1 for _ in self)
