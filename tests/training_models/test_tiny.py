"""Tiny bases: the same bytes again, names of one token, and names copied that stand in no row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from osler.errors import BadInput
from osler.training.backend.tiny_models import first_names
from tests.training_models.conftest import block, saying, written

TAG = '<think_student student_id="'
FIRST, SECOND = "</think_group>", "</think_student>"


@pytest.fixture(scope="module")
def tagged(room: Path) -> Path:
    """A data set in which tags are as common as in a tutor's turns."""
    said = f'<think_group>both{FIRST}\n{TAG}Nobody">none{SECOND}\n'
    return written(room / "tagged", [{**saying(1), "target": said * 20}])


@pytest.fixture(scope="module")
def copier(room: Path, tagged: Path) -> Path:
    """A tiny base as the command makes it."""
    from osler.training.backend.tiny_models import tiny

    tiny(room / "copier", data=tagged)
    return room / "copier"


def test_the_same_seed_gives_the_same_weights(copier: Path, tagged: Path, tmp_path: Path) -> None:
    from osler.training.backend import models
    from osler.training.backend.tiny_models import tiny

    tiny(tmp_path / "again", data=tagged)
    tiny(tmp_path / "other", data=tagged, seed=8)
    hashes = [models.files_hash(one) for one in (copier, tmp_path / "again", tmp_path / "other")]
    assert hashes[0] == hashes[1] != hashes[2]
    with pytest.raises(BadInput, match="is there already"):
        tiny(tmp_path / "again", data=tagged)


def test_a_first_name_is_one_token_and_survives(copier: Path) -> None:
    from osler.training.backend import models

    tokenizer = models.processor_of(copier)
    said = [f'{TAG}{name}">' for name in first_names()]
    ids = tokenizer(said, add_special_tokens=False)["input_ids"]
    assert tokenizer.batch_decode(ids) == said
    lengths = sorted(map(len, ids))
    assert lengths[len(ids) * 9 // 10] == lengths[0], "nine names in ten are one token"


def test_an_untrained_base_expects_what_followed_before(copier: Path, torch: Any) -> None:
    """After a name's tag it expects the name that followed this tag, and of two the one in the same place."""
    from osler.training.backend import models
    from osler.training.backend.chats import Chats

    chats, model = Chats(models.processor_of(copier)), models.load(copier, "fp32")
    names, hits = first_names(), 0
    for n in range(0, 200, 10):
        one, two = names[n : n + 2]
        told = f'<think_group>all{FIRST}\n{TAG}{one}">what{SECOND}\n{TAG}{two}">what{SECOND}\nSpeak.'
        text = chats.text([block("system", "You teach."), block("user", told)], ask=True)
        for before, expected in ((FIRST, one), (SECOND, two)):
            with torch.no_grad():
                best = model(**chats.tokens([f"{text}{before}\n{TAG}"], [()])).logits[0, -1].argmax()
            hits += chats.tokenizer.decode([int(best)]) == expected
    assert hits >= 36, f"{hits} of 40"
