"""A spool on disk for the rows of a data set while it is built, so that memory stays flat."""

from __future__ import annotations

import json
import sqlite3
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from osler.training.filters import Rejected
from osler.training.samples import Sample, as_row, from_row

_TABLES = """
create table turns (
  place text primary key, session text, case_hash text, id text, body blob, filter text, why text
);
create table rows (kind text, split text, id text, body blob, primary key (kind, split, id));
create table cases (hash text primary key, line text);
create table rejected (id text, place text, line text, primary key (id, place));
"""


class Spool:
    """Turns in the order of their place, and the rows made of them; used as a context."""

    def __init__(self, beside: Path) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix=".osler-", dir=beside)
        self._db = sqlite3.connect(Path(self._folder.name) / "spool.db")
        self._db.executescript(f"pragma journal_mode = off; pragma synchronous = off; {_TABLES}")

    @property
    def folder(self) -> Path:
        """A folder for what else is kept meanwhile."""
        return Path(self._folder.name)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._db.close()
        self._folder.cleanup()

    def add(self, place: str, session: str, sample: Sample, refused: Rejected | None) -> None:
        """Keep a turn at its place among all; of two at one place, the first."""
        result = refused or Rejected("", "")
        body = packed(as_row(sample))
        self._db.execute(
            "insert or ignore into turns values (?, ?, ?, ?, ?, ?, ?)",
            (place, session, sample.case_hash, sample.id, body, *result),
        )

    def refuse(self, place: str, found: Rejected) -> None:
        """Reject a turn that was kept."""
        self._db.execute("update turns set filter = ?, why = ? where place = ?", (*found, place))

    def kept(self) -> Iterator[tuple[str, str, Sample]]:
        """Yield (place, session, turn) of those that no filter refuses, in order of place."""
        places = [
            place for (place,) in self._db.execute("select place from turns where filter = '' order by place")
        ]
        for place in places:
            row = self._db.execute("select session, body from turns where place = ?", (place,)).fetchone()
            yield place, row[0], from_row(unpacked(row[1]))

    def kept_cases(self) -> list[str]:
        """The content hashes of the cases of which any turn is kept, in order."""
        query = "select distinct case_hash from turns where filter = '' order by case_hash"
        return [case_hash for (case_hash,) in self._db.execute(query)]

    def refused(self) -> Iterator[tuple[str, Sample, Rejected]]:
        """Yield (place, turn, why) of those that are rejected, in order of place."""
        query = "select place, body, filter, why from turns where filter <> '' order by place"
        for place, body, name, why in self._db.execute(query):
            yield place, from_row(unpacked(body)), Rejected(name, why)

    def row(self, sample: Sample) -> bool:
        """Keep a row as it is written; false if there is one of its id."""
        rows = self._db.execute(
            "insert or ignore into rows values (?, ?, ?, ?)",
            (sample.kind, sample.split, sample.id, packed(as_row(sample))),
        )
        return rows.rowcount == 1

    def rows(self, kind: str, split: str) -> Iterator[Sample]:
        """Yield the rows of a kind and a split, in order of their ids."""
        query = "select body from rows where kind = ? and split = ? order by id"
        for (body,) in self._db.execute(query, (kind, split)):
            yield from_row(unpacked(body))

    def reject(self, ident: str, place: str, line: dict[str, Any]) -> None:
        """Keep a line of what was rejected."""
        text = json.dumps(line, ensure_ascii=False, sort_keys=True)
        self._db.execute("insert or ignore into rejected values (?, ?, ?)", (ident, place, text))

    def case(self, case_hash: str, line: dict[str, Any]) -> None:
        """Keep what is written of a case."""
        text = json.dumps(line, ensure_ascii=False, sort_keys=True)
        self._db.execute("insert or ignore into cases values (?, ?)", (case_hash, text))

    def cases(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the cases by content hash, in order."""
        for case_hash, line in self._db.execute("select hash, line from cases order by hash"):
            yield case_hash, json.loads(line)

    def lines(self) -> Iterator[str]:
        """Yield the lines of what was rejected, in order of their ids."""
        for (line,) in self._db.execute("select line from rejected order by id, place"):
            yield line


def packed(row: Any) -> bytes:
    """A row as compressed JSON."""
    return zlib.compress(json.dumps(row, ensure_ascii=False).encode("utf-8", "surrogatepass"), 1)


def unpacked(body: bytes) -> Any:
    """The row in compressed JSON."""
    return json.loads(zlib.decompress(body).decode("utf-8", "surrogatepass"))


def places(parts: Sequence[str]) -> str:
    """A place from its parts: they sort as the parts do, one after the other."""
    return "\x1f".join(parts)
