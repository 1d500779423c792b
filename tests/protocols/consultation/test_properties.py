"""Rules that hold whatever anybody does: random moves, random limits, random policies."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from osler.cases.personas import persona
from osler.core.contract import OwnReply, Request
from osler.core.events import Event, Released, Said, TurnBegan
from osler.core.order_events import Ordered, Resulted, Taken
from osler.core.trace import Trace
from osler.protocols.consultation.episode import Episode
from osler.protocols.consultation.seats import Ask, CallMdt, Finalize, RequestTest, Wait
from osler.protocols.consultation.settings import VISIT_COST, Limits, Settings
from osler.protocols.shared.patient import VisitBegan
from osler.testing.cases import small_case
from osler.testing.players import RandomDoctor
from tests.protocols.consultation.conftest import built_in

some = RandomDoctor()
words = st.sampled_from(some.questions) | st.text(min_size=1, max_size=40)
names = st.sampled_from(some.orders) | st.text(min_size=1, max_size=30)
moves = st.one_of(
    words.map(lambda text: Ask(question=text)),
    names.map(lambda name: RequestTest(test_name=name)),
    st.just(Wait()),
    st.just(CallMdt(question="?")),
    st.just({"action": "NOTHING"}),
    st.just(Finalize(diagnosis="a guess")),
)
rules = st.builds(
    Settings,
    limits=st.builds(
        Limits,
        max_turns=st.integers(1, 15),
        max_tests_per_visit=st.none() | st.integers(0, 3),
        max_visits=st.integers(1, 3),
        visit_minutes=st.integers(1, 200),
        max_cost=st.none() | st.integers(VISIT_COST, 80),
    ),
    unknown=st.sampled_from(["standard", "withhold", "normal"]),
)


class Listed:
    """Plays a list of moves; invalid ones count as an attempt, and the end of the list concludes."""

    name = "listed"
    durable = False

    def __init__(self, listed: list[Any]) -> None:
        self._listed = listed

    async def reply(self, request: Request[Any]) -> BaseModel:
        so_far = sum(isinstance(i, OwnReply) or i.kind == "notice" for i in request.feed)
        move: BaseModel = self._listed[so_far] if so_far < len(self._listed) else Finalize(diagnosis="x")
        return move


def consult(listed: list[Any], rule: Settings) -> Trace:
    episode = Episode(0, small_case(), persona("plain"), rule, "0")
    return asyncio.run(episode.play({**built_in(), "doctor": Listed(listed)}))


@given(st.lists(moves, max_size=20), rules)
def test_the_rules_of_evidence_and_budget_hold(listed: list[Any], rule: Settings) -> None:
    trace = consult(listed, rule)
    events = trace.events

    minutes = [event.minute for event in events]
    assert minutes == sorted(minutes), "the clock ran back"

    released = [event.item for event in events if isinstance(event, Released)]
    assert len(released) == len(set(released)), "something was released twice"
    assert_gates(events)

    texts = defaultdict[str, set[str]](set)
    for result in trace.of(Resulted):
        if result.returned:
            texts[result.name].add(result.text)
    assert all(len(told) == 1 for told in texts.values()), "a result changed"

    limits, outcome = rule.limits, trace.outcome
    assert outcome.counts["turns"] <= limits.max_turns
    assert limits.max_cost is None or outcome.counts["cost"] <= limits.max_cost
    assert len(trace.of(VisitBegan)) <= limits.max_visits
    assert all(turn.turns_left >= 0 for turn in trace.of(TurnBegan))
    assert all(turn.tests_left is None or turn.tests_left >= 0 for turn in trace.of(TurnBegan))
    assert events[-1].kind == "ended"


def assert_gates(events: tuple[Event, ...]) -> None:
    """Each release follows the act that earns it, and no result comes before it is ready."""
    asked, ordered, ready = False, set[int](), dict[str, int]()
    for event in events:
        if isinstance(event, Said) and event.by == "doctor":
            asked = True
        elif isinstance(event, Ordered):
            ordered.add(event.order)
        elif isinstance(event, Taken):
            ready.setdefault(event.name, event.ready_minute)
        elif isinstance(event, Resulted):
            assert event.order in ordered
            if event.returned:
                assert event.minute >= ready.get(event.name, 0)
        elif isinstance(event, Released):
            assert ordered if event.gate == "ordered" else asked


@given(st.lists(moves, max_size=12), rules)
def test_the_same_play_gives_the_same_bytes(listed: list[Any], rule: Settings) -> None:
    assert consult(listed, rule) == consult(listed, rule)
