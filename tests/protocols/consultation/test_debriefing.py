"""The debriefing: short first, fair throughout, each item under one heading only."""

from __future__ import annotations

from itertools import chain
from typing import Any, NamedTuple

import pytest

from osler.cases.model import Case, Contraindicated, KeyFeature, Management, SafetyAction, StepPart
from osler.cases.sources import open_source
from osler.core.debriefing import YOU, Debriefing, Ended
from osler.core.events import Said
from osler.core.order_events import Ordered, Taken
from osler.core.trace import Trace
from osler.judging.contests import Contest, accepted_in
from osler.protocols.consultation import debriefing as records
from osler.protocols.consultation.debriefing_moments import MOMENTS, NEXT
from osler.protocols.consultation.judge.built_in import judge
from osler.protocols.consultation.seats import Ask, ExaminationReply, Finalize
from osler.reports.debriefing import in_words, moment_words, sections_in_words
from tests.judging.episodes import asked, case_of, ordered, trace_with, turn


def debriefed(case: Case, trace: Trace, *contests: Contest, reader: str = "doctor") -> Debriefing:
    verdict = judge(case, trace, options_shown=False).stored
    found = records.debriefing(Ended(case, trace, (verdict,), accepted_in(contests), reader))
    assert found
    return found


def whole(case: Case, trace: Trace, *contests: Contest) -> dict[str, list[str]]:
    """The entries of each section by its name."""
    return sections_in_words(debriefed(case, trace, *contests), contests)


class Short(NamedTuple):
    """The short form in words: each moment as the quote and what it did."""

    sentence: str
    moments: list[tuple[str, str]]
    next_time: list[str]


def short(case: Case, trace: Trace) -> Short:
    found = debriefed(case, trace)
    moments = [moment_words(one, YOU) for one in found.moments]
    return Short(in_words(found.sentence, YOU), moments, [in_words(one, YOU) for one in found.next_time])


def spoken(*lines: tuple[str, str], final: Finalize) -> Trace:
    """Questions with the patient's replies, one turn each."""
    exchanges = []
    for n, (said, reply) in enumerate(lines, 1):
        heard = Said(minute=n, by="doctor", text=said), Said(minute=n, by="patient", text=reply)
        exchanges.append(([turn(n), *heard], "doctor", Ask(question=said)))
    return trace_with(*exchanges, final=final)


def with_plan(**changes: Any) -> Case:
    plan = case_of().management
    assert plan is not None
    return case_of(management=Management.model_validate({**plan.model_dump(), **changes}))


def test_the_short_form_is_a_sentence_three_moments_and_what_to_do() -> None:
    final = Finalize(diagnosis="Pulmonary embolism", plan=("apixaban today",))
    told = short(case_of(), trace_with(asked("Any travel?", "flight"), ordered("CTPA", "ctpa"), final=final))
    assert told.sentence == "Right: Pulmonary embolism, and you named a decisive step: Anticoagulate."
    assert [quote for quote, _ in told.moments] == ["Any travel?", "CTPA", "apixaban today"]
    assert "Flew for eleven hours" in told.moments[0][1]
    assert 0 < len(told.next_time) <= NEXT
    assert told.next_time[0].startswith("Before the conclusion, get: Heart rate")


def test_a_wrong_answer_is_told_with_the_right_one_and_what_was_done_well() -> None:
    final = Finalize(diagnosis="Pneumonia", plan=("glyceryl trinitrate",))
    told = short(case_of(), trace_with(asked("Any travel?", "flight"), final=final))
    assert told.sentence.startswith(
        "Pneumonia was not recognized as the answer, which is Pulmonary embolism, but you"
    )
    assert any("would harm" in effect for _, effect in told.moments)
    assert told.next_time[0].startswith("Leave out what harms")


def test_a_feeling_not_taken_up_is_a_moment_without_a_verdict() -> None:
    trace = spoken(("What is it?", "I'm terrified."), ("Any fever?", "No."), final=Finalize(diagnosis="PE"))
    assert whole(case_of(), trace)["look_back"] == ['turn 1: "I\'m terrified." - then: "Any fever?"']


def test_where_no_result_is_marked_those_that_were_there_are_named_without_a_verdict() -> None:
    whole_case = case_of()
    plain = tuple(finding.model_copy(update={"key": False}) for finding in whole_case.findings)
    imported = case_of(workup=None, findings=plain)
    trace = trace_with(final=Finalize(diagnosis="PE"))
    found = whole(imported, trace)
    assert found["there"] == [finding.name for finding in plain], "by name, not what they show"
    assert "there" not in whole(whole_case, trace)


