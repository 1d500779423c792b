"""Small image files of our own making, with metadata to be found again if it is kept."""

from __future__ import annotations

from io import BytesIO
from random import Random

from PIL import Image
from PIL.PngImagePlugin import PngInfo

SECRET = "SECRET-OF-THE-CAMERA"


def noise(seed: int, size: tuple[int, int] = (24, 16)) -> Image.Image:
    """An image like no other: pixels by chance."""
    return Image.frombytes("RGB", size, Random(seed).randbytes(3 * size[0] * size[1]))


def png(seed: int, size: tuple[int, int] = (24, 16)) -> bytes:
    """A PNG with a comment."""
    out, info = BytesIO(), PngInfo()
    info.add_text("Comment", SECRET)
    noise(seed, size).save(out, "PNG", pnginfo=info)
    return out.getvalue()


def jpeg(seed: int, size: tuple[int, int] = (24, 16), turn: int | None = None) -> bytes:
    """A JPEG with EXIF, a comment and something behind its end; `turn` is the EXIF orientation."""
    out, exif = BytesIO(), Image.Exif()
    exif[0x010E] = SECRET
    if turn is not None:
        exif[0x0112] = turn
    noise(seed, size).save(out, "JPEG", exif=exif, comment=SECRET.encode())
    return out.getvalue() + SECRET.encode()


def other(seed: int, kind: str) -> bytes:
    """A GIF or a WebP."""
    out = BytesIO()
    noise(seed).save(out, kind)
    return out.getvalue()
