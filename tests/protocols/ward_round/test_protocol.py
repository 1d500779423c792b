"""The story of a round: who speaks when, what a rejection does, and how it ends."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from osler.cases.model import Case
from osler.core.contract import Player, Request
from osler.core.events import Noticed, Released, Seat
from osler.core.order_events import Resulted
from osler.core.trace import Trace
from osler.errors import BadInput
from osler.players.scripted import Scripted
from osler.protocols.ward_round.events import (
    Claimed,
    Covered,
    ExamSet,
    Reviewed,
    RoundBegan,
    RoundLine,
    Unguided,
)
from osler.protocols.ward_round.seats import Explanation, Explanations, wanted
from osler.protocols.ward_round.story import NO_GUIDANCE, NOT_ANSWERED
from osler.protocols.ward_round.views import exam_items
from osler.testing.cases import small_case
from osler.testing.players import Watching
from tests.protocols.ward_round.conftest import Play, cohort, episode, plain_cast, taught_case
from tests.protocols.ward_round.players import (
    ClockLoop,
    Failing,
    PlainExpert,
    PlainStudent,
    PlainTutor,
    Reviewer,
    Slow,
    everybody,
)

STUDENTS: tuple[Seat, ...] = ("student_1", "student_2", "student_3")


def lines(trace: Trace, part: str) -> list[RoundLine]:
    return [line for line in trace.of(RoundLine) if line.part == part]


def seats(trace: Trace) -> list[str]:
    return [row.seat for row in trace.rows]


def told(player: Watching) -> str:
    """All that a player was ever shown."""
    return repr([(request.view, request.feed) for request in player.seen])


def test_a_round_is_analyses_draft_reviews_actions_answers(teach: Play) -> None:
    cast = {**plain_cast(), "expert": PlainExpert(), "student_2": PlainStudent(to_expert="What is a cough?")}
    trace = teach(cast, max_rounds=1, order="fixed")
    assert trace.outcome.status == "completed"
    assert trace.outcome.reason == "the only round is over"
    assert seats(trace) == [
        *STUDENTS,  # the exam before
        *STUDENTS,
        "tutor",
        "specialist",
        "supervisor",
        *STUDENTS,
        "patient",
        "expert",
        *STUDENTS,  # the exam after
    ]
    parts = [line.part for line in trace.of(RoundLine)]
    assert parts == [
        "statement",
        *["analysis"] * 3,
        "draft",
        "guidance",
        *["question"] * 3,
        "query",
        "statement",
        "explanation",
    ]


@pytest.mark.parametrize("number", [1, 3, 10])
def test_the_longest_chain_of_a_round_is_five_for_any_cohort(number: int) -> None:
    """On a clock that only waiting moves, with every reply taking one second."""
    students: dict[Seat, Player] = {
        seat: PlainStudent(to_expert="What is a cough?")
        for seat in plain_cast(number)
        if seat.startswith("student")
    }
    cast = everybody(
        {**plain_cast(number), "expert": PlainExpert(), **students}, lambda p: Slow(p, seconds=1)
    )
    lasted = {}
    for rounds in (1, 2):
        loop = ClockLoop()
        trace = loop.run_until_complete(episode(number=number, max_rounds=rounds).play(cast))
        loop.close()
        assert trace.outcome.status == "completed"
        lasted[rounds] = loop.now
    exams = 2
    assert lasted == {1: exams + 5, 2: exams + 10}


def test_calls_of_a_round_are_two_a_student_three_a_draft_and_two_answers(teach: Play) -> None:
    student = PlainStudent(to_expert="What is a cough?")
    cast = {**plain_cast(), **dict.fromkeys(STUDENTS, student), "expert": PlainExpert()}
    trace = teach(cast, max_rounds=3)
    exams = 2 * 3
    assert trace.outcome.exchanges == exams + 3 * (2 * 3 + 3 * 1 + 2)


# Review


def test_a_rejected_draft_is_revised_and_only_the_approved_one_is_spoken(teach: Play) -> None:
    tutor = Watching(Scripted([_guidance("First?"), _guidance("Second?")]))
    supervisor = Reviewer("supervisor", rejects=1, feedback="Kinder, please.")
    trace = teach({**plain_cast(), "tutor": tutor, "supervisor": supervisor}, max_rounds=1)
    assert [line.text for line in lines(trace, "draft")] == ["First?", "Second?"]
    assert [line.text for line in lines(trace, "guidance")] == ["Second?"]
    assert [(r.by, r.approved, r.issue) for r in trace.of(Reviewed)] == [
        ("specialist", True, ""),
        ("supervisor", False, "tone"),
        ("specialist", True, ""),
        ("supervisor", True, ""),
    ]
    assert [wanted(request) for request in tutor.seen] == ["guide", "revise"]
    assert "Kinder, please." in repr(tutor.seen[1].feed)


def test_a_revision_keeps_images_and_history(teach: Play) -> None:
    tutor = Watching(PlainTutor())
    specialist = Reviewer("specialist", rejects=2)
    teach({**plain_cast(), "tutor": tutor, "specialist": specialist}, max_rounds=2)
    assert len(tutor.seen) == 4
    assert all(request.view == tutor.seen[0].view for request in tutor.seen)
    assert [image.name for image in tutor.seen[2].view.images] == ["Chest X-ray"]
    for earlier, later in zip(tutor.seen, tutor.seen[1:], strict=False):
        assert later.feed[: len(earlier.feed)] == earlier.feed


@pytest.mark.parametrize("seat", ["specialist", "supervisor"])
def test_without_approval_there_is_no_guidance_and_the_round_says_why(teach: Play, seat: Seat) -> None:
    students = {one: Watching(PlainStudent()) for one in STUDENTS}
    cast = {**plain_cast(), **students, seat: Reviewer(seat, rejects=99, feedback="zq-why-qz")}
    trace = teach(cast, max_rounds=2, max_drafts=3)
    assert trace.outcome.status == "completed"
    assert lines(trace, "guidance") == []
    assert len(lines(trace, "draft")) == 6
    assert [one.reason for one in trace.of(Unguided)] == [
        f"no draft of 3 was approved; the last was rejected by {seat}"
    ] * 2
    assert {(n.to, n.text) for n in trace.of(Noticed)} == {(STUDENTS, NO_GUIDANCE)}
    for student in students.values():
        seen = told(student)
        assert "zq-why-qz" not in seen
        assert PlainTutor().words not in seen
        assert NO_GUIDANCE in seen


@pytest.mark.parametrize("seat", ["specialist", "supervisor"])
@pytest.mark.parametrize("failure", [Failing(), Scripted([{"is_safe": "maybe"}] * 9)])
def test_a_reviewer_that_fails_is_no_approval(teach: Play, seat: Seat, failure: Player) -> None:
    students = {one: Watching(PlainStudent()) for one in STUDENTS}
    trace = teach({**plain_cast(), **students, seat: failure}, max_rounds=1)
    assert trace.outcome.status == "simulator_fault"
    assert trace.outcome.reason.startswith(f"{seat}: no valid reply in 3 attempts")
    assert lines(trace, "guidance") == []
    for student in students.values():
        assert "zq-secret-qz" not in told(student)
        assert PlainTutor().words not in told(student)


@pytest.mark.parametrize(
    "reply",
    [
        {"is_correct": False},
        {"is_correct": False, "feedback": "  "},
        {"is_correct": True, "is_safe": True},
        {},
    ],
)
def test_half_a_verdict_is_no_verdict(teach: Play, reply: dict[str, Any]) -> None:
    trace = teach({**plain_cast(), "specialist": Scripted([reply] * 3)}, max_rounds=1)
    assert trace.outcome.status == "simulator_fault"


# The patient


def test_the_last_answer_of_the_patient_stands_in_the_trace(teach: Play) -> None:
    trace = teach(plain_cast(), max_rounds=2)
    answers = [json.loads(row.reply)["answer"] for row in trace.rows if row.seat == "patient"]
    assert len(answers) == 2
    assert [line.text for line in lines(trace, "statement")][1:] == answers


def test_all_questions_of_a_round_are_answered_at_once(teach: Play) -> None:
    cast = {
        **plain_cast(),
        "student_1": PlainStudent(to_patient="When did it start?"),
        "student_2": PlainStudent(to_patient="What medicines do you take?"),
        "student_3": PlainStudent(to_patient=None),
    }
    trace = teach(cast, max_rounds=1)
    assert seats(trace).count("patient") == 1
    answer = lines(trace, "statement")[-1].text
    assert "five days ago" in answer
    assert "amlodipine" in answer
    assert {event.item for event in trace.of(Released)} == {"f1", "f3"}


def test_nobody_speaks_for_a_patient_who_was_not_asked(teach: Play) -> None:
    cast = {**plain_cast(), **dict.fromkeys(STUDENTS, PlainStudent(to_patient=None))}
    trace = teach(cast, max_rounds=2)
    assert "patient" not in seats(trace)
    assert [line.text for line in lines(trace, "statement")] == [taught_case().opening.words]


def test_a_patient_that_breaks_a_gate_is_a_fault_of_the_simulation(teach: Play) -> None:
    blurts = Scripted([{"answer": "A bottle of wine.", "revealed_facts": ["f4"]}] * 3)
    trace = teach({**plain_cast(), "patient": blurts}, max_rounds=1)
    assert trace.outcome.status == "simulator_fault"
    assert "fact f4 may not be told yet" in trace.outcome.reason


# The expert


def test_each_query_gets_its_own_answer_and_a_refusal_is_said_plainly(teach: Play) -> None:
    given = Explanations(
        explanations=(
            Explanation(answer_provided=True, explanation="Dullness is a flat sound."),
            Explanation(answer_provided=False),
        )
    )
    cast = {
        **plain_cast(),
        "expert": Scripted([given]),
        "student_1": PlainStudent(to_expert="What is dullness?"),
        "student_3": PlainStudent(to_expert="Should we order a CT for this patient?"),
    }
    trace = teach(cast, max_rounds=1, expert_heard_by="asker")
    assert [(line.to, line.text) for line in lines(trace, "explanation")] == [
        (("student_1",), "Dullness is a flat sound."),
        (("student_3",), NOT_ANSWERED),
    ]


def test_an_expert_who_answers_one_of_two_queries_has_not_answered(teach: Play) -> None:
    one = Explanations(explanations=(Explanation(answer_provided=True, explanation="Yes."),))
    student = PlainStudent(to_expert="What is dullness?")
    cast = {**plain_cast(), **dict.fromkeys(STUDENTS, student), "expert": Scripted([one] * 3)}
    assert teach(cast, max_rounds=1).outcome.status == "simulator_fault"


# Endings and faults


def test_the_round_ends_early_once_all_steps_are_covered(teach: Play) -> None:
    tutor = PlainTutor(covers=((1,), (2, 3), (1,)))
    confirming = Reviewer("specialist", confirms=True)
    trace = teach({**plain_cast(), "tutor": tutor, "specialist": confirming}, max_rounds=5)
    assert trace.outcome.reason == "all steps are covered"
    assert trace.outcome.counts["turns"] == 2
    assert [event.when for event in trace.of(ExamSet)] == ["before"] * 3 + ["after"] * 3


def test_a_tutor_ends_no_session_by_claiming_that_all_steps_are_covered(teach: Play) -> None:
    tutor = PlainTutor(covers=((1, 2, 3),) * 9)
    trace = teach({**plain_cast(), "tutor": tutor}, max_rounds=2)
    assert trace.outcome.reason == "all 2 rounds are over"
    assert not trace.of(Covered)


def test_a_step_counts_once_a_student_has_made_its_point(teach: Play) -> None:
    plan = taught_case().teaching
    assert plan
    said = PlainStudent(analysis=f"I would think this: {plan.steps[1].summary}")
    tutor = PlainTutor(covers=((1, 2, 3),) * 9)
    trace = teach({**plain_cast(), "tutor": tutor, "student_2": said}, max_rounds=2)
    assert [event.steps for event in trace.of(Covered)] == [(2,)]


def test_the_specialist_hears_what_the_students_said_of_a_claim_it_is_to_confirm(teach: Play) -> None:
    specialist = Watching(Reviewer("specialist", confirms=True))
    cast = {**plain_cast(), "tutor": PlainTutor(covers=((3,),)), "specialist": specialist}
    trace = teach(cast, max_rounds=1)
    (claim,) = [item for item in specialist.seen[0].feed if isinstance(item, Claimed)]
    assert [step.number for step in claim.steps] == [3]
    assert all("I am thinking." in said for said in claim.said)
    assert [event.steps for event in trace.of(Covered)] == [(3,)]


def test_the_chart_unfolds_round_by_round_and_is_complete_before_the_last_exam(teach: Play) -> None:
    student = Watching(PlainStudent())
    teach({**plain_cast(), "student_1": student}, max_rounds=2)
    chart = [[item.name for item in asked.feed if isinstance(item, Resulted)] for asked in student.seen]
    assert chart[0] == [], "nothing is shown before the first exam"
    kinds = {finding.name: finding.kind for finding in taught_case().findings}
    assert {kinds[name.split(" (")[0]] for name in chart[1]} == {"examination"}
    results = [item for item in student.seen[-1].feed if isinstance(item, Resulted)]
    assert all(item.finding_kind == kinds[item.name.split(" (")[0]] for item in results)
    assert len(chart[-1]) > len(chart[1])
    shown = {name.split(" (")[0] for name in chart[-1]}
    assert shown <= set(kinds)
    assert not student.seen[0].view.chart
    assert not student.seen[0].view.images


def test_steps_covered_by_a_draft_that_was_not_spoken_do_not_count(teach: Play) -> None:
    tutor = PlainTutor(covers=((1, 2, 3),) * 9)
    cast = {**plain_cast(), "tutor": tutor, "specialist": Reviewer("specialist", rejects=99)}
    assert teach(cast, max_rounds=2).outcome.reason == "all 2 rounds are over"


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        ({"guidance": "What now?"}, "expected <think_history>, found the end"),
        ({"internal_monologue": "x", "guidance": "What now?"}, "expected <think_history>, found 'x'"),
        ({"guidance": ""}, "guidance"),
        ("step 4", "there is no step 4, they are numbered 1 to 3"),
        ("two", "expected one guiding statement"),
    ],
)
def test_a_tutor_who_cannot_keep_the_contract_has_played_invalidly(
    teach: Play, bad: dict[str, Any] | str, says: str
) -> None:
    if bad == "step 4":
        bad = {**_guidance("What now?"), "covered_steps": [4]}
    if bad == "two":
        bad = _guidance("What now?\n\nAnd then?")
    tutor = Watching(Scripted([bad] * 3))  # type: ignore[list-item]
    trace = teach({**plain_cast(), "tutor": tutor}, max_rounds=1)
    assert trace.outcome.status == "invalid_play"
    assert trace.outcome.reason.startswith("tutor: no valid reply in 3 attempts")
    assert says in trace.outcome.reason
    assert says in repr(tutor.seen[1].feed[-1])  # the tutor is told exactly what was wrong


@pytest.mark.parametrize("seat", ["student_2", "patient"])
def test_any_other_seat_that_fails_is_a_fault_of_the_simulation(teach: Play, seat: Seat) -> None:
    trace = teach({**plain_cast(), seat: Failing()}, max_rounds=1)
    assert trace.outcome.status == "simulator_fault"
    assert trace.outcome.reason.startswith(seat)


@pytest.mark.parametrize(
    "answers",
    [
        {},
        {"case": "x", "sibling-1": "B", "sibling-2": "Z", "step-1": "", "step-2": "", "step-3": ""},
        {
            "case": "x",
            "sibling-1": "B",
            "sibling-2": "C",
            "step-1": "",
            "step-2": "",
            "step-3": "",
            "bonus": "",
        },
    ],
)
def test_an_exam_is_answered_item_by_item(teach: Play, answers: dict[str, str]) -> None:
    cast = {**plain_cast(), "student_1": Scripted([{"answers": answers}] * 3)}
    trace = teach(cast, max_rounds=1)
    assert trace.outcome.status == "simulator_fault"
    assert "answers: " in trace.outcome.reason


# Cohorts and ablations


@pytest.mark.parametrize("number", range(1, 11))
def test_any_cohort_of_one_to_ten(teach: Play, number: int) -> None:
    trace = teach(plain_cast(number), number=number, max_rounds=2)
    assert trace.outcome.status == "completed"
    assert len(lines(trace, "analysis")) == 2 * number


@pytest.mark.parametrize("absent", ["patient", "specialist", "supervisor", "expert", "all"])
def test_a_seat_may_be_left_out(teach: Play, absent: str) -> None:
    others = ("patient", "specialist", "supervisor", "expert")
    gone = others if absent == "all" else (absent,)
    student = Watching(PlainStudent(to_patient=None if "patient" in gone else "When did it start?"))
    cast = {seat: player for seat, player in plain_cast().items() if seat not in gone}
    trace = teach({**cast, "student_1": student, "student_2": PlainStudent(to_patient=None)} | _quiet(gone))
    assert trace.outcome.status == "completed"
    assert not set(gone) & set(seats(trace))
    assert len(lines(trace, "guidance")) == 3
    heard_complaint = taught_case().opening.words in told(student)
    assert heard_complaint


def _quiet(gone: tuple[str, ...]) -> dict[Seat, Player]:
    return {"student_3": PlainStudent(to_patient=None)} if "patient" in gone else {}


def test_a_question_to_nobody_is_refused(teach: Play) -> None:
    cast = {seat: player for seat, player in plain_cast().items() if seat != "patient"}
    trace = teach(cast, max_rounds=1)
    assert trace.outcome.status == "simulator_fault"
    assert "there is no patient to ask" in trace.outcome.reason


def test_without_private_thought_none_is_wanted_and_none_is_allowed(teach: Play) -> None:
    assert teach(plain_cast(), max_rounds=1, private_thought=False).outcome.status == "completed"
    cast = {**plain_cast(), "tutor": Scripted([_guidance("What now?")] * 3)}
    assert teach(cast, max_rounds=1, private_thought=False).outcome.status == "invalid_play"


def test_the_tutor_gets_the_steps_of_the_case(teach: Play) -> None:
    tutor = Watching(PlainTutor())
    teach({**plain_cast(), "tutor": tutor}, max_rounds=1)
    plan = taught_case().teaching
    assert plan
    assert [step.summary for step in tutor.seen[0].view.steps] == [step.summary for step in plan.steps]


def test_a_step_names_the_image_it_is_about(teach: Play) -> None:
    plan = taught_case().teaching
    assert plan
    about = (plan.steps[0], plan.steps[1].model_copy(update={"image": "x2"}), plan.steps[2])
    case = taught_case().model_copy(update={"teaching": plan.model_copy(update={"steps": about})})
    tutor, student = Watching(PlainTutor()), Watching(PlainStudent())
    teach({**plain_cast(), "tutor": tutor, "student_1": student}, case=case, max_rounds=1)
    assert [step.image for step in tutor.seen[0].view.steps] == [None, "image-1", None]
    shown = [item.name for item in student.seen[-1].feed if isinstance(item, Resulted)]
    assert "Chest X-ray (image-1)" in shown


def test_a_case_without_steps_cannot_be_taught(teach: Play) -> None:
    with pytest.raises(BadInput, match="test-01: the case has no steps to teach by"):
        teach(plain_cast(), case=small_case())


def test_a_cohort_that_cannot_be_taught_is_refused(teach: Play) -> None:
    twins = (*cohort(2), cohort(1)[0])
    with pytest.raises(BadInput, match="two students are called Ann"):
        asyncio.run(_with_cohort(twins).play(plain_cast()))
    with pytest.raises(BadInput, match="1 to 10 students, not 0"):
        asyncio.run(_with_cohort(()).play(plain_cast()))
    with pytest.raises(BadInput, match="no player sits as student_3"):
        teach(plain_cast(2))


def test_an_exam_leaves_out_what_names_the_answer() -> None:
    plan = taught_case().teaching
    assert plan
    stem = plan.siblings[0].model_copy(update={"stem": "A man has pneumonia. What now?"})
    leaky = plan.model_copy(update={"siblings": (stem, plan.siblings[1])})
    case = Case.model_validate({**taught_case().model_dump(), "teaching": leaky.model_dump()})
    ids = [item.id for item in exam_items(case, with_steps=True)]
    assert ids == ["case", "step-1", "step-2", "step-3", "sibling-2"]
    assert [item.id for item in exam_items(case, with_steps=False)] == ["case", "sibling-2"]


def test_rounds_are_counted_down(teach: Play) -> None:
    trace = teach(plain_cast(), max_rounds=3)
    assert [(event.round, event.rounds_left) for event in trace.of(RoundBegan)] == [(1, 2), (2, 1), (3, 0)]


def _guidance(words: str) -> dict[str, Any]:
    """A guidance that keeps the contract for three students and an image."""
    names = "".join(f'<think_student student_id="{s.name}">x</think_student>' for s in cohort())
    tags = f"<think_history>x</think_history><think_question>x</think_question>{names}"
    tags += "<think_group>x</think_group><think_image>x</think_image>"
    return {"internal_monologue": tags, "guidance": words}


def _with_cohort(students: Any) -> Any:
    whole = episode()
    return type(whole)(0, whole.case, whole.persona, tuple(students), whole.settings, whole.seed)


def test_a_request_says_what_is_wanted(teach: Play) -> None:
    student = Watching(PlainStudent())
    teach({**plain_cast(), "student_1": student}, max_rounds=1)
    acts: list[Request[Any]] = student.seen
    assert [wanted(request) for request in acts] == ["exam", "analyse", "act", "exam"]
