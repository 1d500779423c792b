"""The pictures of a data set: their bytes by SHA-256 in a folder, and how large they are."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Final

from PIL import Image

from osler.files import write_bytes_once
from osler.training.state import ImageRef

_ENDINGS: Final = {"image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/webp": "webp"}

_OTHER: Final = "bin"
ENDINGS: Final = (*_ENDINGS.values(), _OTHER)
"""The endings of pictures' files."""


class Album:
    """Pictures in a folder. `sizes` are width and height by hash."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.sizes: dict[str, tuple[int, int]] = {}

    def keep(self, image: ImageRef, raw: bytes) -> None:
        """Keep a picture's bytes."""
        if image.sha256 in self.sizes:
            return
        write_bytes_once(self.folder / name_of(image), raw)
        with Image.open(BytesIO(raw)) as opened:
            self.sizes[image.sha256] = opened.size

    def bytes_of(self, image: ImageRef) -> bytes:
        """The bytes of a picture that was kept."""
        return (self.folder / name_of(image)).read_bytes()


def name_of(image: ImageRef) -> str:
    """The name of a picture's file: its hash and its type's ending."""
    return f"{image.sha256}.{_ENDINGS.get(image.media_type, _OTHER)}"