def test_what_was_ordered_and_is_not_back_is_neither_missed_nor_left_out() -> None:
    order = [
        turn(1),
        Ordered(minute=1, order=1, name="CTPA"),
        Taken(minute=1, order=1, name="CT pulmonary angiogram", ready_minute=60),
    ]
    match = ExaminationReply(
        findings=("ctpa",), match_type="alias", matched_test_name="CT pulmonary angiogram"
    )
    case, final = case_of(), Finalize(diagnosis="PE")
    trace = trace_with((order, "examination", match), final=final)
    found = whole(case, trace)
    assert found["not_back"] == ["CT pulmonary angiogram"]
    others = chain.from_iterable(found[name] for name in found.keys() - {"not_back", "score"})
    assert not any("CT pulmonary angiogram" in line for line in others)
    assert judge(case, trace, options_shown=False).scores["exam_recall"].value == 0.5
    assert any("had not come back" in line for line in short(case, trace).next_time)


RESUSCITATE = KeyFeature(
    id="resus",
    what="Resuscitate now",
    terms=("large-bore access", "crossmatch"),
    parts=(
        StepPart(what="Access", terms=("large-bore access",)),
        StepPart(what="Blood", terms=("crossmatch",)),
    ),
    critical=True,
)


@pytest.mark.parametrize(
    ("plan", "share", "missed"),
    [
        (("crossmatch",), 0.5, ("Resuscitate now (1 of 2 parts)",)),
        (("crossmatch", "large-bore access"), 1.0, ()),
        (("nil by mouth",), 0.0, ("Resuscitate now",)),
    ],
)
def test_a_step_of_several_parts_is_met_in_its_parts(
    plan: tuple[str, ...], share: float, missed: tuple[str, ...]
) -> None:
    case = with_plan(key_features=(RESUSCITATE,), contraindicated=())
    trace = trace_with(final=Finalize(diagnosis="PE", plan=plan))
    scores = judge(case, trace, options_shown=False).scores
    assert scores["management_met"].value == share
    assert scores["critical_missed"].evidence == missed
    in_part = whole(case, trace).get("steps_in_part", [])
    assert len(in_part) == (share == 0.5)


def test_an_unnecessary_test_is_not_called_harmful_and_stands_once() -> None:
    d_dimer = Contraindicated(name="D-dimer", terms=("d-dimer",), why="answers nothing", class_="unnecessary")
    treadmill = Contraindicated(name="exercise test", terms=("treadmill",), why="may cause collapse")
    work = case_of().workup
    assert work is not None
    case = case_of(workup=work.model_copy(update={"contraindicated": (d_dimer, treadmill)}))
    final = Finalize(diagnosis="PE", plan=("D-dimer", "treadmill"))
    found = whole(case, trace_with(ordered("D-dimer"), final=final))
    assert found["unnecessary"] == ['D-dimer - "D-dimer" - answers nothing']
    assert found["harmful_tests"] == ['exercise test - "treadmill" - may cause collapse']
    assert "harmful_acts" not in found
    assert judge(case, trace_with(final=final), options_shown=False).scores["unsafe_acts"].value == 1


@pytest.mark.parametrize(
    ("plan", "met"),
    [
        ("don't drive", True),
        ("No driving for a week", True),
        ("do you drive", True),
        ("no need to ask about driving", False),
        ("she does not drive", False),
        ("rest", False),
    ],
)
def test_advising_against_an_activity_speaks_of_it(plan: str, met: bool) -> None:
    driving = SafetyAction(id="d", what="Ask about driving", terms=("drive", "driving"), why="risk")
    case = case_of(safety=(driving,))
    trace = trace_with(final=Finalize(diagnosis="PE", plan=(plan,)))
    assert judge(case, trace, options_shown=False).scores["safety_done"].value == met


@pytest.mark.parametrize(
    "said", ["Is anyone hurting you at home?", "has anybody hurt you", "do you feel safe"]
)
def test_a_question_about_safety_counts_as_asked_however_it_is_inflected(said: str) -> None:
    action = SafetyAction(
        id="s", what="Asks whether she is safe", terms=("hurt you", "feel safe"), why="harm"
    )
    case = case_of(safety=(action,))
    trace = spoken((said, "No."), final=Finalize(diagnosis="PE"))
    assert whole(case, trace)["safety_done"] == [f'Asks whether she is safe - "{said}" - harm']


OXYGEN = Contest("oxygen", "Oxygen if hypoxic", "I put her on oxygen first")


