"""The packaged scales: every one can be read, and experts mark teaching in the judges' own words."""

from __future__ import annotations

import pytest

from osler.protocols.ward_round.judge.by_model import scales
from osler.studies.rating.scales import load_scale, packaged


@pytest.mark.parametrize("name", packaged())
def test_a_packaged_scale_can_be_read(name: str) -> None:
    scale = load_scale(name)
    assert scale.name == name
    assert all(len(item.levels) > 1 for item in scale.items)


def test_experts_mark_teaching_in_the_words_of_the_judges() -> None:
    rated = load_scale("teaching")
    for name, scale in scales().items():
        assert rated.item(name).levels == tuple(scale.levels[mark] for mark in range(1, 11))
