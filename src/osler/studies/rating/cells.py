"""Cells of a spreadsheet: text of others that no spreadsheet program may take for a formula.

A cell that a program might calculate gets an apostrophe in front, and so does one that would then look as if
it had one; `original` takes it off again.
"""

from __future__ import annotations

from typing import Final

LONGEST: Final = 30_000
"""Characters a cell may hold; spreadsheet programs cut what is longer than 32,767."""
_STARTS: Final = frozenset("=+-@＝＋－＠|%\t\r\n")
_MARK: Final = "'"


def harmless(text: str) -> str:
    """The text as a cell that stays text."""
    return _MARK + text if _calculates(text.lstrip(_MARK)) else text


def original(cell: str) -> str:
    """What `harmless` was given."""
    plain = cell.lstrip(_MARK)
    return cell[1:] if len(plain) < len(cell) and _calculates(plain) else cell


def pieces(text: str, longest: int = LONGEST) -> list[str]:
    """A long text in pieces that fit into a cell each, cut between lines where there are any."""
    found = []
    while len(text) > longest:
        at = text.rfind("\n", 1, longest) + 1 or longest
        found.append(text[:at])
        text = text[at:]
    return [*found, text]


def _calculates(text: str) -> bool:
    # Programs differ in whether they pass over blanks before a formula.
    return text[:1] in _STARTS or text.lstrip()[:1] in _STARTS
