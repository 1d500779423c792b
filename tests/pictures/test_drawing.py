"""Any picture can be drawn, always to the same bytes, and nothing on it or in it tells more than the data."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from io import BytesIO

import pytest
from hypothesis import given
from PIL import Image
from pydantic import TypeAdapter, ValidationError

from osler.core.pictures import Picture
from osler.pictures import alt, draw
from tests.pictures.samples import SAMPLES, pictures

ANY: TypeAdapter[Picture] = TypeAdapter(Picture)


def chunks(png: bytes) -> Iterator[bytes]:
    at = 8
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        yield png[at + 4 : at + 8]
        at += length + 12


@pytest.mark.parametrize("picture", SAMPLES, ids=lambda picture: str(picture.kind))
def test_the_same_data_give_the_same_picture(picture: Picture) -> None:
    again = ANY.validate_json(ANY.dump_json(picture))
    png = draw(picture)
    assert draw(again) == png
    with Image.open(BytesIO(png)) as image:
        assert image.format == "PNG"
        assert image.width == 1200
        assert len(set(image.convert("L").tobytes())) > 10, "there is something on it"
    assert set(chunks(png)) == {b"IHDR", b"IDAT", b"IEND"}, "no words are hidden in the file"
    assert "\n" not in alt(picture)


def test_every_kind_has_a_sample() -> None:
    kinds = set(ANY.json_schema()["discriminator"]["mapping"])
    assert {picture.kind for picture in SAMPLES} == kinds - {"file"}


@given(pictures)
def test_a_picture_reads_back_as_it_was_written(picture: Picture) -> None:
    for defaults in (True, False):
        assert ANY.validate_json(ANY.dump_json(picture, exclude_defaults=not defaults)) == picture


@given(pictures)
def test_whatever_the_data_allow_can_be_drawn(picture: Picture) -> None:
    assert draw(picture).startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ({"kind": "ecg", "rate_per_min": "nan"}, "rate_per_min"),
        ({"kind": "ecg", "rate_per_min": 70, "st_mm": {"V9": 1}}, "V9"),
        ({"kind": "ecg", "rate_per_min": 70, "diagnosis": "x"}, "diagnosis"),
        ({"kind": "audiogram", "right": {"20": 5}, "left": {}}, "right"),
        ({"kind": "nomogram", "hours": 30, "level_mg_per_l": 5}, "hours"),
        ({"kind": "observations", "minutes": [0, 5], "heart_rate": [80]}, "heart_rate needs one value"),
        ({"kind": "observations", "minutes": [5, 0], "heart_rate": [80, 80]}, "minutes must rise"),
        ({"kind": "observations", "minutes": [0]}, "something observed"),
        ({"kind": "growth_chart", "measure": "height", "unit": "cm", "age_unit": "years",
          "points": [[5, 100], [4, 90]], "centiles": {}}, "in order of age"),
        ({"kind": "growth_chart", "measure": "height", "unit": "cm", "age_unit": "years",
          "points": [[5, 100]], "centiles": {"coeliac": [[5, 100]]}}, "centiles"),
        ({"kind": "spirometry", "predicted": {"fev1_l": 3, "fvc_l": 3, "peak_l_per_s": 8},
          "before": {"fev1_l": 3, "fvc_l": 4, "peak_l_per_s": 2}}, "FEV1 must be below FVC"),
    ],
)  # fmt: skip
def test_data_that_no_picture_can_have_are_refused(data: dict[str, object], told: str) -> None:
    with pytest.raises(ValidationError, match=told):
        ANY.validate_python(data)
