"""Pictures as vectors: near values are near, other kinds and other pictures are far."""

from __future__ import annotations

from io import BytesIO

import pytest
from PIL import Image

from osler.core.pictures import Audiogram, Ecg, Nomogram
from osler.errors import BadInput
from osler.memory.card import Descriptor
from osler.memory.descriptors import of_image, of_picture
from osler.pictures import draw

ECG = Ecg(rate_per_min=72, st_mm={"II": 3, "III": 3, "aVF": 2.5})


def near(one: Descriptor, other: Descriptor) -> float:
    assert one.space == other.space
    return float(one.vector @ other.vector)


def saved(image: Image.Image, form: str) -> bytes:
    kept = BytesIO()
    image.save(kept, form)
    return kept.getvalue()


def test_near_values_are_near_and_other_kinds_far() -> None:
    this = of_picture(ECG)
    similar = of_picture(ECG.model_copy(update={"rate_per_min": 75.0}))
    fast = of_picture(Ecg(rate_per_min=180, p_waves=False, irregular=0.4))
    hearing = of_picture(Audiogram(right={1000: 40}, left={1000: 10}))
    assert near(this, this) > near(this, similar) > near(this, fast) > near(this, hearing)
    assert near(this, similar) > 0.9
    assert near(this, hearing) < 0.3


def test_an_image_is_near_itself_in_another_size_and_brightness_and_far_from_another() -> None:
    drawn = draw(Nomogram(hours=6, level_mg_per_l=120))
    with Image.open(BytesIO(drawn)) as image:
        smaller = saved(image.convert("RGB").resize((600, image.height // 2)), "JPEG")
        darker = saved(image.convert("RGB").point(lambda value: value * 0.7), "PNG")
    other = of_image(draw(ECG))
    this = of_image(drawn)
    for changed in map(of_image, (smaller, darker)):
        assert near(this, changed) > 0.8
        assert near(this, changed) > near(this, other) + 0.3


@pytest.mark.parametrize("raw", [b"", b"<svg/>", b"\x89PNG\r\n\x1a\n", draw(ECG)[:200]])
def test_what_is_no_image_is_refused(raw: bytes) -> None:
    with pytest.raises(BadInput, match="image"):
        of_image(raw)
