"""Composite players: whoever they ask is recorded in the order asked, resumed without being asked again, and
a record that no longer fits is set aside."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, TypeAdapter

from osler.cases.personas import persona
from osler.core.composite import AnyPlayer, Inner, InnerQuestion
from osler.core.contract import NoUsableReply, ReplyWithUsage, Request
from osler.core.events import NOT_VALID, Noticed
from osler.core.trace import AskedRow, ExchangeRow, InnerRow, Trace
from osler.errors import InfrastructureFault
from osler.protocols.consultation.episode import Episode
from osler.protocols.consultation.players.doctor import BaselineDoctor
from osler.protocols.consultation.seats import DOCTOR, Finalize, Wait
from osler.protocols.consultation.settings import Limits, Settings
from osler.testing.cases import small_case
from osler.testing.players import RandomDoctor, Watching
from tests.protocols.consultation.conftest import Play, built_in


class Vote(BaseModel):
    """What a critic says: an answer that is no doctor's move."""

    for_number: int


VOTE: TypeAdapter[Vote] = TypeAdapter(Vote)


@dataclass
class Critic:
    """Always for the same one."""

    number: int = 0
    name: str = "critic"
    durable: bool = False

    async def reply(self, request: Request[Any]) -> BaseModel:
        return Vote(for_number=self.number)


@dataclass
class Slow:
    """Another player's reply, after some turns of the loop."""

    player: AnyPlayer
    turns: int
    durable: bool = False

    @property
    def name(self) -> str:
        return self.player.name

    async def reply(self, request: Request[Any]) -> Any:
        for _ in range(self.turns):
            await asyncio.sleep(0)
        return await self.player.reply(request)  # type: ignore[union-attr]


@dataclass
class Council:
    """Asks its doctors at once, each in a world of its own, and then a critic whom to follow."""

    doctors: Sequence[AnyPlayer]
    critic: AnyPlayer = field(default_factory=Critic)
    name: str = "council"
    durable: bool = False

    async def compose(self, request: Request[Any], inner: Inner) -> BaseModel | ReplyWithUsage:
        found = await inner.ask_all(
            [
                InnerQuestion(doctor, request._replace(world=f"{request.world}/{number}"), DOCTOR.reply)
                for number, doctor in enumerate(self.doctors, 1)
            ]
        )
        words = "; ".join(type(one).__name__ for one in found)
        shown = Noticed(minute=0, to=("doctor",), text=words)
        asked = request._replace(feed=(*request.feed, shown))
        (vote,) = await inner.ask_all([InnerQuestion(self.critic, asked, VOTE)])
        chosen = found[vote.for_number] if isinstance(vote, Vote) else found[0]
        if isinstance(chosen, NoUsableReply):
            raise chosen
        return chosen


def council(*turns: int, critic: AnyPlayer | None = None) -> Council:
    doctors = [Slow(RandomDoctor(patience=6, name=f"r{n}"), wait) for n, wait in enumerate(turns)]
    return Council(doctors, critic or Critic())


def in_order(trace: Trace) -> list[tuple[str, ...]]:
    """The record as it is committed: what was asked inside an exchange before the exchange."""
    inner = [(*row.number[:1], 0, *row.number[1:]) for row in trace.inner]
    outer = [(row.n, 1) for row in trace.rows]
    return [tuple(map(str, number)) for number in sorted([*inner, *outer])]


def first(trace: Trace, count: int) -> tuple[list[ExchangeRow], list[InnerRow]]:
    """What the first `count` entries of the record hold."""
    kept = set(in_order(trace)[:count])
    return (
        [row for row in trace.rows if (str(row.n), "1") in kept],
        [row for row in trace.inner if (str(row.n), "0", *row.path.split(".")) in kept],
    )


def test_inner_exchanges_are_numbered_in_the_order_asked_whoever_answers_first(consult: Play) -> None:
    quick = consult(small_case(), doctor=council(0, 0, 0))
    slow = consult(small_case(), doctor=council(7, 3, 0))
    assert quick == slow
    asked = [row for row in quick.rows if row.seat == "doctor"]
    assert [row.path for row in quick.inside(asked[0].n)] == ["1", "2", "3", "4"]
    assert [row.player for row in quick.inside(asked[0].n)] == ["r0", "r1", "r2", "critic"]
    assert quick.inside(asked[0].n)[0].reply == asked[0].reply
    assert "Ask" in quick.inside(asked[0].n)[3].events or "Request" in quick.inside(asked[0].n)[3].events
    assert not any(quick.inside(row.n) for row in quick.rows if row.seat != "doctor")


