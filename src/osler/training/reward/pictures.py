"""The pictures of a state, for a judge with eyes: by their hash, from a data set or a store."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from hashlib import sha256

from osler.errors import BadInput
from osler.models.types import Image
from osler.training.state import ImageRef, State


def seen(state: State, at_hand: Mapping[str, bytes] | None = None) -> tuple[Image, ...]:
    """The images of a state, each once, in order. Raises BadInput if the bytes of one are not at hand."""
    refs = {ref.sha256: ref for ref in state.images}
    return tuple(_image(ref, (at_hand or {}).get(ref.sha256)) for ref in refs.values())


def _image(ref: ImageRef, raw: bytes | None) -> Image:
    if raw is None or sha256(raw).hexdigest() != ref.sha256:
        raise BadInput("an image of this state is not at hand", where=ref.sha256)
    return Image.model_validate({"media_type": ref.media_type, "data": base64.b64encode(raw).decode("ascii")})
