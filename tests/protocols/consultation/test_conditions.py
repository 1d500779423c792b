"""A paper's own conditions: orders by exact names of a catalogue, and limits by name."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from pydantic import ValidationError

from osler.cases.model import Case
from osler.cases.sources import open_source
from osler.core.events import Released
from osler.core.order_events import Ordered, Resulted
from osler.knowledge.catalogue import catalogue
from osler.players.scripted import Scripted
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.oracle_plan import listed_name, oracle_plan
from osler.protocols.consultation.players.doctor import BaselineDoctor
from osler.protocols.consultation.players.naive import NaiveDoctor
from osler.protocols.consultation.players.oracle import Oracle
from osler.protocols.consultation.seats import Ask, Finalize, RequestTest, Wait
from osler.protocols.consultation.settings import Limits, Settings
from osler.protocols.consultation.views import doctor_view
from osler.testing.cases import small_case
from tests.protocols.consultation.conftest import Play

LISTED = Settings(orders="catalogue")
DONE = Finalize(diagnosis="Pneumonia")


@cache
def library() -> tuple[Case, ...]:
    return tuple(open_source("library"))


@pytest.mark.parametrize("name", ["CBC", "a chest X-ray, please", "bloods and CXR", "quantum aura scan"])
def test_a_name_outside_the_catalogue_is_refused_in_words_and_costs_the_turn(
    consult: Play, name: str
) -> None:
    moves = (RequestTest(test_name=name), Ask(question="Hello"), DONE)
    trace = consult(small_case(), doctor=Scripted(moves), settings=LISTED)
    refused = trace.of(Resulted)
    assert [(one.returned, one.name) for one in refused] == [(False, name)]
    assert "not in the catalogue" in refused[0].text
    assert not trace.of(Ordered), "the examination service is not asked"
    assert trace.outcome.counts["turns"] == 3
    assert trace.outcome.counts["tests"] == 0


@pytest.mark.parametrize("name", ["Full blood count", "full  blood COUNT", "Chest X-ray"])
def test_a_name_of_the_catalogue_is_ordered_in_any_case(consult: Play, name: str) -> None:
    moves = (RequestTest(test_name=name), Wait(), DONE)
    trace = consult(small_case(), doctor=Scripted(moves), settings=LISTED)
    assert trace.of(Resulted)[0].returned
    assert trace.of(Ordered)[0].name in catalogue()


def test_the_catalogue_is_the_same_for_every_case_and_shown_only_then() -> None:
    views = [
        doctor_view(
            case,
            options_shown=False,
            max_turns=10,
            max_tests_per_visit=3,
            max_visits=1,
            has_consultant=False,
            allowed_tests=catalogue(),
        )
        for case in (small_case(), small_case().model_copy(update={"id": "other", "findings": ()}))
    ]
    assert views[0].allowed_tests == views[1].allowed_tests == catalogue()


@pytest.mark.parametrize("doctor", [BaselineDoctor(), NaiveDoctor()])
def test_the_built_in_doctors_play_by_the_catalogue(consult: Play, doctor: Any) -> None:
    for case in (small_case(), *library()[:6]):
        trace = consult(case, doctor=doctor, settings=LISTED)
        assert trace.of(Ordered)
        assert not [one for one in trace.of(Resulted) if "catalogue" in one.text]


def test_every_result_of_the_library_can_be_ordered_by_a_name_of_the_catalogue() -> None:
    names = frozenset(catalogue())
    unlisted = {
        (case.id, finding.name)
        for case in library()
        for finding in case.findings
        if listed_name(case, finding) not in names
    }
    assert not unlisted


def test_the_oracle_finds_by_the_catalogue_what_it_finds_by_any_name(consult: Play) -> None:
    case = next(one for one in library() if one.id == "rheumatology-01")
    trace = consult(case, doctor=Oracle(oracle_plan(case)), settings=LISTED)
    brought = {result.item for result in trace.of(Released)}
    assert {finding.id for finding in case.findings if finding.key} <= brought


def test_what_the_catalogue_names_and_a_case_lacks_could_not_be_obtained(consult: Play) -> None:
    trace = consult(
        small_case(), doctor=Scripted((RequestTest(test_name="Medication review"), DONE)), settings=LISTED
    )
    assert [one.text for one in trace.of(Resulted)] == ["This could not be obtained."]


def test_free_orders_leave_the_settings_as_they_were() -> None:
    assert "orders" not in Settings().model_dump_json()
    assert '"orders":"catalogue"' in LISTED.model_dump_json()


def test_limits_have_names_wherever_they_are_set() -> None:
    assert Settings.model_validate({"limits": "medevoeval"}).limits == Limits(
        max_turns=10, max_tests_per_visit=3
    )
    assert Settings.model_validate({"limits": "osler"}).limits == Limits()
    assert RunConfig.model_validate({"settings": {"limits": "medevoeval"}}).settings.limits.max_turns == 10
    with pytest.raises(ValidationError, match="there are: osler, medevoeval"):
        Settings.model_validate({"limits": "none"})


def test_what_is_not_usual_is_said_with_the_players() -> None:
    changed = {"limits": "medevoeval", "orders": "catalogue", "opening": "complaint", "unknown": "withhold"}
    said = RunConfig.model_validate({"settings": changed}).setup()
    assert said == {
        **RunConfig().setup(),
        "unknown": "withhold",
        "limits": "max turns 10, max tests per visit 3",
        "orders": "catalogue",
        "opening": "complaint",
    }
    assert set(RunConfig().setup()) == {"doctor", "patient", "examination", "unknown"}