@pytest.mark.parametrize("seed", range(3))
def test_resumed_at_any_point_equals_undisturbed_and_asks_only_the_rest(consult: Play, seed: int) -> None:
    def watched() -> tuple[Council, list[Watching]]:
        inside = [Watching(RandomDoctor(patience=6, name=f"r{n}")) for n in range(2)]
        critic = Watching(Critic())
        return Council(inside, critic), [*inside, critic]

    doctor, _ = watched()
    whole = consult(small_case(), seed=str(seed), doctor=doctor)
    assert len(whole.inner) > 6
    for count in range(len(in_order(whole)) + 1):
        rows, inner = first(whole, count)
        doctor, players = watched()
        again = consult(small_case(), seed=str(seed), doctor=doctor, recorded=rows, inner=inner)
        assert again == whole
        attempts = sum(max(1, row.attempts.count('"at"')) for row in whole.inner if row not in inner)
        assert sum(len(player.seen) for player in players) == attempts


@given(lost=st.sets(st.integers(1, 4)), seed=st.integers(0, 3))
def test_whichever_answers_were_lost_only_they_are_asked_again(lost: set[int], seed: int) -> None:
    consult = _play
    whole = consult(seed, council(0, 0, 0))
    last = max(row.n for row in whole.inner)
    rows = [row for row in whole.rows if row.n < last]
    kept = [row for row in whole.inner if row.n < last or int(row.path) not in lost]
    assert consult(seed, council(2, 1, 0), rows, kept) == whole


def _play(
    seed: int, doctor: AnyPlayer, rows: Sequence[ExchangeRow] = (), inner: Sequence[InnerRow] = ()
) -> Trace:
    episode = Episode(0, small_case(), persona("plain"), Settings(), str(seed))
    return asyncio.run(episode.play({**built_in(), "doctor": doctor}, None, rows, inner))


def test_a_composite_inside_a_composite_is_numbered_below_it_and_not_asked_again(consult: Play) -> None:
    nested = Council([council(1, 0), BaselineDoctor()], name="two councils")
    whole = consult(small_case(), doctor=nested)
    n = whole.inner[0].n
    assert [row.path for row in whole.inside(n)] == ["1", "1.1", "1.2", "1.3", "2", "3"]
    # An inner composite's answer is recorded after those of whom it asked.
    at_first = [row for row in whole.inner if row.n == n and row.path in ("1.1", "1.2")]
    assert consult(small_case(), doctor=nested, inner=at_first) == whole
    answered = [row for row in whole.inner if row.n == n and row.path in ("1", "2")]
    resumed = consult(small_case(), doctor=nested, inner=answered)
    assert resumed.rows == whole.rows, "what 1 asked is not needed once 1 is recorded"


def test_a_refused_reply_is_composed_again_and_its_questions_go_on_counting(consult: Play) -> None:
    @dataclass
    class Waits:
        """Waits where there is nothing to wait for, until it is told so."""

        name: str = "waits"
        durable: bool = False

        async def reply(self, request: Request[Any]) -> BaseModel:
            told = any(isinstance(item, Noticed) for item in request.feed)
            return Finalize(diagnosis="a cold") if told else Wait()

    only_visit = Settings(limits=Limits(max_visits=1))
    trace = consult(small_case(), settings=only_visit, doctor=Council([Waits()]))
    assert trace.outcome.status == "completed"
    assert [(row.n, row.path) for row in trace.inner] == [(1, "1"), (1, "2"), (1, "3"), (1, "4")]
    for kept in range(4):
        resumed = consult(
            small_case(), settings=only_visit, doctor=Council([Waits()]), inner=trace.inner[:kept]
        )
        assert resumed == trace


