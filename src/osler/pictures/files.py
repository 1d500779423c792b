"""Image files made safe: recognized by their bytes, within limits, and without metadata.

PNG and JPEG are copied part by part, so the pixels are those of the source and the same file gives the same
bytes everywhere; comments, EXIF, profiles, thumbnails and whatever follows the image are left behind. A GIF,
a WebP, and a JPEG that its EXIF says to turn are written anew. What was kept once is left as it is.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from hashlib import sha256
from io import BytesIO
from typing import Final, NamedTuple

from PIL import Image, ImageOps, UnidentifiedImageError

from osler.core.pictures import ImageFile
from osler.errors import BadInput

MOST_BYTES: Final = 10_000_000
MOST_PIXELS: Final = 40_000_000
_TOO_MANY: Final = f"it has more than {MOST_PIXELS:,} pixels"
_ACCEPTED: Final = ("PNG", "JPEG", "GIF", "WEBP")
_PNG_START: Final = b"\x89PNG\r\n\x1a\n"
_PNG_KEPT: Final = frozenset((b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND"))
_JPEG_KEPT: Final = frozenset((*range(0xC0, 0xD0), 0xDA, 0xDB, 0xDC, 0xDD)) - {0xC8}
"""Frames, Huffman and arithmetic tables, scans, quantization tables, the number of lines, restarts."""
_JFIF: Final = b"\xff\xe0\x00\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0"
"""The plainest JFIF header: it says that the colours are YCbCr, and nothing else."""
_END_OF_SCAN: Final = re.compile(rb"\xff+[^\x00\xd0-\xd7\xff]")
_TURN: Final = 0x0112


class Cleaned(NamedTuple):
    """An image as it is kept, and its bytes."""

    picture: ImageFile
    raw: bytes


def cleaned(raw: bytes) -> Cleaned:
    """An image file without metadata. Raises BadInput, saying why, for one that is not accepted."""
    if len(raw) > MOST_BYTES:
        raise BadInput(f"it is larger than {MOST_BYTES // 1_000_000} MB")
    try:
        with warnings.catch_warnings():
            # Pillow warns of a large image, and of EXIF that it cannot read: sizes are checked here.
            warnings.simplefilter("ignore")
            return _cleaned(raw)
    except BadInput:
        raise
    except UnidentifiedImageError:
        drawn = raw.lstrip()[:1] == b"<"
        what = "it is a text (SVG or HTML), no image" if drawn else "it is no PNG, JPEG, GIF or WebP image"
        raise BadInput(f"{what}, whatever its name says") from None
    except Image.DecompressionBombError:
        raise BadInput(_TOO_MANY) from None
    except Exception as error:  # a hostile file may trip up a decoder in any way
        raise BadInput(f"it is damaged and cannot be read ({type(error).__name__})") from None


def _cleaned(raw: bytes) -> Cleaned:
    with _opened(raw) as image:
        if image.format in ("PNG", "GIF", "WEBP") and getattr(image, "n_frames", 1) > 1:
            raise BadInput("it holds several images (an animation); keep one of them")
        turned = image.format in ("JPEG", "MPO") and image.getexif().get(_TURN, 1) not in (0, 1)
        if image.format == "PNG":
            text = b"".join(_png_parts(raw))
        elif image.format in ("JPEG", "MPO") and not turned:
            text = b"".join(_jpeg_parts(raw))
        else:
            text = _written(image, turned=turned)
    if len(text) > MOST_BYTES:
        raise BadInput(f"it is larger than {MOST_BYTES // 1_000_000} MB")
    with _opened(text) as image:
        image.load()
        width, height = image.size
    media_type: str = "image/png" if text.startswith(_PNG_START) else "image/jpeg"
    held = {"sha256": sha256(text).hexdigest(), "media_type": media_type, "width": width, "height": height}
    return Cleaned(ImageFile.model_validate(held), text)


def _opened(raw: bytes) -> Image.Image:
    """Open an image, whose pixels are not read yet. Raises BadInput for too many of them."""
    image = Image.open(BytesIO(raw), formats=_ACCEPTED)
    if image.width * image.height > MOST_PIXELS:
        raise BadInput(_TOO_MANY)
    return image


def _written(image: Image.Image, *, turned: bool) -> bytes:
    """An image decoded and encoded again: as JPEG if it was one, else as PNG, which loses nothing."""
    out = BytesIO()
    if turned:
        ImageOps.exif_transpose(image).convert("RGB").save(out, "JPEG", quality=95, subsampling=0)
    else:
        image.convert("RGBA" if image.has_transparency_data else "RGB").save(out, "PNG")
    raw = out.getvalue()
    return b"".join(_jpeg_parts(raw) if turned else _png_parts(raw))


def _png_parts(raw: bytes) -> Iterator[bytes]:
    """The chunks that make the pixels. Their checksums are tested when the result is decoded."""
    yield _PNG_START
    at = len(_PNG_START)
    while at < len(raw):
        end = at + 12 + int.from_bytes(raw[at : at + 4])
        name = raw[at + 4 : at + 8]
        if name in _PNG_KEPT:
            yield raw[at:end]
        if name == b"IEND":
            return
        at = end
    raise BadInput("it ends too early")


def _jpeg_parts(raw: bytes) -> Iterator[bytes]:
    """Yield the segments needed for the pixels, up to the end of the first image."""
    yield raw[:2]
    at = 2
    while at < len(raw):
        while raw[at : at + 2] == b"\xff\xff":
            at += 1
        start, marker = raw[at], raw[at + 1]
        if start != 0xFF:
            raise BadInput("it is damaged: a segment does not begin where it should")
        if marker == 0xD9:
            yield b"\xff\xd9"
            return
        end = at + 2 + int.from_bytes(raw[at + 2 : at + 4])
        segment = raw[at:end]
        if marker == 0xE0 and segment[4:9] == b"JFIF\0":
            yield _JFIF
        elif marker == 0xEE and segment[4:9] == b"Adobe":
            yield b"\xff\xee\x00\x0e" + segment[4:16]  # how the colours are coded
        elif marker in _JPEG_KEPT:
            yield segment
        if marker == 0xDA:
            match = _END_OF_SCAN.search(raw, end)
            if match is None:
                break
            yield raw[end : match.start()]
            end = match.end() - 2
        at = end
    raise BadInput("it ends too early")
