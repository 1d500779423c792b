"""The interactive rating form: one episode after another, each item with its levels; resumable at will."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from osler.players.person import Channel
from osler.studies.rating.guide import CANNOT_SAY
from osler.studies.rating.sheet import RatedColumn, Row, Sheet, episode_of

HELP: Final = f"""\
For each item type its number, or one of:
  {CANNOT_SAY}  you cannot say        Enter  leave it empty for now
  b  back one item         t  the transcript again
  n  next episode          q  stop; ratings are kept, and the form resumes from there"""


class Sitting(NamedTuple):
    """The outcome of one session: the rows `rated` in it, and how many are still open."""

    rated: int
    open: int


class _Stop(Exception):
    """The signal that the rater stops."""


async def sit(sheet: Sheet, channel: Channel, rater: str | None, keep: Callable[[], None]) -> Sitting:
    """Ask for every row that has an empty item; `keep` is called after each change to a row.

    `rater` is written into the rated rows; `None` leaves the names as they are.
    """
    items = sheet.items()
    waiting = [row for row in sheet.rows if _open(row, items)]
    channel.write(HELP)
    rated, last = 0, ""
    try:
        for at, row in enumerate(waiting, 1):
            channel.write(f"\n----- {row.cells['id']}: {at} of {len(waiting)} still open -----")
            again = episode_of(row.cells["id"]) == last
            _show(row, channel, "" if again else sheet.transcript_of(row))
            last = episode_of(row.cells["id"])
            before = dict(row.cells)
            try:
                await _ask(row, items, channel, sheet)
            finally:
                if row.cells != before:
                    if rater:
                        row.cells["rater"] = rater
                    rated += not _open(row, items)
                    keep()
    except (_Stop, EOFError):
        pass
    return Sitting(rated, sum(_open(row, items) for row in sheet.rows))


def _open(row: Row, items: list[RatedColumn]) -> bool:
    return any(not row.cells.get(item.name, "").strip() for item in items)


def _show(row: Row, channel: Channel, transcript: str) -> None:
    channel.write(row.whole("transcript") or transcript)
    if cell := row.cells.get("item", ""):
        channel.write(f"\n{cell}")
    if reference := row.whole("reference"):
        channel.write(f"\nreference\n{reference}")


async def _ask(row: Row, items: list[RatedColumn], channel: Channel, sheet: Sheet) -> None:
    """Ask for the empty items of a row, and then for a quote, where the sheet has room for one, and a
    comment."""
    columns = [item for item in items if not row.cells.get(item.name, "").strip()]
    at = 0
    while at < len(columns):
        name, question, levels = columns[at]
        lines = [f"\n{name}: {question}", *(f"  {n} = {level}" for n, level in levels.items())]
        channel.write("\n".join(lines))
        answer = await _answer(f"{name}> ", row, levels, channel, sheet)
        if answer == "n":
            return
        if answer == "b":
            at = max(at - 1, 0)
            continue
        row.cells[name] = answer
        at += 1
    if _open(row, items):
        return
    if "quote" in sheet.headings and not row.cells.get("quote", "").strip():
        row.cells["quote"] = (await channel.read("quote or line number, or Enter for none> ")).strip()
    if not row.cells.get("comment", "").strip():
        text = (await channel.read("comment, or Enter for none> ")).strip()
        row.cells["comment"] = text


async def _answer(prompt: str, row: Row, levels: dict[int, str], channel: Channel, sheet: Sheet) -> str:
    """Ask until the answer is a level, `?`, empty, `b` or `n`, and return it."""
    while True:
        text = (await channel.read(prompt)).strip().lower()
        if text == "q":
            raise _Stop
        if text == "t":
            _show(row, channel, sheet.transcript_of(row))
        elif text in ("", "b", "n", CANNOT_SAY) or text in map(str, levels):
            return text
        elif text.isdecimal():
            channel.write(f"A number from {min(levels)} to {max(levels)}.")
        else:
            channel.write(HELP)
