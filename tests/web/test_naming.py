"""Which players may be named by whom: nobody but the owner at a terminal reads a file here, or runs one."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.core.names import Kind, player_name
from osler.core.registry import protocol_named
from osler.errors import BadInput, NotAllowed
from osler.players.admission import OTHERS, VISITOR, Admission, check_name
from osler.testing.hostile_names import hostile_names
from osler.web.evaluate.planning import settable
from osler.web.house import House
from osler.web.naming import admission_of
from osler.web.practise.reception import MOST_UNFINISHED
from osler.web.rights import ALL, LOCAL, Visitor
from tests.web.conftest import HERE, calling
from tests.web.test_rights import come_in

CONSULTATION = protocol_named("consultation")
TEACHER, LEARNER = Visitor("ann", ALL), Visitor("ben", frozenset({"learn"}))


def admitted(full: str, admission: Admission, seat: str = "doctor") -> bool:
    try:
        check_name(CONSULTATION, seat, full, admission)
    except BadInput:
        return False
    return True


@pytest.mark.parametrize("name", ["scripted:/etc/passwd", "scripted:a+b", "python:os:system", "python:x+cot"])
@pytest.mark.parametrize("asking", [LOCAL, TEACHER, LEARNER])
def test_no_browser_names_a_file_or_code(name: str, asking: Visitor) -> None:
    team = f"baseline+ensemble:{name.partition('+')[0]}"
    for full in (name, team, f"{team}+self-consistency:2"):
        assert not admitted(full, admission_of(asking)), full


def test_a_learner_names_built_in_players_without_wrappers() -> None:
    assert admitted("baseline", VISITOR)
    assert admitted("none", VISITOR, "consultant")
    for name in ("model:big", "baseline+ensemble:model:big", "oracle", "baseline+ensemble:oracle"):
        assert not admitted(name, VISITOR), name
    for name in ("baseline+self-consistency:2", "baseline+ensemble:baseline", "baseline+memory"):
        assert not admitted(name, VISITOR), name


def test_a_teacher_names_models_and_as_many_calls_as_nine() -> None:
    for name in (
        "model:a",
        "model:a+cot",
        "model:a+discuss:model:b/baseline",
        "baseline+ensemble:3+ensemble:3",
    ):
        assert admitted(name, OTHERS), name
    assert not admitted("model:a+ensemble:5+cot", OTHERS), "ten calls"
    assert not admitted("baseline" + "+self-consistency:9" * 8, OTHERS)
    assert not admitted("baseline+cot" * 30, OTHERS)


@pytest.mark.parametrize("name", ["person", "external", "baseline+ensemble:person"])
def test_nobody_is_seated_who_would_never_answer(name: str) -> None:
    with pytest.raises(NotAllowed, match="played here"):
        check_name(CONSULTATION, "doctor", name, OTHERS)


@given(st.text(max_size=300))
def test_whatever_is_admitted_is_on_the_list(full: str) -> None:
    """By list: every player of an admitted name is of an admitted kind, and the name is short."""
    for admission in (VISITOR, OTHERS):
        if admitted(full, admission):
            name = player_name(CONSULTATION.role("doctor"), full)
            assert name.kinds <= admission.kinds
            assert name.calls <= admission.most_calls
            assert len(full) <= 200


def test_of_hostile_names_none_but_models_and_misspellings_are_admitted() -> None:
    """Casting then refuses an endpoint that is not configured, and a wrapper that is misspelt."""
    for full in hostile_names(5000):
        assert not admitted(full, VISITOR), full
        if admitted(full, OTHERS):
            name = player_name(CONSULTATION.role("doctor"), full)
            assert name.kinds <= {Kind.MODEL, Kind.BUILT_IN, Kind.NOBODY}, full


@pytest.mark.parametrize("protocol", ["consultation", "ward_round", "scenario"])
def test_from_another_machine_no_setting_is_a_path(protocol: str) -> None:
    config = protocol_named(protocol).config
    names = settable(config)
    assert not names & {"images", "rubrics", "format", "memory.snapshot", "second_reader", "cases"}
    assert {"settings.unknown", "persona"} <= names
    for name in names - {*config.looked_up}:
        field = config.model_fields.get(name)
        assert field is None or field.annotation not in (str, str | None), name


def test_a_server_reads_no_file_for_a_visitor(shared: House, tmp_path: Path) -> None:
    secret = tmp_path / "secret.yaml"
    secret.write_text("- {text: The password is hunter2.}\n")

    async def asked() -> list[httpx.Response]:
        async with calling(shared) as client:
            answers = []
            for right, path, body in (
                ("learn", "/api/sittings", {"case": "cardiology-01"}),
                ("teach", "/api/rooms", {"name": "Room", "cases": [{"case": "cardiology-01"}]}),
                ("run", "/api/runs/plan", {"protocol": "consultation", "cases": "library", "limit": 1}),
            ):
                client.headers.update({"origin": HERE} | come_in(shared, {right}))  # type: ignore[arg-type]
                players = {"players": {"patient": f"scripted:{secret}"}}
                answers.append(await client.post(path, json=body | players))
            return answers

    for told in asyncio.run(asked()):
        assert told.status_code == 403, told.text
        assert "hunter2" not in told.text


def test_a_seat_that_no_case_of_a_room_has_is_refused(house: House) -> None:
    body = {"name": "Room", "cases": [{"case": "cardiology-01"}], "players": {"tutor": "python:this:s"}}

    async def told() -> httpx.Response:
        async with calling(house) as client:
            return await client.post("/api/rooms", json=body)

    answer = asyncio.run(told())
    assert answer.status_code == 400
    assert "no case of this room has a seat 'tutor'" in answer.text


def test_a_name_that_is_too_long_is_refused_before_it_is_read() -> None:
    with pytest.raises(BadInput, match="at most 200 characters"):
        check_name(CONSULTATION, "doctor", "baseline" + "+cot" * 100_000, OTHERS)


def test_a_learner_of_a_shared_server_ends_some_before_beginning_more(
    shared: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("osler.web.practise.reception.MOST_UNFINISHED", 1)

    async def begun() -> list[httpx.Response]:
        async with calling(shared) as client:
            client.headers.update({"origin": HERE} | come_in(shared, {"learn"}))
            return [await client.post("/api/sittings", json={"case": "cardiology-01"}) for _ in range(2)]

    assert MOST_UNFINISHED > 1
    first, second = asyncio.run(begun())
    assert first.status_code == 201, first.text
    assert (second.status_code, second.json()["mend"]) == (429, "end one of them first")
