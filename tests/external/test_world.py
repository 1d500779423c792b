"""Whoever is outside plays as if they sat inside: same rows, key and judgement, however often they leave."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

import pytest

from osler.core.contract import Request
from osler.core.events import Event
from osler.core.source import ImportReport
from osler.errors import BadInput, InfrastructureFault, Stale, Status
from osler.players.external import Pending
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.players.doctor import BaselineDoctor
from osler.protocols.consultation.seats import Ask
from osler.protocols.shared.patient import PatientReply
from osler.runs.played import EndedEpisode
from osler.runs.world import World
from osler.testing.cases import canary_case
from osler.testing.players import Watching
from tests.external.conftest import (
    CONSULTATION,
    ROUND,
    SEATS,
    UNDER_TEST,
    Called,
    Kept,
    built_in,
    said,
    to_the_end,
)


@pytest.mark.parametrize("which", UNDER_TEST)
def test_replies_from_outside_play_as_the_player_inside_does(which: str) -> None:
    async def both() -> tuple[EndedEpisode, EndedEpisode, EndedEpisode]:
        config, seats = UNDER_TEST[which]
        world, cast = World(config, seats), built_in(config)
        inside = await world.play(0, cast[which])
        called = await world.play(0, Called(cast[which]))
        return inside, called, await to_the_end(world.sit(0), cast)

    inside, called, outside = asyncio.run(both())
    assert outside == called
    assert outside._replace(key=inside.key) == inside
    assert outside.trace.outcome.status is Status.COMPLETED
    assert any(value is not None for value in outside.scores.values())


@pytest.mark.parametrize("which", [which for which, (_, seats) in SEATS.items() if "patient" not in seats])
def test_every_seat_outside_adds_and_changes_no_row(which: str) -> None:
    """But a patient outside: its words are read, and its record holds what it claimed beside."""
    config, seats = SEATS[which]

    async def both() -> tuple[EndedEpisode, EndedEpisode]:
        world, cast = World(config, seats), built_in(config)
        inside = World(config, ())
        return await inside.play(0, cast[config.plays.under_test]), await to_the_end(world.sit(0), cast)

    inside, outside = asyncio.run(both())
    assert outside._replace(key=inside.key) == inside


@pytest.mark.parametrize("which", SEATS)
def test_who_leaves_after_every_reply_and_comes_back_loses_and_repeats_nothing(which: str) -> None:
    config, seats = SEATS[which]

    async def play() -> tuple[EndedEpisode, EndedEpisode, list[tuple[str, str]]]:
        cast = built_in(config)
        undisturbed = await to_the_end(World(config, seats).sit(0), cast)
        kept, asked, end = Kept(), list[tuple[str, str]](), None
        while end is None:
            onward = Kept()
            onward._rows, onward._inner = list(kept.rows), list(kept.inner_rows)
            sitting = World(config, seats).sit(0, onward, kept.rows, kept.inner_rows)
            now = await sitting.next()
            if isinstance(now, Pending):
                asked.append((now.seat, now.ticket))
                now = await sitting.step(await said(cast, now), now.ticket, now.seat)
            end = now if isinstance(now, EndedEpisode) else None
            await sitting.leave()
            kept = onward if onward.rows else kept
        return undisturbed, end, asked

    undisturbed, end, asked = asyncio.run(play())
    assert end == undisturbed
    assert (
        len(set(asked))
        == len(asked)
        == sum(row.seat in {seat for seat, _ in asked} for row in end.trace.rows)
    )


def test_the_ticket_counts_replies_and_refusals_and_is_the_same_for_whoever_comes_back() -> None:
    async def play() -> list[str]:
        kept, seen = Kept(), []
        for _ in range(3):
            sitting = World(CONSULTATION).sit(0, kept, tuple(kept.rows))
            now = await sitting.next()
            assert isinstance(now, Pending)
            seen.append(now.ticket)
            refused = await sitting.step({"action": "CALL_MDT"}, now.ticket)
            assert isinstance(refused, Pending)
            seen.append(refused.ticket)
            await sitting.step(Ask(question="When did it start?"), refused.ticket)
            await sitting.leave()
        return seen

    assert asyncio.run(play()) == ["0.0", "0.1", "1.0", "1.1", "2.0", "2.1"]


def test_a_refused_move_comes_back_with_the_reason_and_the_third_ends_as_invalid_play() -> None:
    async def play() -> tuple[list[Pending], EndedEpisode]:
        sitting = World(CONSULTATION).sit(0)
        now, seen = await sitting.next(), []
        while isinstance(now, Pending):
            seen.append(now)
            now = await sitting.step({"action": "CALL_MDT"}, now.ticket)
        return seen, now

    seen, end = asyncio.run(play())
    assert [now.ticket for now in seen] == ["0.0", "0.1", "0.2"]
    assert [len(now.refusals) for now in seen] == [0, 1, 2]
    assert not seen[0].notice
    assert "there is no consultant to call" in seen[1].notice
    assert end.trace.outcome.status is Status.INVALID_PLAY


@pytest.mark.parametrize(
    "wrong", ["Where does it hurt?", None, 7, [], {}, {"action": "SING"}, {"question": 1}]
)
def test_what_cannot_be_read_is_refused_and_nothing_is_lost(wrong: object) -> None:
    async def play() -> tuple[Any, Any]:
        async with World(CONSULTATION).sit(0) as sitting:
            refused = await sitting.step(wrong, "0.0")
            return refused, await sitting.step({"action": "ASK", "question": "Where?"}, "0.1")

    refused, after = asyncio.run(play())
    assert refused.ticket == "0.1"
    assert refused.notice.startswith("Not a valid move: ")
    assert after.ticket == "1.0"


@pytest.mark.parametrize("which", SEATS)
def test_a_reply_may_come_as_a_dict_of_plain_json(which: str) -> None:
    config, seats = SEATS[which]

    async def both() -> tuple[EndedEpisode, EndedEpisode]:
        cast = built_in(config)
        sitting = World(config, seats).sit(0)
        now = await sitting.next()
        while isinstance(now, Pending):
            reply = json.loads((await said(cast, now)).model_dump_json())
            now = await sitting.step(reply, now.ticket, now.seat)
        return now, await to_the_end(World(config, seats).sit(0), cast)

    as_dicts, as_models = asyncio.run(both())
    assert as_dicts == as_models


def test_a_stale_ticket_and_a_double_answer_are_refused_and_change_nothing() -> None:
    async def play() -> EndedEpisode:
        cast = built_in(CONSULTATION)
        sitting = World(CONSULTATION).sit(0)
        now = await sitting.next()
        assert isinstance(now, Pending)
        for stale in ("0.1", "1.0", "", "nonsense"):
            with pytest.raises(Stale, match=r"now 0\.0 is"):
                await sitting.step(Ask(question="A stray question."), stale)
        first = asyncio.create_task(sitting.step(await said(cast, now), now.ticket))
        await asyncio.sleep(0)
        for at in (now.ticket, None):
            with pytest.raises(Stale):
                await sitting.step(Ask(question="Said twice."), at)
        await first
        with pytest.raises(Stale, match=r"now 1\.0 is"):
            await sitting.step(Ask(question="Said twice."), now.ticket)
        end = await to_the_end(sitting, cast)
        with pytest.raises(Stale, match="has ended"):
            await sitting.step(Ask(question="Too late."))
        assert await sitting.next() == end
        return end

    config, seats = UNDER_TEST["doctor"]
    assert asyncio.run(play()) == asyncio.run(to_the_end(World(config, seats).sit(0), built_in(config)))


def test_several_seats_wait_at_once_and_may_reply_in_any_order() -> None:
    config, seats = SEATS["students"]

    async def backwards() -> EndedEpisode:
        cast = built_in(config)
        sitting = World(config, seats).sit(0)
        now = await sitting.next()
        with pytest.raises(BadInput, match="student_1, student_2"):
            await sitting.step({}, "0.0")
        both = 0
        while isinstance(now, Pending):
            waiting = sitting.pending
            both += len(waiting) == 2
            last = waiting[max(waiting)]
            now = await sitting.step(await said(cast, last), last.ticket, last.seat)
        assert both > 2
        return now

    assert asyncio.run(backwards()) == asyncio.run(to_the_end(World(config, seats).sit(0), built_in(config)))


def test_a_reply_that_was_given_is_on_record_when_its_giver_has_left() -> None:
    kept = Kept()

    async def give_and_leave() -> None:
        sitting = World(CONSULTATION).sit(0, kept)
        await sitting.next()
        giving = asyncio.create_task(sitting.step(Ask(question="When did it start?"), "0.0"))
        await asyncio.sleep(0)
        await sitting.leave()
        await asyncio.gather(giving, return_exceptions=True)
        with pytest.raises(BadInput, match="was left"):
            await sitting.next()

    asyncio.run(give_and_leave())
    assert [row.seat for row in kept.rows][:1] == ["doctor"]
    assert "When did it start?" in kept.rows[0].reply


def test_a_caller_who_waits_no_longer_does_not_take_the_reply_back() -> None:
    async def play() -> Any:
        async with World(CONSULTATION).sit(0) as sitting:
            await sitting.next()
            waiting = asyncio.create_task(sitting.step(Ask(question="When did it start?"), "0.0"))
            await asyncio.sleep(0)
            waiting.cancel()
            await asyncio.wait([waiting])
            return await sitting.next()

    assert asyncio.run(play()).ticket == "1.0"


def test_a_fault_outside_reaches_whoever_sits_and_is_no_score() -> None:
    class Broken:
        name, durable = "broken", True

        async def reply(self, request: Request[Any]) -> PatientReply:
            raise InfrastructureFault("the line is dead")

    async def play() -> None:
        world = World(
            CONSULTATION.model_copy(update={"patient": "broken"}), more={"broken": lambda _: Broken()}
        )
        async with world.sit(0) as sitting:
            await sitting.next()
            with pytest.raises(InfrastructureFault, match="the line is dead"):
                await sitting.step(Ask(question="When did it start?"))
            with pytest.raises(InfrastructureFault, match="the line is dead"):
                await sitting.next()

    asyncio.run(play())


@pytest.mark.parametrize("which", SEATS)
def test_a_pending_request_holds_what_the_seat_is_asked_and_nothing_else(which: str) -> None:
    config, seats = SEATS[which]
    seats = seats or (config.plays.under_test,)

    async def play() -> tuple[list[Pending], list[Request[Any]]]:
        cast = built_in(config)
        watched = Watching(cast[seats[0]])
        await World(config, seats[:1]).play(0, watched)
        sitting, seen = World(config, seats).sit(0), []
        now = await sitting.next()
        while isinstance(now, Pending):
            if now.seat == seats[0]:
                seen.append(now)
            now = await sitting.step(await said(cast, now), now.ticket, now.seat)
        return seen, watched.seen

    seen, inside = asyncio.run(play())
    assert [now.request for now in seen] == inside
    for now in seen:
        plain = now.as_json()
        assert plain.keys() == {"seat", "ticket", "notice", "view", "feed", "new", "schema"}
        assert plain["view"] == json.loads(now.request.view.model_dump_json())
        assert len(plain["feed"]) == len(now.request.feed)
        assert json.loads(json.dumps(plain)) == plain


def test_hidden_words_of_a_case_are_in_no_pending_request() -> None:
    case = canary_case()

    class One:
        report: ImportReport | None = None
        label, size, fingerprint = "one", 1, "one"

        def __iter__(self) -> Any:
            return iter((case,))

        def get(self, index: int) -> Any:
            return case

    async def play() -> str:
        sitting, seen = World(RunConfig(), source=One()).sit(0), ""
        now = await sitting.next()
        for _ in range(4):
            assert isinstance(now, Pending)
            seen += json.dumps(now.as_json())
            now = await sitting.step({"action": "ASK", "question": "Good morning."})
        return seen

    marks = set(re.findall(r"zq-[a-z-]+-qz", asyncio.run(play())))
    assert marks == {"zq-door-qz", "zq-words-qz", "zq-question-qz"}


def test_rows_are_cases_with_all_their_repeats() -> None:
    world = World(RunConfig(limit=3, repeats=2))
    assert len(world) == 6
    assert [world.episode(row).ordinal for row in range(6)] == list(range(6))
    assert world.episode(0).case == world.episode(1).case != world.episode(2).case
    one = World(RunConfig(only=world.episode(4).case.id, repeats=2))
    assert [one.episode(row).key({}) for row in range(len(one))] == [
        world.episode(row).key({}) for row in (4, 5)
    ]
    for row in (-1, 6):
        with pytest.raises(BadInput, match="there are 6, from 0"):
            world.episode(row)


def test_a_source_that_does_not_know_its_size_is_counted() -> None:
    source = RunConfig().opened()

    class Unsized:
        report: ImportReport | None = None
        label, size, fingerprint = "unsized", None, "x"

        def __iter__(self) -> Any:
            return iter(source)

        def get(self, index: int) -> Any:
            return source.get(index)

    assert len(World(RunConfig(limit=4), source=Unsized())) == 4
    assert len(World(RunConfig(), source=Unsized())) == sum(1 for _ in source)


def test_a_person_and_a_program_differ_by_name_alone() -> None:
    async def play(name: str) -> EndedEpisode:
        config = CONSULTATION.model_copy(update={"doctor": name})
        return await to_the_end(World(config).sit(0), built_in(CONSULTATION))

    person, program = asyncio.run(play("person")), asyncio.run(play("external"))
    assert person.key != program.key
    assert person._replace(key=program.key) == program


def test_a_seat_that_is_not_there_is_named() -> None:
    with pytest.raises(BadInput, match="there is no seat 'nurse'"):
        World(ROUND, ("nurse",))


def test_sittings_of_one_world_do_not_meet() -> None:
    async def play() -> list[EndedEpisode]:
        world, cast = World(RunConfig(limit=3)), {"doctor": BaselineDoctor()}
        return list(await asyncio.gather(*(to_the_end(world.sit(row), cast) for row in (0, 1, 2, 0))))

    first, second, third, again = asyncio.run(play())
    assert first == again
    assert len({first.key, second.key, third.key}) == 3


@pytest.mark.parametrize("which", UNDER_TEST)
def test_when_a_clock_ends_it_what_the_seat_was_told_last_is_in_the_record(which: str) -> None:
    config, seats = UNDER_TEST[which]
    seat = config.plays.under_test

    async def cut_off() -> tuple[Pending, EndedEpisode]:
        cast = built_in(config)
        async with World(config, seats).sit(0) as sitting:
            now = await sitting.next()
            assert isinstance(now, Pending)
            now = await sitting.step(await said(cast, now), now.ticket)
            assert isinstance(now, Pending)
            ended = await sitting.time_up("the station is over", now.ticket, now.seat)
            assert isinstance(ended, EndedEpisode)
            return now, ended

    asked, ended = asyncio.run(cut_off())
    assert ended.trace.outcome.status is Status.OUT_OF_BUDGET
    told = [event for event in asked.request.feed if isinstance(event, Event)]
    held = [event for event in ended.trace.events if seat in event.to]
    assert told
    assert told == held[: len(told)], "also what was told since the last reply"
