"""The prompts of a training lie on disk: any number of them, with their pictures, as they were."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

from osler.training.pictures import name_of
from osler.training.prompts import PICTURES, PicturesIn, Prompt, Prompts
from osler.training.state import ImageRef
from tests.training.grpo.states import sample

RAW = (b"one picture", b"another")
REFS = tuple(ImageRef(sha256=sha256(raw).hexdigest(), media_type="image/png") for raw in RAW)
KEPT = [
    Prompt(sample(0)),
    Prompt(sample(1, images=REFS), RAW),
    Prompt(sample(2, images=REFS[:1], target="é \ud800".encode(errors="replace").decode()), RAW[:1]),
]


def test_prompts_are_read_back_by_their_place(tmp_path: Path) -> None:
    made = Prompts.keep(tmp_path / "kept", iter(KEPT))
    for found in (made, Prompts(tmp_path / "kept")):
        assert len(found) == 3
        assert [found[2], found[0], found[1]] == [KEPT[2], KEPT[0], KEPT[1]]
        assert list(found) == KEPT == found[:]
        with pytest.raises(IndexError):
            found[3]
        with pytest.raises(IndexError):
            found[-1]


def test_new_ones_take_the_place_of_those_before(tmp_path: Path) -> None:
    Prompts.keep(tmp_path, KEPT).close()
    assert list(Prompts.keep(tmp_path, KEPT[:1])) == KEPT[:1]


def test_a_picture_is_read_when_it_is_asked_for(tmp_path: Path) -> None:
    shown = PicturesIn(tmp_path / PICTURES, {"at hand": b"here"})
    assert shown["at hand"] == b"here"
    assert len(shown) == 1
    with pytest.raises(KeyError):
        shown[REFS[0].sha256]
    Prompts.keep(tmp_path, KEPT)
    assert [shown[ref.sha256] for ref in REFS] == [*RAW]
    assert set(shown) == {"at hand", *(ref.sha256 for ref in REFS)}
    (tmp_path / PICTURES / name_of(REFS[0])).unlink()
    assert shown.get(REFS[0].sha256) is None