def told_of_oxygen(found: dict[str, list[str]]) -> list[str]:
    """The lines under the step about oxygen, wherever it stands."""
    entries = chain.from_iterable(found.values())
    (entry,) = [one for one in entries if one.startswith("Oxygen if hypoxic")]
    return entry.splitlines()[1:]


def test_what_was_contested_stands_beside_its_verdict_and_makes_a_second_figure() -> None:
    case, trace = case_of(), trace_with(final=Finalize(diagnosis="PE", plan=("apixaban",)))
    assert told_of_oxygen(whole(case, trace)) == []

    waits = whole(case, trace, OXYGEN)
    assert told_of_oxygen(waits) == ['objection: "I put her on oxygen first"', "waits for a teacher"]
    assert waits["score"] == whole(case, trace)["score"]

    yes = whole(case, trace, OXYGEN._replace(answer="accept", by="Dr Roe"))
    assert told_of_oxygen(yes)[-1] == "accepted by Dr Roe"
    by_rule = "decisive steps named: 50%\nmissed: "
    assert any(line.startswith(by_rule) for line in yes["score"]), "the verdict by rule stays as it was"
    assert yes["score"][-1] == "decisive steps named, with what a teacher accepted: 100%"

    no = whole(case, trace, OXYGEN._replace(answer="refuse", by="Dr Roe", comment="not heard"))
    assert told_of_oxygen(no)[-1] == "refused by Dr Roe: not heard"
    assert not any("accepted" in line for line in no["score"])


def test_a_safety_step_may_be_contested_too() -> None:
    case, trace = case_of(), trace_with(final=Finalize(diagnosis="PE"))
    (action, *_) = case.safety or ()
    said = Contest(action.id, action.what, "I asked that at the door")
    found = whole(case, trace, said)["safety_missed"]
    assert any('objection: "I asked that at the door"' in one for one in found)


def test_a_part_of_the_follow_up_may_be_contested_too_and_makes_a_second_figure() -> None:
    case, trace = case_of(), trace_with(final=Finalize(diagnosis="PE"))
    missed = whole(case, trace)["follow_up_missed"]
    back = Contest("follow_up_back", "when to come back, or whom to call", "I told her when to ring")
    waits = whole(case, trace, back)["follow_up_missed"]
    assert (
        'when to come back, or whom to call\nobjection: "I told her when to ring"\nwaits for a teacher'
        in waits
    )
    yes = whole(case, trace, back._replace(answer="accept", by="Dr Roe"))
    share = f"{1 / len(missed):.0%}"
    assert yes["score"][-1] == f"follow-up named, with what a teacher accepted: {share}"


def test_the_guideline_is_told_once_with_its_year() -> None:
    final = trace_with(final=Finalize(diagnosis="PE"))
    assert whole(case_of(), final)["guideline"] == ["A guideline (2019; text not checked)"]
    for case in open_source("library"):
        assert case.guideline
        (line,) = whole(case, final)["guideline"]
        assert line.count(f"({case.guideline.year}") == 1, "the year stands once"
        assert line not in whole(case, final).get("sources", [])


def test_no_heading_is_empty_and_the_short_form_is_short() -> None:
    trace = trace_with(final=Finalize(diagnosis="Anxiety", plan=("rest",), followup="home"))
    for case in open_source("library"):
        assert all(whole(case, trace).values())
        told = short(case, trace)
        assert told.sentence.endswith(".")
        assert len(told.moments) <= MOMENTS
        assert len(told.next_time) == NEXT


def test_only_the_doctor_can_contest_and_only_what_was_not_recognized() -> None:
    case, trace = case_of(), trace_with(final=Finalize(diagnosis="PE", plan=("apixaban",)))
    found = debriefed(case, trace)
    for part in found.sections:
        assert all(one.contestable == (part.kind == "missed") for one in part.entries if one.item)
    to_patient = debriefed(case, trace, reader="patient")
    assert not to_patient.contestable


def test_the_person_is_chosen_where_it_is_shown_and_the_case_keeps_its_words() -> None:
    plain = case_of()
    fact = plain.facts[0].model_copy(update={"text": "You {you} said your {} pain came on.", "key": True})
    case = case_of(facts=(fact, *plain.facts[1:]))
    found = debriefed(case, trace_with(asked("Any travel?", fact.id), final=Finalize(diagnosis="PE")))
    for reader, heading in (("doctor", "You found out"), ("patient", "The doctor found out")):
        read = found._replace(reader=reader)
        (part,) = [one for one in read.sections if one.name == "elicited"]
        assert in_words(part.heading, read.person) == heading
        assert fact.text in sections_in_words(read)["elicited"], "nobody rewords what the case says"