def test_who_gives_no_valid_reply_is_unanswered_and_stays_so_when_resumed(consult: Play) -> None:
    @dataclass
    class Silent:
        name: str = "silent"
        durable: bool = False
        asked: int = 0

        async def reply(self, request: Request[Any]) -> BaseModel:
            self.asked += 1
            raise NoUsableReply("no words", used=({"endpoint": "e", "calls": 1},))

    silent = Silent()
    trace = consult(small_case(), doctor=Council([silent, RandomDoctor(patience=3)], Critic(1)))
    assert trace.outcome.status == "completed"
    row = trace.inner[0]
    assert (row.reply, row.attempts.count('"used"')) == ("null", 3)
    before = silent.asked
    again = consult(
        small_case(),
        doctor=Council([silent, RandomDoctor(patience=3)], Critic(1)),
        recorded=trace.rows,
        inner=trace.inner,
    )
    assert again == trace
    assert silent.asked == before

    alone = consult(small_case(), doctor=Council([Silent()]))
    assert alone.outcome.status == "invalid_play"
    assert "no words" in alone.outcome.reason


def test_where_the_network_fails_one_the_others_answers_are_kept(consult: Play) -> None:
    @dataclass
    class Down:
        name: str = "down"
        durable: bool = True

        async def reply(self, request: Request[Any]) -> BaseModel:
            raise InfrastructureFault("no network")

    @dataclass
    class Kept:
        rows: list[InnerRow] = field(default_factory=list)

        def asked(self, row: AskedRow, *, at_once: bool) -> None:
            return None

        def exchange(self, row: ExchangeRow) -> None:
            raise AssertionError("the council has no answer")

        def inner(self, row: InnerRow) -> None:
            self.rows.append(row)

        async def flush(self) -> None:
            return None

    kept = Kept()
    with pytest.raises(InfrastructureFault):
        consult(small_case(), doctor=Council([Down(), Slow(BaselineDoctor(), 5)]), onward=kept)
    assert [(row.n, row.path) for row in kept.rows] == [(1, "2")]


def test_another_player_another_question_or_one_too_many_diverges(consult: Play) -> None:
    whole = consult(small_case(), doctor=council(0, 0))
    row = whole.inner[0]
    changes = {
        "put to": row._replace(player="somebody else"),
        "cannot be read": row._replace(reply='{"action":"DANCE"}'),
        "was not asked again": row._replace(path="9"),
        "goes on to exchange 77": row._replace(n=77),
    }
    for words, changed in changes.items():
        trace = consult(small_case(), doctor=council(0, 0), inner=[changed])
        assert trace.outcome.status == "diverged", words
        assert words in trace.outcome.reason
        assert trace.inner == (changed,), "the record is kept as it was"


def test_a_case_that_changed_diverges_inside(consult: Play) -> None:
    whole = consult(small_case(), doctor=council(0, 0))
    trace = consult(small_case(age_years=55), doctor=council(0, 0), inner=whole.inner[:1])
    assert trace.outcome.status == "diverged"
    assert "exchange 1.1" in trace.outcome.reason


def test_a_plain_reply_of_the_wrong_form_is_refused_with_a_reason(consult: Play) -> None:
    trace = consult(small_case(), doctor=Council([BaselineDoctor()], critic=Slow(BaselineDoctor(), 0)))
    critic = trace.inner[1]
    assert critic.reply == "null"
    assert '"at": "refused", "by": "form"' in critic.attempts


def test_what_stands_before_the_feed_is_written_once_and_not_the_feed_with_it(consult: Play) -> None:
    first_of_all = Noticed(minute=0, to=("doctor",), text="remember the last patient")

    @dataclass
    class Told:
        """Whoever stands around a council may add at the beginning, as a bias or a memory does."""

        inside: Council
        name: str = "told"
        durable: bool = False

        async def compose(self, request: Request[Any], inner: Inner) -> BaseModel | ReplyWithUsage:
            asked = request._replace(feed=(first_of_all, *request.feed))
            return await self.inside.compose(asked, inner)

    trace = consult(small_case(), doctor=Told(council(0)))
    doctors = [row for row in trace.inner if row.player == "r0"]
    assert len(doctors) > 3
    refused = [row for row in doctors if NOT_VALID in row.events]
    assert {row.events for row in doctors if row not in refused} == {f"[{first_of_all.line}]"}
    assert all(row.events.count('"kind"') == 2 for row in refused), "what only it was told, and nothing else"
    assert len({row.request for row in doctors}) == len(doctors)
    assert consult(small_case(), doctor=Told(council(0)), inner=trace.inner[:5]) == trace
