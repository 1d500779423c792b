"""The image files of items: found in one folder, recognized by their bytes, within limits, without metadata.

A name leads to a file in the folder or below it, or to none: a path that leads out, and a link, are refused.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from osler.errors import BadInput
from osler.pictures.files import MOST_BYTES, Cleaned, cleaned
from osler.vqa.item import BadRow, Item, Pictured

_DRIVE: Final = re.compile(r"[A-Za-z]:")
HINT: Final = "give the folder of the image files with --images DIR"


class Pictures:
    """The place of pictures: a folder, or the rows alone. Raises BadInput for a missing folder."""

    def __init__(self, folder: Path | None) -> None:
        if folder is not None and not folder.is_dir():
            raise BadInput("there is no such folder", where=f"--images {folder}", hint="name a folder")
        self._folder = folder
        self._root = folder.resolve() if folder is not None else None

    def of(self, item: Item) -> tuple[Cleaned, ...]:
        """The pictures of an item, in the order of its row. Raises BadRow, naming the one at fault."""
        return tuple(map(self._cleaned, item.pictures))

    def _cleaned(self, one: Pictured) -> Cleaned:
        raw = one.raw if one.raw is not None else self._read(one.name)
        try:
            return cleaned(raw)
        except BadInput as error:
            raise BadRow(f"its image {one.name[:100]} is refused: {error.what}") from None

    def _read(self, name: str) -> bytes:
        path = self._path(name)
        try:
            with path.open("rb") as file:
                return file.read(MOST_BYTES + 1)
        except OSError as error:
            why = error.strerror or str(error)
            raise BadRow(f"its image {name[:100]} cannot be read: {why}") from None

    def _path(self, name: str) -> Path:
        shown, parts = name[:100], name.replace("\\", "/").split("/")
        if "\0" in name or parts[0] == "" or ".." in parts or _DRIVE.match(name):
            raise BadRow(f"the name of its image leads out of the folder: {shown}")
        if self._folder is None or self._root is None:
            raise BadRow(f"its image is not at hand: {shown}")
        for path in (self._folder.joinpath(*parts), self._folder / parts[-1]):
            try:
                if path.is_symlink() or not path.is_file():
                    continue
                if path.resolve().is_relative_to(self._root):
                    return path
            except (OSError, ValueError):  # a name that no file can have
                continue
        raise BadRow(f"its image is not in {self._folder.name or self._folder}: {shown}")
