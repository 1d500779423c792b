"""A study seen as desks: what each stream was taught, what its drawers hold, and how it is probed."""

from __future__ import annotations

import pytest

from osler.errors import BadInput
from osler.protocols.consultation.longitudinal.design import WITH_CARDS
from osler.protocols.consultation.longitudinal.desks import Desks, desks, study_keys
from osler.protocols.consultation.longitudinal.run_stream import Studied
from osler.web.house import House
from tests.protocols.consultation.longitudinal.conftest import Played
from tests.web.conftest import ask


@pytest.fixture(scope="module")
def found(study: Studied, played: Played) -> Desks:
    return desks(played[1], study.key)


def test_each_stream_has_a_desk_whose_drawers_fill_as_the_study_reports(played: Played, found: Desks) -> None:
    report, _ = played
    assert [desk.stream for desk in found.desks] == ["o0s0", "o0s1"]
    for arm in WITH_CARDS:
        for stage, mean in enumerate(report.conditions[arm].memory_size):
            sizes = [
                sum(drawer.cards.values())
                for desk in found.desks
                for drawer in desk.stages[stage].drawers
                if drawer.condition == arm
            ]
            assert sum(sizes) / len(sizes) == pytest.approx(mean)


def test_a_stage_names_the_runs_that_were_taught_and_their_share_of_right_conclusions(found: Desks) -> None:
    for desk in found.desks:
        assert desk.before is not None
        assert [stage.number for stage in desk.stages] == [1, 2]
        for stage in desk.stages:
            (taught,) = stage.taught
            assert (taught.planned, taught.done) == (4, 4)
            assert taught.right.n + taught.right.unscored == 4
            assert set(stage.probes) == set(WITH_CARDS)
            for one in stage.probes.values():
                assert one.right.low is not None
                assert one.right.value is not None
                assert one.right.high is not None
                assert one.right.low <= one.right.value <= one.right.high


def test_the_page_gets_it_and_a_key_that_nobody_has_is_not_found(study: Studied, played: Played) -> None:
    house = House(played[1])
    assert ask(house, "GET", "/api/desks").json() == [study.key]
    sent = ask(house, "GET", f"/api/desks/{study.key}").json()
    assert [len(desk["stages"]) for desk in sent["desks"]] == [2, 2]
    assert ask(house, "GET", "/api/desks/nobody").status_code == 404
    assert study_keys([]) == []
    with pytest.raises(BadInput):
        desks(played[1], "nobody")
