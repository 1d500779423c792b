"""Who may read what: a rule in one place, and marks planted everywhere to see that it is kept."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.cases.answers import answer_of
from osler.core.contract import OwnReply, Player, Request
from osler.core.events import Seat
from osler.players.scripted import Scripted
from osler.protocols.ward_round.events import ExamSet, Reviewed, RoundLine, Visibility
from osler.protocols.ward_round.rules import kind_of, readers
from osler.protocols.ward_round.seats import student_seats
from osler.testing.cases import canary_case
from osler.testing.players import Watching
from tests.protocols.ward_round.conftest import Play, plain_cast
from tests.protocols.ward_round.players import PlainExpert, PlainStudent, PlainTutor, Reviewer

MARK = re.compile(r"zq-([a-z0-9-]+?)-qz", re.IGNORECASE)
TAKEN: tuple[Seat, ...] = (*student_seats(3), "tutor", "patient", "specialist", "supervisor", "expert")
VISIBILITIES: tuple[Visibility, ...] = get_args(Visibility)


def shown(player: Watching) -> set[str]:
    """The marks in all that was shown to a player by others: its own replies are left out."""
    text = [
        record.model_dump_json()
        for request in player.seen
        for record in (request.view, *(item for item in request.feed if not isinstance(item, OwnReply)))
    ]
    return set(MARK.findall("\n".join(text)))


def watched(cast: Mapping[Seat, Player]) -> dict[Seat, Watching]:
    return {seat: Watching(player) for seat, player in cast.items()}


# The case

BEDSIDE = {"door", "question", "examined", "tested"}
SPOKEN = {"words", "asked"}
EXAM = {"stem", "sibling-a", "option-a", "option-b", "key-question"}
CASE: dict[str, set[str]] = {
    "student": BEDSIDE | SPOKEN | EXAM,
    "tutor": BEDSIDE | SPOKEN | {"option-a", "option-b", "key-question", "summary"},
    "patient": {"words", "asked", "confidential", "in-private"},
    "specialist": {"words", "asked", "confidential", "in-private", "record", "examined", "tested"}
    | {"alternative", "option-a", "option-b"},
    "supervisor": set(),
    "expert": set(),
}


@pytest.mark.parametrize("exam", ["all", "unseen"])
def test_no_seat_is_shown_of_the_case_what_is_not_its_own(teach: Play, exam: str) -> None:
    student = PlainStudent(to_expert="What is a cough?")
    cast = watched({**plain_cast(), **dict.fromkeys(student_seats(3), student), "expert": PlainExpert()})
    trace = teach(cast, case=canary_case(), max_rounds=2, exam=exam)
    assert trace.outcome.status == "completed"
    for seat, player in cast.items():
        allowed = CASE[kind_of(seat)]
        if exam == "unseen" and kind_of(seat) == "student":
            allowed = allowed - {"key-question"}
        assert player.seen
        assert shown(player) <= allowed, f"{seat} was shown {shown(player) - allowed}"
    assert "summary" in shown(cast["tutor"])  # the test can see what it looks for
    assert "sibling-a" in shown(cast["student_1"])


def test_a_result_that_names_the_answer_is_on_the_tutors_chart_only(teach: Play) -> None:
    case = canary_case()
    telling = case.findings[1].model_copy(update={"result": f"Proves {answer_of(case)}. zq-telling-qz"})
    cast = watched(plain_cast())
    teach(cast, case=case.model_copy(update={"findings": (case.findings[0], telling)}), max_rounds=1)
    assert {seat for seat, player in cast.items() if "telling" in shown(player)} == {"tutor", "specialist"}


# The talk

HEARD_BY_ASKER: dict[str, set[str]] = {
    "analysis-1": {"tutor"},
    "analysis-2": {"tutor"},
    "to-patient-1": {"patient", "tutor", "student_2", "student_3"},
    "answer": {"tutor", "student_1", "student_2", "student_3"},
    "to-expert-1": {"expert"},
    "explained": {"student_1"},
    "exam-1": set(),
    "private": set(),
    "draft": {"specialist", "supervisor", "student_1", "student_2", "student_3"},
    "feedback": {"tutor"},
}
HEARD_BY_ALL = {
    **HEARD_BY_ASKER,
    "to-expert-1": {"expert", "student_2", "student_3"},
    "explained": {"student_1", "student_2", "student_3"},
}


def talkative() -> dict[Seat, Watching]:
    """Everybody says something marked."""
    ann = PlainStudent(
        "zq-analysis-1-qz", "zq-to-patient-1-qz When did it start?", "zq-to-expert-1-qz", "zq-exam-1-qz"
    )
    ben = PlainStudent("zq-analysis-2-qz", None)
    return watched(
        {
            **plain_cast(),
            "student_1": ann,
            "student_2": ben,
            "student_3": PlainStudent(to_patient=None),
            "tutor": PlainTutor("zq-draft-qz What now?", private="zq-private-qz"),
            "supervisor": Reviewer("supervisor", rejects=1, feedback="zq-feedback-qz"),
            "expert": PlainExpert("zq-explained-qz"),
            "patient": Scripted([{"answer": f"zq-answer-qz {k}"} for k in range(9)]),
        }
    )


@pytest.mark.parametrize(("expert", "by"), [("asker", HEARD_BY_ASKER), ("all", HEARD_BY_ALL)])
def test_each_line_is_heard_by_those_it_is_for_and_nobody_else(
    teach: Play, expert: str, by: dict[str, set[str]]
) -> None:
    cast = talkative()
    trace = teach(cast, max_rounds=2, expert_heard_by=expert)
    assert trace.outcome.status == "completed"
    heard: dict[str, set[str]] = {mark: set() for mark in by}
    for seat, player in cast.items():
        for mark in shown(player):
            heard[mark].add(seat)
    assert heard == by


def test_unless_told_otherwise_the_whole_group_hears_the_expert_as_in_the_paper(teach: Play) -> None:
    cast = talkative()
    teach(cast, max_rounds=1)
    assert "explained" in shown(cast["student_3"])
    assert [request.view.all_hear_expert for request in cast["student_1"].seen[:1]] == [True]


def test_a_rejected_draft_reaches_no_student(teach: Play) -> None:
    cast = talkative()
    cast["supervisor"] = Watching(Reviewer("supervisor", rejects=99, feedback="zq-feedback-qz"))
    teach(cast, max_rounds=2)
    assert not {"draft", "feedback"} & set().union(*(shown(cast[seat]) for seat in student_seats(3)))


def test_an_analysis_is_unseen_by_peers_even_in_later_rounds(teach: Play) -> None:
    cast = talkative()
    teach(cast, max_rounds=3)
    assert "analysis-1" not in shown(cast["student_2"])
    assert "analysis-2" not in shown(cast["student_1"])


@pytest.mark.parametrize("expert", ["asker", "all"])
def test_every_event_that_has_a_visibility_went_to_its_readers(teach: Play, expert: str) -> None:
    cast = talkative()
    trace = teach(cast, max_rounds=2, expert_heard_by=expert)
    found = 0
    for event in trace.events:
        if isinstance(event, RoundLine):
            asker = [seat for seat in (event.by, *event.to) if kind_of(seat) == "student"]
            hearing = student_seats(3) if expert == "all" else asker
            students = hearing if event.visibility == "student" else ()
            assert event.to == readers(event.visibility, TAKEN, by=event.by, students=students)
            found += 1
        elif isinstance(event, Reviewed):
            assert event.to == readers(event.visibility, TAKEN, by=event.by)
        elif isinstance(event, ExamSet):
            assert len(event.to) == 1
    assert found == 20


def test_a_seat_is_told_only_events_that_name_it(teach: Play) -> None:
    cast = talkative()
    teach(cast, max_rounds=2)
    for seat, player in cast.items():
        for request in player.seen:
            _only_its_own(seat, request)


def _only_its_own(seat: Seat, request: Request[Any]) -> None:
    for item in request.feed:
        assert isinstance(item, OwnReply) or seat in item.to


# The rule


@given(
    st.sampled_from([v for v in VISIBILITIES if v != "student"]),
    st.lists(st.sampled_from(TAKEN), unique=True),
    st.sampled_from(TAKEN),
)
def test_readers_are_taken_seats_in_their_order_without_the_speaker(
    visibility: Visibility, taken: list[Seat], by: Seat
) -> None:
    found = readers(visibility, taken, by=by)
    assert [seat for seat in taken if seat in found] == list(found)
    assert by not in found
    assert "expert" not in found
    if visibility in ("teacher", "teacher_private"):
        assert not [seat for seat in found if kind_of(seat) == "student"]
    if visibility != "student&patient":
        assert "patient" not in found


@given(st.sampled_from(student_seats(3)), st.sampled_from(TAKEN))
def test_what_is_between_a_student_and_the_expert_reaches_no_third(student: Seat, by: Seat) -> None:
    assert set(readers("student", TAKEN, by=by, students=[student])) <= {student, "expert"} - {by}


def test_a_line_to_the_expert_names_the_students_who_hear_it_and_no_other_line_does() -> None:
    with pytest.raises(ValueError, match="names who hears it"):
        readers("student", TAKEN, by="expert")
    with pytest.raises(ValueError, match="names who hears it"):
        readers("teacher", TAKEN, by="student_1", students=["student_1"])
