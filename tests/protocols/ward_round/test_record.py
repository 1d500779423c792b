"""The record of a round: same bytes at any concurrency, nothing asked twice, resumed and branched."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from pydantic import BaseModel

from osler.core.contract import Player, ReplyWithUsage, Request
from osler.core.episode import TeeRecorder
from osler.core.events import Seat
from osler.core.trace import Trace
from osler.errors import InfrastructureFault
from osler.protocols.shared.players.patient import BaselinePatient
from osler.protocols.ward_round.casting import TUTORS, curriculum
from osler.protocols.ward_round.episode import RoundEpisode
from osler.protocols.ward_round.events import RoundLine
from osler.protocols.ward_round.players.expert import BaselineExpert
from osler.protocols.ward_round.players.patient import RoundPatient
from osler.protocols.ward_round.players.reviewers import BaselineSpecialist, BaselineSupervisor
from osler.protocols.ward_round.players.student import BaselineStudent
from osler.protocols.ward_round.players.tutors import Lecturer, Socratic
from osler.protocols.ward_round.seats import student_seats
from osler.protocols.ward_round.settings import RoundSettings
from osler.testing.players import Rebuilt, Watching
from tests.protocols.ward_round.casts import built_in_cast
from tests.protocols.ward_round.conftest import Play, cohort, episode, socratic_cast, taught_case
from tests.protocols.ward_round.players import PlainTutor, Slow, everybody


def exported(trace: Trace) -> str:
    """A trace as canonical JSON."""
    return json.dumps([trace.outcome._asdict(), [row._asdict() for row in trace.rows]], sort_keys=True)


def played(episodes: Sequence[RoundEpisode], cast: Mapping[Seat, Player], at_once: int) -> list[str]:
    """Many episodes, `at_once` at the same time, as they would be exported."""

    async def all_of_them() -> list[str]:
        free = asyncio.Semaphore(at_once)

        async def one(each: RoundEpisode) -> str:
            async with free:
                return exported(await each.play(cast))

        return await asyncio.gather(*map(one, episodes))

    return asyncio.run(all_of_them())


def test_the_bytes_are_the_same_at_any_concurrency_and_in_any_order_of_answers() -> None:
    episodes = [episode(seed=str(seed)) for seed in range(16)]
    cast = socratic_cast(taught_case())
    plain = played(episodes, cast, at_once=1)
    assert len(set(plain)) > 1
    for turns in (3, 7):
        slow = {seat: Slow(player, turns=turns + k) for k, (seat, player) in enumerate(cast.items())}
        assert played(episodes, slow, at_once=16) == plain


@pytest.mark.parametrize("seed", range(3))
def test_resumed_at_any_exchange_equals_undisturbed_and_asks_only_the_rest(teach: Play, seed: int) -> None:
    cast = socratic_cast(taught_case())
    whole = teach(cast, seed=str(seed))
    assert whole.outcome.status == "completed"
    for kept in range(len(whole.rows) + 1):
        watching = {seat: Watching(player) for seat, player in cast.items()}
        again = teach(watching, seed=str(seed), recorded=whole.rows[:kept])
        assert exported(again) == exported(whole)
        assert sum(len(player.seen) for player in watching.values()) == len(whole.rows) - kept


def test_resumed_with_gaps_among_seats_asked_at_once_equals_undisturbed(teach: Play) -> None:
    """A kill may leave the second of three answers written and the first not."""
    cast = socratic_cast(taught_case())
    whole = teach(cast)
    for lost in range(len(whole.rows)):
        kept = [row for row in whole.rows[: lost + 3] if row.n != lost + 1]
        assert exported(teach(cast, recorded=kept)) == exported(whole)


@dataclass
class Offline:
    """The network fails it, for the first `times` it is asked."""

    inner: Player
    times: int = 1
    name: str = "offline"
    durable: bool = True

    async def reply(self, request: Request[Any]) -> BaseModel | ReplyWithUsage:
        if self.times:
            self.times -= 1
            raise InfrastructureFault("the network is down")
        return await self.inner.reply(request)


def test_a_network_fault_ends_nothing_and_what_the_others_answered_is_kept(teach: Play) -> None:
    cast = socratic_cast(taught_case())
    whole = teach(cast)
    kept = TeeRecorder()
    broken = {**everybody(cast, lambda p: Slow(p, seconds=0.01)), "student_2": Offline(cast["student_2"])}
    with pytest.raises(InfrastructureFault, match="the network is down"):
        teach(broken, onward=kept)
    assert sorted(row.n for row in kept.rows) == [1, 3]
    again = {seat: Watching(player) for seat, player in cast.items()}
    assert exported(teach(again, recorded=kept.rows)) == exported(whole)
    assert sum(len(player.seen) for player in again.values()) == len(whole.rows) - 2


def test_players_hold_no_state_between_calls(teach: Play) -> None:
    case = taught_case()
    known = curriculum(case)
    cast: dict[Seat, Player] = {
        "tutor": Rebuilt(Socratic),
        "patient": Rebuilt(lambda: RoundPatient(BaselinePatient())),
        "specialist": Rebuilt(BaselineSpecialist),
        "supervisor": Rebuilt(BaselineSupervisor),
        "expert": Rebuilt(BaselineExpert),
        **dict.fromkeys(student_seats(3), Rebuilt(lambda: BaselineStudent(known, "construct"))),
    }
    assert exported(teach(cast)) == exported(teach(socratic_cast(case)))


def test_a_changed_case_diverges_and_the_record_is_kept(teach: Play) -> None:
    cast = socratic_cast(taught_case())
    whole = teach(cast)
    changed = taught_case().model_copy(update={"age_years": 55})
    trace = teach(cast, case=changed, recorded=whole.rows[:5])
    assert trace.outcome.status == "diverged"
    assert trace.rows == whole.rows[:5]


def test_a_branch_keeps_the_past_and_meets_another_tutor(teach: Play) -> None:
    cast = socratic_cast(taught_case())
    whole = teach(cast)
    second = next(k for k, row in enumerate(whole.rows) if row.n > 3 and row.seat == "tutor") + 1
    branch = teach({**cast, "tutor": PlainTutor("And now?")}, recorded=whole.rows[:second])
    assert branch.outcome.status == "completed"
    assert branch.rows[:second] == whole.rows[:second]
    spoken = [line.text for line in branch.of(RoundLine) if line.part == "guidance"]
    assert spoken[1:] == ["And now?"] * 2
    assert spoken[0] != "And now?"


def test_two_tutors_meet_the_same_group_in_the_same_world(teach: Play) -> None:
    case = taught_case()
    before = {}
    for name, tutor in TUTORS.items():
        trace = teach(built_in_cast(case, cohort(), tutor(), "construct"))
        before[name] = [row.reply for row in trace.rows[:6]]  # the exam and the first analyses
    assert len(set(map(tuple, before.values()))) == 1


def test_a_key_tells_apart_whatever_decides_an_episode() -> None:
    case = taught_case()
    whole, cast = episode(), socratic_cast(case)
    others = [
        (episode(seed="1"), cast),
        (episode(max_rounds=4), cast),
        (episode(number=2), cast),
        (whole, {**cast, "tutor": Lecturer()}),
        (whole, socratic_cast(case, theory="telling")),
        (RoundEpisode(0, case, whole.persona, cohort(), RoundSettings(), "0", plan=case.teaching), cast),
    ]
    keys = [whole.key(cast), *(other.key(players) for other, players in others)]
    assert len(set(keys)) == len(keys)
    assert whole.key(cast) == episode().key(socratic_cast(taught_case()))
    assert [other.world == whole.world for other, _ in others] == [False, True, False, True, True, True]


def test_everybody_may_be_wrapped_without_changing_the_record(teach: Play) -> None:
    cast = socratic_cast(taught_case())
    assert exported(teach(everybody(cast, Slow))) == exported(teach(cast))
