"""The prose of one role of a packet: all text files of its folder, concatenated in natural order.

Struck-through text (`~~so~~`) is left out. A file that is not text is named in a remark, never skipped
silently, except for dotfiles and files that operating systems leave behind.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from osler.cases.file_source import natural
from osler.cases.scenarios.model import PacketFile, PacketRole
from osler.errors import BadInput
from osler.text.struck_text import without_struck

ROLE_NAMES: Final[dict[str, PacketRole]] = {
    "examinee": "examinee",
    "sp_actor": "sp_actor",
    "sp": "sp_actor",
    "environment_controller": "environment_controller",
    "environment": "environment_controller",
    "evaluator": "evaluator",
}
"""The names of the role folders, case-insensitive."""
SUFFIXES: Final = ("", ".md", ".markdown", ".txt", ".json", ".yaml", ".yml", ".csv", ".html", ".xml")
MAX_BYTES: Final = 1_500_000
"""The size limit for all texts of one packet together, and so for each role."""
MAX_FILES: Final = 1_000
LEFT_OUT: Final = "is no text and was left out"
"""The remark on a file that is not text."""
_LEFT_BEHIND: Final = frozenset({"__macosx", "thumbs.db", "desktop.ini"})
_BETWEEN: Final = "\n\n"


class RoleText(NamedTuple):
    """A role's prose, the range of each file in it, and remarks."""

    text: str
    files: tuple[PacketFile, ...]
    remarks: tuple[str, ...]


def passed_over(name: str) -> bool:
    """Whether a file name is skipped: hidden, or left behind by an operating system."""
    return name.startswith(".") or name.lower() in _LEFT_BEHIND


def leads_out(path: Path, root: Path) -> bool:
    """Whether a path is a link that leads outside a folder."""
    try:
        return path.is_symlink() and not path.resolve().is_relative_to(root.resolve())
    except (OSError, RuntimeError):  # a link to itself
        return True


def role_text(role: PacketRole, folder: Path) -> RoleText:
    """Read the prose of a role's folder.

    Raises BadInput for a link that leads out of it, text that is not UTF-8, too much text, or none.
    """
    texts: list[tuple[str, str]] = []
    remarks, size = [], 0
    for name, path in role_files(folder):
        if not path.is_file():
            remarks.append(f"{role}/{name} is no file and was left out")
        elif path.suffix.lower() not in SUFFIXES:
            remarks.append(f"{role}/{name} {LEFT_OUT}")
        else:
            raw = _decoded(path, f"{role}/{name}")
            kept = without_struck(raw)
            if kept != raw:
                remarks.append(f"{role}/{name}: text that was struck through was left out")
            texts.append((name, kept))
            size += len(kept.encode())
            if size > MAX_BYTES:
                raise BadInput(f"the texts of {role} are longer than {MAX_BYTES / 1e6:g} MB")
    if not any(text.strip() for _, text in texts):
        held = " (nothing that is text)" if remarks else ""
        raise BadInput(f"the folder {role} is empty{held}")
    files, at = [], 0
    for name, text in texts:
        files.append(PacketFile(role=role, name=name, start=at, end=at + len(text)))
        at += len(text) + len(_BETWEEN)
    return RoleText(_BETWEEN.join(text for _, text in texts), tuple(files), tuple(remarks))


def role_files(folder: Path) -> Iterator[tuple[str, Path]]:
    """The files of a role's folder and its subfolders by their relative paths, in natural order.

    Raises BadInput where a link leads out of the folder, or there are too many files.
    """
    pairs: list[tuple[str, Path]] = []
    root = folder.resolve()
    for here, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not passed_over(name)]
        for path in (Path(here) / name for name in [*folders, *files]):
            if leads_out(path, root) or (path.is_symlink() and path.is_dir()):
                raise BadInput(f"{folder.name}/{_shown(path, folder)} is a link out of the folder")
        pairs += [(_shown(Path(here) / n, folder), Path(here) / n) for n in files if not passed_over(n)]
        if len(pairs) > MAX_FILES:
            raise BadInput(f"the folder {folder.name} holds more than {MAX_FILES:,} files")
    yield from sorted(pairs, key=lambda item: natural(item[0]))


def _decoded(path: Path, name: str) -> str:
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise BadInput(f"{name} cannot be read: {error.strerror or error}") from None
    if len(raw) > MAX_BYTES:
        raise BadInput(f"{name} is longer than {MAX_BYTES / 1e6:g} MB")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"{name} is not UTF-8: byte {error.start + 1} cannot be decoded") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _shown(path: Path, folder: Path) -> str:
    """A path relative to its folder as text; bytes that are not UTF-8 are replaced."""
    name = path.relative_to(folder).as_posix()
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
