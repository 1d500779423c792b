"""Settings that the paper has in one way and others may want in another: order, hearing, strictness."""

from __future__ import annotations

from typing import Any

import pytest

from osler.core.events import Seat
from osler.core.trace import Trace
from osler.players.casting import casting_of
from osler.protocols.ward_round.config import BASELINE, STRICT, RoundConfig
from osler.protocols.ward_round.events import Reviewed, RoundBegan, RoundLine
from osler.protocols.ward_round.model.prompts import SPECIALIST, SUPERVISOR
from osler.protocols.ward_round.players.reviewers import BaselineSpecialist, contradictions
from osler.protocols.ward_round.settings import RoundSettings
from osler.protocols.ward_round.views import specialist_view, supervisor_view
from osler.testing.players import Watching
from tests.protocols.ward_round.conftest import Play, cohort, episode, plain_cast, taught_case
from tests.protocols.ward_round.players import PlainTutor

FEVER = "The patient has night sweats and she has a rash. What do you make of it?"


def orders(trace: Trace) -> list[list[Seat]]:
    """The seats in the order of their analyses, by round."""
    found: list[list[Seat]] = []
    for event in trace.events:
        if isinstance(event, RoundBegan):
            found.append([])
        elif isinstance(event, RoundLine) and event.part == "analysis":
            found[-1].append(event.by)
    return found


def test_the_order_of_analyses_is_drawn_anew_for_each_round(teach: Play) -> None:
    drawn = orders(teach(plain_cast(6), number=6, max_rounds=5))
    assert all(sorted(one) == sorted(drawn[0]) for one in drawn)
    assert len({tuple(one) for one in drawn}) > 3
    assert drawn == orders(teach(plain_cast(6), number=6, max_rounds=5)), "the same seed, the same order"
    assert drawn != orders(teach(plain_cast(6), number=6, max_rounds=5, seed="1"))
    fixed = orders(teach(plain_cast(6), number=6, max_rounds=2, order="fixed"))
    assert fixed == [[f"student_{n}" for n in range(1, 7)]] * 2


def test_the_order_belongs_to_the_world_and_not_to_the_tutor(teach: Play) -> None:
    other = {**plain_cast(6), "tutor": PlainTutor("And then?")}
    assert orders(teach(plain_cast(6), number=6)) == orders(teach(other, number=6))


def test_tutor_and_record_have_the_analyses_in_the_same_order(teach: Play) -> None:
    tutor = Watching(PlainTutor())
    trace = teach({**plain_cast(6), "tutor": tutor}, number=6, max_rounds=3)
    read = [
        item.by for item in tutor.seen[-1].feed if isinstance(item, RoundLine) and item.part == "analysis"
    ]
    assert read == [seat for one in orders(trace) for seat in one]
    asked = [row.seat for row in trace.rows if "analysis_for_teacher" in row.reply]
    assert asked == read


@pytest.mark.parametrize(
    "change", [{"order": "fixed"}, {"expert_heard_by": "asker"}, {"reviewers": "strict"}]
)
def test_each_of_them_is_part_of_the_key_and_none_of_the_world(change: dict[str, str]) -> None:
    one, other = episode(), episode(None, 3, "0", **change)
    assert one.world == other.world
    assert one.key(plain_cast()) != other.key(plain_cast())


# Strict reviewers


def test_a_strict_specialist_rejects_what_the_case_does_not_hold() -> None:
    case = taught_case()
    assert not list(contradictions(FEVER, specialist_view(case)))
    assert any("does not say" in line for line in contradictions(FEVER, specialist_view(case, strict=True)))
    questions = "Does she have a rash? If she has a rash, what follows?"
    assert not list(contradictions(questions, specialist_view(case, strict=True)))


def test_strict_reviewers_keep_a_doubtful_draft_from_the_students(teach: Play) -> None:
    cast = {**plain_cast(), "tutor": PlainTutor(FEVER), "specialist": BaselineSpecialist()}
    passed = {}
    for how in ("lenient", "strict"):
        trace = teach(cast, max_rounds=1, reviewers=how)
        passed[how] = [one.approved for one in trace.of(Reviewed) if one.by == "specialist"]
    assert passed == {"lenient": [True], "strict": [False] * RoundSettings().max_drafts}


def test_where_reviewers_are_strict_the_built_in_supervisor_is_the_strict_one() -> None:
    strict = RoundConfig(settings=RoundSettings(reviewers="strict"))
    case = taught_case()
    assert casting_of(strict).cast(case)["supervisor"].name == STRICT
    assert casting_of(RoundConfig()).cast(case)["supervisor"].name == BASELINE
    model = RoundConfig(supervisor="model:m", settings=RoundSettings(reviewers="strict"))
    factory: Any = lambda asked: Watching(PlainTutor())  # noqa: E731
    assert casting_of(model, {"model": factory}).names["supervisor"] == "model:m"


@pytest.mark.parametrize(
    ("seat", "lenient", "strict"),
    [
        (SPECIALIST, specialist_view(taught_case()), specialist_view(taught_case(), strict=True)),
        (SUPERVISOR, supervisor_view(cohort()), supervisor_view(cohort(), strict=True)),
    ],
)
def test_a_model_reviewer_is_told_what_to_do_with_doubt(seat: Any, lenient: Any, strict: Any) -> None:
    easy, hard = (seat.prompt().render(seat.values(view, "json")) for view in (lenient, strict))
    assert "If you hesitate, approve" in easy
    assert "If you hesitate, approve" not in hard
    assert "If you are not sure" in hard


def test_the_strict_view_alone_says_so_and_an_earlier_record_keeps_its_hash() -> None:
    assert "strict" not in specialist_view(taught_case()).text
    assert "strict" in specialist_view(taught_case(), strict=True).text
