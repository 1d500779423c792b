"""A study seen as desks: what each stream was taught, what its drawers hold, and how it is probed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from osler.errors import BadInput
from osler.protocols.consultation.longitudinal.design import WITH_CARDS, Design
from osler.protocols.consultation.longitudinal.desks import Desks, desks, study_keys
from osler.protocols.consultation.longitudinal.findings import LongitudinalReport
from osler.protocols.consultation.longitudinal.run_stream import Studied
from osler.protocols.consultation.longitudinal.run_study import run_here, sits, studied
from osler.store.store import Store, open_store
from osler.web.house import House
from tests.web.conftest import ask

DESIGN = Design(
    cases="generated:40:1", by="random", blocks=2, orders=1, seeds=2, taught=3, probes=2, reserved=0.05
)


@pytest.fixture(scope="module")
def study() -> Studied:
    return studied(DESIGN)


@pytest.fixture(scope="module")
def played(
    study: Studied, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[LongitudinalReport, Store]]:
    with open_store(tmp_path_factory.mktemp("desks") / "s.db") as store:
        yield run_here(study, store, sits(study, store, 4), lambda _: None), store


@pytest.fixture(scope="module")
def found(study: Studied, played: tuple[LongitudinalReport, Store]) -> Desks:
    return desks(played[1], study.key)


def test_each_stream_has_a_desk_whose_drawers_fill_as_the_study_reports(
    played: tuple[LongitudinalReport, Store], found: Desks
) -> None:
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
            assert (taught.planned, taught.done) == (3, 3)
            assert taught.right.n + taught.right.unscored == 3
            assert set(stage.probes) == set(WITH_CARDS)
            for one in stage.probes.values():
                assert one.right.low is not None
                assert one.right.value is not None
                assert one.right.high is not None
                assert one.right.low <= one.right.value <= one.right.high


def test_the_page_gets_it_and_a_key_that_nobody_has_is_not_found(
    study: Studied, played: tuple[LongitudinalReport, Store]
) -> None:
    house = House(played[1])
    assert ask(house, "GET", "/api/desks").json() == [study.key]
    sent = ask(house, "GET", f"/api/desks/{study.key}").json()
    assert [len(desk["stages"]) for desk in sent["desks"]] == [2, 2]
    assert ask(house, "GET", "/api/desks/nobody").status_code == 404
    assert study_keys([]) == []
    with pytest.raises(BadInput):
        desks(played[1], "nobody")
