"""Paths of this machine, which nobody from outside is told."""

from __future__ import annotations

import re
from typing import Final

_FOLDERS: Final = re.compile(
    r"(?<![\w./\\-])(?:~|\.{1,2}|[A-Za-z]:)?"  # not within a word, as in `model:a/b` or `and/or`
    r"[/\\](?![/\\\s])"  # not an address, nor a division
    r"(?:[^/\\\s,+:;'\"]*[/\\])*"
)
"""The folders of a path that is absolute, or relative to a home or to where the server runs."""


def name_of(path: str) -> str:
    """The name of a file without its folders."""
    return re.split(r"[/\\]", path)[-1]


def without_folders(text: str) -> str:
    """A text whose paths are the names of their files alone."""
    return _FOLDERS.sub("", text)
