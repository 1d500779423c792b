"""Pictures as vectors, without a model: from a picture's data where there are data, else from its pixels.

`picture-data`: each number of the picture, by its field, falls between two of a row of marks set by its
logarithm and counts for both by nearness, so near values are near vectors and other kinds of picture have
little in common. `picture-pixels`: in which direction brightness changes over a grid of 16 by 16 (the
difference hash, with both directions); it sees layout, not meaning. Both are baselines, no vision model.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from io import BytesIO
from math import copysign, floor, log1p
from typing import Final

import numpy as np
from PIL import Image

from osler.errors import BadInput
from osler.memory.card import Descriptor, descriptor
from osler.models.types import ModelClient, media_type_of
from osler.seats.pictures import Picture

DATA: Final = "picture-data"
PIXELS: Final = "picture-pixels"
_DIMENSIONS: Final = 256
_GRID: Final = 16
_MARKS: Final = 4.0
_MOST_PIXELS: Final = 50_000_000


def of_picture(picture: Picture) -> Descriptor:
    """A picture that is kept as data, in the space `picture-data`."""
    found = np.zeros(_DIMENSIONS)
    for path, value in _numbers(picture.model_dump(mode="json"), ""):
        at = copysign(log1p(abs(value)), value) * _MARKS
        below = floor(at)
        for mark, weight in ((below, below + 1 - at), (below + 1, at - below)):
            place, sign = _place(f"{picture.kind}{path}@{mark}")
            found[place] += sign * weight
    return descriptor(DATA, found)


def of_image(raw: bytes) -> Descriptor:
    """A PNG, JPEG, GIF or WebP image, in the space `picture-pixels`. Raises BadInput for anything else."""
    kind = media_type_of(raw)
    if kind is None:
        raise BadInput("this is not a PNG, JPEG, GIF or WebP image")
    try:
        with Image.open(BytesIO(raw)) as image:
            if image.width * image.height > _MOST_PIXELS:
                raise BadInput(f"an image of more than {_MOST_PIXELS} pixels")
            small = image.convert("L").resize((_GRID + 1, _GRID + 1), Image.Resampling.BOX)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise BadInput(f"the image cannot be read: {type(error).__name__}") from None
    grey = np.asarray(small, np.float64)
    across, down = np.diff(grey, axis=1)[:-1], np.diff(grey, axis=0)[:, :-1]
    return descriptor(PIXELS, np.concatenate([np.sign(across).ravel(), np.sign(down).ravel()]))


async def by_endpoint(images: Sequence[bytes], client: ModelClient, name: str) -> list[Descriptor]:
    """Images by an endpoint that embeds them, in a space of that endpoint's name.

    They are sent as data URIs in the place of texts, which is how multimodal servers that speak the OpenAI
    form take them. Raises BadInput for what is no image, and what `ModelClient.embed` raises.
    """
    uris = []
    for raw in images:
        kind = media_type_of(raw)
        if kind is None:
            raise BadInput("this is not a PNG, JPEG, GIF or WebP image")
        uris.append(f"data:{kind};base64,{base64.b64encode(raw).decode()}")
    vectors = await client.embed(uris)
    return [descriptor(f"endpoint:{name}", vector) for vector in vectors]


def _numbers(value: object, path: str) -> Iterator[tuple[str, float]]:
    if isinstance(value, dict):
        for key in sorted(value):
            yield from _numbers(value[key], f"{path}.{key}")
    elif isinstance(value, list):
        for place, each in enumerate(value):
            yield from _numbers(each, f"{path}.{place}")
    elif isinstance(value, bool | int | float):
        yield path, float(value)
    elif isinstance(value, str):
        yield f"{path}={value}", 0.0


@lru_cache(maxsize=65_536)
def _place(word: str) -> tuple[int, int]:
    number = int.from_bytes(blake2b(word.encode("utf-8", "replace"), digest_size=8).digest())
    return number % _DIMENSIONS, 1 if number >> 63 else -1
