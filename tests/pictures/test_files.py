"""Image files: what is kept of them, and which are refused."""

from __future__ import annotations

import struct
import zlib
from io import BytesIO

import pytest
from PIL import Image

from osler.errors import BadInput
from osler.pictures import files
from osler.pictures.files import cleaned
from tests.pictures.images import SECRET, jpeg, noise, other, png


@pytest.mark.parametrize("raw", [png(1), jpeg(2)], ids=["png", "jpeg"])
def test_the_pixels_stay_and_everything_else_goes(raw: bytes) -> None:
    assert SECRET.encode() in raw
    picture, kept = cleaned(raw)
    assert SECRET.encode() not in kept
    with Image.open(BytesIO(raw)) as before, Image.open(BytesIO(kept)) as after:
        assert before.tobytes() == after.tobytes()
        assert not after.getexif()
        assert not {"comment", "exif", "Comment", "icc_profile"} & after.info.keys()
    assert (picture.width, picture.height) == (24, 16)
    assert cleaned(raw).raw == kept, "the same file gives the same bytes"
    assert cleaned(kept) == (picture, kept), "what was kept once is left as it is"


@pytest.mark.parametrize("kind", ["GIF", "WEBP"])
def test_other_kinds_are_kept_as_png(kind: str) -> None:
    picture, kept = cleaned(other(3, kind))
    assert picture.media_type == "image/png"
    with Image.open(BytesIO(other(3, kind))) as before, Image.open(BytesIO(kept)) as after:
        assert before.convert("RGB").tobytes() == after.convert("RGB").tobytes()


def test_an_image_that_lies_on_its_side_is_turned() -> None:
    picture, kept = cleaned(jpeg(4, (24, 16), turn=6))
    assert (picture.width, picture.height) == (16, 24)
    assert SECRET.encode() not in kept
    assert cleaned(kept).raw == kept


def test_colours_that_a_header_explains_stay_what_they_are() -> None:
    out = BytesIO()
    noise(5).convert("CMYK").save(out, "JPEG")
    with Image.open(out) as before, Image.open(BytesIO(cleaned(out.getvalue()).raw)) as after:
        assert before.mode == after.mode == "CMYK"
        assert before.tobytes() == after.tobytes()


def bomb() -> bytes:
    """A PNG of few bytes that says it has more pixels than any memory holds."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")


def moving() -> bytes:
    """A GIF of two frames."""
    out = BytesIO()
    noise(6).save(out, "GIF", save_all=True, append_images=[noise(7)])
    return out.getvalue()


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>", "SVG or HTML"),
        (b"<!doctype html><p>", "SVG or HTML"),
        (b"%PDF-1.7", "no PNG, JPEG, GIF or WebP"),
        (b"", "no PNG, JPEG, GIF or WebP"),
        (bomb(), "pixels"),
        (moving(), "animation"),
        (jpeg(8)[:200], "damaged|too early"),
        (png(9)[:120], "damaged|too early"),
    ],
    ids=["svg", "html", "pdf", "empty", "bomb", "moving", "half a jpeg", "half a png"],
)
def test_what_is_no_image_or_too_much_of_one_is_refused_in_words(raw: bytes, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        cleaned(raw)


def test_a_file_of_too_many_bytes_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MOST_BYTES", 100)
    with pytest.raises(BadInput, match="larger than"):
        cleaned(png(10))
