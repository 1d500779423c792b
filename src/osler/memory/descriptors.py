"""Image descriptors without a model: vectors from a picture's data if there are any, else from its pixels.

`picture-data`: feature hashing; each number, by its field, lies between two marks on a logarithmic scale and
counts for both by linear interpolation, so near values give near vectors and different kinds of picture have
little in common. `picture-pixels`: the direction of brightness change over a 16 by 16 grid (the difference
hash, in both directions); it sees layout, not meaning. Both are baselines, not vision models.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from math import copysign, floor, log1p
from typing import Final

import numpy as np
from PIL import Image

from osler.core.pictures import ImageFile, Picture
from osler.errors import BadInput
from osler.memory.card import DIMENSIONS, Descriptor, descriptor, hashed_place
from osler.models.types import media_type_of

DATA: Final = "picture-data"
PIXELS: Final = "picture-pixels"
_GRID: Final = 16
_MARKS: Final = 4.0
_MOST_PIXELS: Final = 50_000_000


def of_picture(picture: Picture) -> Descriptor:
    """The descriptor of a picture stored as data, in the space `picture-data`; of an image file, that of its
    pixels. Raises BadInput if the file is not at hand."""
    if isinstance(picture, ImageFile):
        return of_image(picture.raw())
    result = np.zeros(DIMENSIONS)
    for path, value in _numbers(picture.model_dump(mode="json"), ""):
        at = copysign(log1p(abs(value)), value) * _MARKS
        below = floor(at)
        for mark, weight in ((below, below + 1 - at), (below + 1, at - below)):
            place, sign = hashed_place(f"{picture.kind}{path}@{mark}")
            result[place] += sign * weight
    return descriptor(DATA, result)


def of_image(raw: bytes) -> Descriptor:
    """The `picture-pixels` descriptor of a PNG, JPEG, GIF or WebP image; BadInput for anything else."""
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
