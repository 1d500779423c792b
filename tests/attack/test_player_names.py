"""Hostile names of players through every door that takes one: nothing is imported, opened, run or asked.

`HYPOTHESIS_PROFILE=thorough` sends 100,000 names through each door, else 100.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

import pytest

from osler.core.registry import protocol_named
from osler.core.role import PERSON
from osler.errors import BadInput
from osler.players.casting import checked_name
from osler.runs.seating import ModelOptions
from osler.store.store import open_store
from osler.studies.study.design import packaged, study_named
from osler.testing.hostile_names import AuditedAct, hostile_names, watched
from osler.web.house import House
from tests.web.teaching import CASE, Hall, Person, hall

NAMES: Final = 100_000 if os.environ.get("HYPOTHESIS_PROFILE") == "thorough" else 100
REFUSED: Final = (400, 403, 413, 422)
Ask = Callable[[str], Awaitable[tuple[int, str]]]
Door = Callable[[Hall], Awaitable[Ask]]

# The file of the endpoints is read at each request that asks for a model's name.
TOML: Final = '[endpoints.fake]\nbase_url = "http://127.0.0.1:9/v1"\nmodel = "fake"\n'


def sends(person: Person, path: str, body: Callable[[str], dict[str, Any]]) -> Ask:
    async def asked(name: str) -> tuple[int, str]:
        answer = await person.ask("POST", path, body(name))
        return answer.status_code, answer.text

    return asked


async def learner_of(hall: Hall) -> Person:
    teacher, learner = await hall.teacher(), await hall.stranger()
    await learner.joins(await teacher.opens(), "Alma")
    return learner


async def a_sitting(hall: Hall) -> Ask:
    learner = await learner_of(hall)
    return sends(learner, "/sittings", lambda name: {**CASE, "seat": "patient", "players": {"doctor": name}})


async def a_ward_round(hall: Hall) -> Ask:
    learner = await learner_of(hall)
    ward = {"protocol": "ward_round", "case": "cardiology-01", "seat": "student_1"}
    return sends(learner, "/sittings", lambda name: {**ward, "players": {"tutor": name}})


async def a_room(hall: Hall) -> Ask:
    plan = {"name": "Monday", "cases": [{**CASE, "seat": "patient"}]}
    return sends(await hall.teacher(), "/rooms", lambda name: {**plan, "players": {"doctor": name}})


async def compared_tutors(hall: Hall) -> Ask:
    cases = [{"protocol": "ward_round", "case": "cardiology-01"}] * 2
    plan = {"name": "Monday", "cases": cases}
    group: dict[str, Any] = {"seats": ["student_1"]}
    return sends(
        await hall.teacher(),
        "/rooms",
        lambda name: {**plan, "group": {**group, "tutors": ["baseline", name]}},
    )


async def a_run(hall: Hall) -> Ask:
    return sends(await hall.teacher(), "/runs", lambda name: {"limit": 1, "players": {"doctor": name}})


async def a_setting(hall: Hall) -> Ask:
    """A player named as a setting."""
    return sends(await hall.teacher(), "/runs/plan", lambda name: {"limit": 1, "settings": {"patient": name}})


async def a_reader(hall: Hall) -> Ask:
    """Something else that a name of a model is wanted for."""
    plan = {"limit": 1}
    return sends(
        await hall.teacher(), "/runs/plan", lambda name: {**plan, "settings": {"second_reader": name}}
    )


async def a_branch(hall: Hall) -> Ask:
    teacher, learner = await hall.teacher(), await hall.stranger()
    shared = {"asks": ["practice", "share"], "share_until": 4_000_000_000}
    room = await teacher.opens(**shared)
    await learner.joins(room, "Alma", "share")
    sitting = await learner.sits(room)
    await learner.concludes(sitting)
    run = hall.house.store.runs()[-1].name
    branch = {"run": run, "n": 0, "at": 0, "seat": "patient"}
    return sends(teacher, "/branches", lambda name: {**branch, "player": name})


async def a_substitute(hall: Hall) -> Ask:
    teacher, learner = await hall.teacher(), await hall.stranger()
    room = await teacher.opens()
    await learner.joins(room, "Alma")
    sitting = await learner.sits(room)
    await learner.turn(sitting)
    release = {"sitting": sitting}
    path = f"/rooms/{room['id']}/release"
    return sends(teacher, path, lambda name: {**release, "players": {"patient": name}})


DOORS: Final[tuple[Door, ...]] = (
    a_sitting,
    a_ward_round,
    a_room,
    compared_tutors,
    a_run,
    a_setting,
    a_reader,
    a_branch,
    a_substitute,
)


@pytest.fixture
def armed(tmp_path: Path, sources: Any) -> Iterator[House]:
    """A house with a model, which nobody in these tests may be asked by."""
    config = tmp_path / "osler.toml"
    config.write_text(TOML)
    with open_store(tmp_path / "osler.db") as store:
        yield House(store, ModelOptions(config), _sources=sources)


@pytest.fixture(scope="session", autouse=True)
def _used_before() -> None:
    """Everything that is imported or compiled at its first use, here by a name that is not there."""
    with suppress(BadInput):
        study_named("none.yaml")
    with suppress(BadInput):
        checked_name(protocol_named("consultation").role("doctor"), "unknown", {}, "consultation")


@asynccontextmanager
async def at(door: Door, house: House, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Ask]:
    """The door of a shared house, without the limits on how fast it may be knocked at."""
    monkeypatch.setattr("osler.web.guard.Guard._check_pace", lambda guard, scope: None)
    async with hall(house) as people:
        ask = await door(people)
        for name in hostile_names(40, seed=1):  # whatever is imported and opened for the first time
            if name != PERSON:
                await ask(name)
        yield ask


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
def test_nothing_is_imported_opened_or_asked(
    door: Door, armed: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def knocked() -> None:
        async with at(door, armed, monkeypatch) as ask:
            before = len(armed.store.runs())
            for name in hostile_names(NAMES):
                if door is a_branch and name == PERSON:  # the teacher, who then sits down
                    continue
                with watched() as deeds:
                    status, text = await ask(name)
                assert status in REFUSED, (name, text)
                assert "Traceback" not in text
                assert not suspicious(deeds), (name, deeds)
            assert len(armed.store.runs()) == before, "nothing was begun"

    asyncio.run(knocked())


def suspicious(deeds: list[AuditedAct]) -> list[AuditedAct]:
    """The deeds other than reading the file of the endpoints."""
    return [one for one in deeds if not (one.event == "open" and "osler.toml" in one.about)]


def test_a_study_file_runs_nothing(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    study: dict[str, Any] = {
        "name": "mine",
        "title": "t",
        "question": "q",
        "protocol": "consultation",
        "primary": {"figure": "turns", "condition": "one", "against": "other"},
    }
    path.write_text(json.dumps({"conditions": {"one": {}, "other": {}}, **study}))
    study_named(str(path))
    for name in hostile_names(NAMES):
        for where in ({"conditions": {"one": {}, "other": {"doctor": name}}}, {"seats": {"doctor": name}}):
            path.write_text(json.dumps({"conditions": {"one": {}, "other": {}}, **study, **where}))
            with watched() as deeds:
                read = is_read(partial(study_named, str(path)))
            if read:  # a model that is not configured, or a misspelt wrapper: casting refuses it
                assert "python" not in name.lower(), name
                assert "scripted" not in name.lower(), name
            assert not beyond_reading(deeds), (name, deeds)


def test_reading_a_name_runs_nothing_even_for_the_owner() -> None:
    """Code is imported when its player is made for an episode, not when its name is read. The list of
    installed packages is read for a name that is not built in."""
    role = protocol_named("consultation").role("doctor")
    for name in hostile_names(NAMES):
        with watched() as deeds:
            is_read(partial(checked_name, role, name, {}, "consultation"))
        assert not beyond_reading(deeds), (name, deeds)


def is_read(read: Callable[[], object]) -> bool:
    """Whether something can be read."""
    try:
        read()
    except BadInput:
        return False
    return True


@cache
def harmless() -> frozenset[str]:
    """The names of files and folders that are read with any study, or to list the installed packages."""
    shipped = {f"{one.name}.yaml" for one in packaged()}
    folders = {"files", *(Path(one or ".").name for one in sys.path)}
    return frozenset({"mine.yaml", "entry_points.txt", *shipped, *folders})


def beyond_reading(deeds: list[AuditedAct]) -> list[AuditedAct]:
    """The deeds other than reading the study itself, those that ship with Osler, and lists of packages."""
    return [
        one
        for one in deeds
        if one.event not in ("open", "os.listdir") or Path(one.about.strip("'")).name not in harmless()
    ]
