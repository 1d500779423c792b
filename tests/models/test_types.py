"""Requests and images refuse what is not true, and clients are opened by name."""

from __future__ import annotations

import asyncio
import base64
from pathlib import Path

import pytest
from pydantic import ValidationError

from osler.errors import BadInput
from osler.models.cache import Cache
from osler.models.config import config_of
from osler.models.open_models import Models
from osler.models.types import Image, MediaType
from tests.models.endpoint import KEY, request_of, says, serving

BYTES: dict[MediaType, bytes] = {
    "image/png": b"\x89PNG\r\n\x1a\n....",
    "image/jpeg": b"\xff\xd8\xff\xe0....",
    "image/gif": b"GIF89a....",
    "image/webp": b"RIFF\x10\x00\x00\x00WEBPVP8 ",
}


@pytest.mark.parametrize("kind", BYTES)
def test_an_image_is_what_its_bytes_say(kind: MediaType) -> None:
    image = Image.of(BYTES[kind])
    assert image.media_type == kind
    assert base64.b64decode(image.data) == BYTES[kind]
    for other in BYTES.keys() - {kind}:
        with pytest.raises(ValidationError, match=f"is {kind}, not {other}"):
            Image(media_type=other, data=image.data)


@pytest.mark.parametrize("raw", [b"", b"<svg onload='x'>", b"RIFF....WAVE", b"%PDF-1.7"])
def test_what_is_no_image_is_refused(raw: bytes) -> None:
    with pytest.raises(ValueError, match="not a PNG"):
        Image.of(raw)


def test_requests_are_frozen() -> None:
    with pytest.raises(AttributeError):
        setattr(request_of().messages[0], "text", "changed")  # noqa: B010 - a type checker refuses it too
    with pytest.raises(ValidationError, match="frozen"):
        setattr(request_of().sampling, "temperature", 1.0)  # noqa: B010


def test_models_are_opened_by_name_with_one_ledger_and_cache(tmp_path: Path) -> None:
    async def go() -> None:
        async with serving(says("ok")) as served:
            table = {"base_url": served.url, "model": "tiny", "key_env": "TINY_KEY"}
            config = config_of({"endpoints": {"a": table, "b": {**table, "model": "tiny-b"}}})
            with Cache(tmp_path / "c.db") as cache:
                async with Models(
                    config, cache=cache, cache_mode="write", environ={"TINY_KEY": KEY}
                ) as models:
                    assert models.client("a") is models.client("a")
                    for name in ("a", "a", "b"):
                        await models.client(name).complete(request_of(seat="doctor"))
                    assert set(models.ledger.rows) == {("doctor", "a"), ("doctor", "b")}
                    assert models.ledger.total.calls == 2
            with pytest.raises(BadInput, match="TINY_KEY"):
                Models(config, environ={}).client("a")

    asyncio.run(go())
