"""Whatever the cohort, the ablation and the reviewers' moods: what must hold of every round."""

from __future__ import annotations

import asyncio
from itertools import groupby

from hypothesis import given
from hypothesis import strategies as st

from osler.core.contract import Player
from osler.core.events import Event, Seat
from osler.core.trace import Trace
from osler.protocols.ward_round.events import Reviewed, RoundBegan, RoundLine, Unguided
from osler.protocols.ward_round.seats import student_seats
from osler.testing.players import Watching
from tests.protocols.ward_round.conftest import episode, plain_cast
from tests.protocols.ward_round.players import PlainExpert, PlainStudent, PlainTutor, Reviewer

REVIEWERS: tuple[Seat, ...] = ("specialist", "supervisor")
OTHERS: tuple[Seat, ...] = ("patient", "specialist", "supervisor", "expert")


@st.composite
def rounds(draw: st.DrawFn) -> tuple[dict[Seat, Watching], Trace, int]:
    """A cast that was watched, what became of it, and the most drafts a round may have."""
    number = draw(st.integers(1, 4))
    gone = draw(st.sets(st.sampled_from(OTHERS)))
    cast: dict[Seat, Player] = {seat: p for seat, p in plain_cast(number).items() if seat not in gone}
    cast["tutor"] = PlainTutor("zq-draft-qz?")
    for seat in set(REVIEWERS) - gone:
        cast[seat] = Reviewer(seat, rejects=draw(st.integers(0, 5)), feedback="zq-feedback-qz")
    for seat in student_seats(number):
        asks = "patient" not in gone and draw(st.booleans())
        asks_expert = "expert" not in gone and draw(st.booleans())
        cast[seat] = PlainStudent(
            to_patient="When did it start?" if asks else None,
            to_expert="What is a cough?" if asks_expert else None,
        )
    if "expert" not in gone:
        cast["expert"] = PlainExpert()
    watched = {seat: Watching(player) for seat, player in cast.items()}
    drafts = draw(st.integers(1, 3))
    whole = episode(number=number, max_rounds=draw(st.integers(1, 3)), max_drafts=drafts)
    return watched, asyncio.run(whole.play(watched)), drafts


def by_round(trace: Trace) -> list[list[Event]]:
    """The events of each round."""
    found: list[list[Event]] = []
    for event in trace.events:
        if isinstance(event, RoundBegan):
            found.append([])
        if found:
            found[-1].append(event)
    return found


@given(rounds())
def test_every_round_keeps_its_rules(played: tuple[dict[Seat, Watching], Trace, int]) -> None:
    cast, trace, most = played
    students = [seat for seat in cast if seat.startswith("student")]
    reviewers = {seat for seat in REVIEWERS if seat in cast}
    assert trace.outcome.status == "completed"
    for events in by_round(trace):
        lines = [event for event in events if isinstance(event, RoundLine)]
        parts = [line.part for line in lines]
        assert parts.count("analysis") == len(students)
        # Guided after the approval of everybody who reviews, or not at all.
        spoken = parts.count("guidance")
        assert spoken + sum(isinstance(event, Unguided) for event in events) == 1
        assert 1 <= parts.count("draft") <= most
        reviews = [event for event in events if isinstance(event, Reviewed)]
        last = reviews[-len(reviewers) :] if reviewers else []
        assert {review.by for review in last} == reviewers
        assert all(review.approved for review in last) == bool(spoken)
        # One answer to the batch, one explanation to each query.
        answers = sum(line.part == "statement" and line.minute > 1 for line in lines)
        assert answers == ("question" in parts)
        assert parts.count("explanation") == parts.count("query")
    guided = any(line.part == "guidance" for line in trace.of(RoundLine))
    for seat in students:
        shown = repr([request.feed for request in cast[seat].seen])
        assert "zq-feedback-qz" not in shown
        assert ("zq-draft-qz" in shown) == guided


@given(rounds())
def test_requests_grow_only_at_their_end(played: tuple[dict[Seat, Watching], Trace, int]) -> None:
    for player in played[0].values():
        for earlier, later in zip(player.seen, player.seen[1:], strict=False):
            assert later.view == earlier.view
            assert later.feed[: len(earlier.feed)] == earlier.feed
            assert len(later.feed) > len(earlier.feed)


@given(rounds())
def test_replies_are_numbered_one_after_another(played: tuple[dict[Seat, Watching], Trace, int]) -> None:
    _, trace, _ = played
    assert [row.n for row in trace.rows] == list(range(1, trace.outcome.exchanges + 1))
    together = [seat for seat, _ in groupby(row.seat.partition("_")[0] for row in trace.rows)]
    assert together[0] == together[-1] == "student"
