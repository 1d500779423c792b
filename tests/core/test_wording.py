"""How events read: one wording for each, whoever reads it; and events of a package that nobody knows."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Literal

import pytest
from pydantic import Field

from osler.core import order_events, wrapper_events
from osler.core.events import Event, Noticed, Said
from osler.core.order_events import Ordered, Resulted, Taken
from osler.core.protocol import Protocol
from osler.core.registry import OURS, protocol_named
from osler.core.trace import ExchangeRow, Outcome, Trace, trace_of
from osler.core.wording import KERNEL_WORDS, Wording, Words, clock, said, spoken_line, wordings
from osler.errors import Status
from osler.judging.lines import as_examined, lines_of
from osler.protocols.consultation import events as consultation_events
from osler.protocols.consultation.protocol import PROTOCOL as CONSULTATION
from osler.protocols.scenario import events as scenario_events
from osler.protocols.ward_round import events as round_events
from osler.protocols.ward_round.events import ExamItem, ExamSet, RoundLine
from osler.protocols.ward_round.protocol import PROTOCOL as WARD_ROUND
from osler.reports.transcript import transcript_lines


class HandedOver(Event):
    """A nurse hands a patient over."""

    kind: Literal["keys_handed_over"] = "keys_handed_over"
    by: str
    problem: str
    vitals: dict[str, str] = Field(default_factory=dict)
    items: tuple[ExamItem, ...] = ()


HANDED = HandedOver(
    minute=3,
    by="giver",
    problem="short of breath",
    vitals={"pulse": "110"},
    items=(ExamItem(id="1", question="?"),),
)


def trace_with(*events: Event) -> Trace:
    told = f"[{','.join(event.line for event in events)}]"
    rows = [ExchangeRow(1, "tutor", "", told, "{}", "[]")]
    return trace_of(rows, Outcome(Status.COMPLETED, "", 0, 1, {}, "[]"))


def shown(protocol: Protocol, *events: Event) -> list[tuple[str, str, str]]:
    return list(transcript_lines(trace_with(*events), protocol))


def test_every_event_of_ours_has_words_in_the_protocols_that_tell_it() -> None:
    modules = (consultation_events, order_events, round_events, scenario_events, wrapper_events)
    ours = {
        kind
        for module in modules
        for kind in vars(module).values()
        if isinstance(kind, type) and issubclass(kind, Event) and kind is not Event
    }
    worded = {*KERNEL_WORDS, *(kind for name in OURS for kind in protocol_named(name).words)}
    assert ours <= worded


def test_an_event_without_words_is_shown_by_kind_and_fields_and_judged_by_nobody() -> None:
    assert shown(WARD_ROUND, HANDED) == [
        (
            "0:03",
            "keys handed over",
            "by: giver; problem: short of breath; vitals: pulse 110; items: id 1, question ?",
        )
    ]
    trace = trace_with(HANDED)
    assert lines_of(trace, CONSULTATION) == ()
    assert lines_of(trace, CONSULTATION, as_examined) == ()


def test_words_that_a_protocol_gives_reach_the_screen_and_the_checklists_judge() -> None:
    own = replace(
        WARD_ROUND,
        under_test="giver",
        words={HandedOver: lambda event: said(event.by, f"The problem is {event.problem}.")},
    )
    assert shown(own, HANDED) == [("0:03", "giver", "The problem is short of breath.")]
    lines = lines_of(trace_with(HANDED), own, as_examined)
    assert [(line.source, line.text) for line in lines] == [("examinee", "The problem is short of breath.")]


def test_several_wordings_of_one_event_are_several_lines_and_none_is_none() -> None:
    several: Words = {HandedOver: lambda event: [Wording("", "a", "1"), Wording("", "b", "2")]}
    assert [line.kind for line in wordings(HANDED, several)] == ["a", "b"]
    assert wordings(HANDED, {HandedOver: lambda event: None}) == ()


def test_a_protocol_may_put_an_event_of_the_kernel_into_words_of_its_own() -> None:
    notice = Noticed(minute=0, text="too late")
    assert wordings(notice, {})[0].kind == "notice"
    assert wordings(notice, {Noticed: lambda event: said("moderator", event.text)})[0].label == "moderator"


def test_an_exam_that_each_student_is_set_alike_is_shown_once() -> None:
    exams = [
        ExamSet(minute=0, to=(f"student_{n}",), when=when, items=(ExamItem(id="1", question="?"),))
        for when in ("before", "after")
        for n in (1, 2, 3)
    ]
    assert [words.split()[0] for _, who, words in shown(WARD_ROUND, *exams) if who == "exam"] == [
        "before",
        "after",
    ]


def test_the_same_words_said_twice_are_shown_twice() -> None:
    again = Said(minute=0, by="patient", text="It hurts.")
    assert len(shown(CONSULTATION, again, again)) == 2


def test_what_only_some_may_read_is_shown_on_screens_and_to_no_judge() -> None:
    talk = [
        RoundLine(minute=0, part=part, by=by, speaker=name, visibility="teacher", text=part)
        for part, by, name in (
            ("statement", "patient", "Patient"),
            ("analysis", "student_1", "Ann"),
            ("draft", "tutor", "Tutor"),
            ("guidance", "tutor", "Tutor"),
            ("query", "student_1", "Ann"),
            ("explanation", "expert", "Expert"),
        )
    ]
    assert [who for _, who, _ in shown(WARD_ROUND, *talk)] == [
        "patient",
        "Ann, to the tutor",
        "draft",
        "tutor",
        "Ann, to the expert",
        "expert",
    ]
    assert [line[1:] for line in lines_of(trace_with(*talk), WARD_ROUND)] == [
        ("patient", "statement"),
        ("student", "Ann: analysis"),
        ("tutor", "guidance"),
    ]


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (Said(minute=0, by="patient", text="It hurts."), "Patient: It hurts."),
        (Noticed(minute=0, text="Not now."), "! Not now."),
        (Ordered(minute=0, order=1, name="ECG"), "[order] ECG"),
        (Taken(minute=5, order=1, name="ECG", ready_minute=15), "[order] ECG will be ready at 0:15"),
        (Resulted(minute=15, order=1, name="ECG", returned=True, text="normal"), "[result] ECG: normal"),
        (
            scenario_events.Acted(minute=0, actions=("listen to the chest",)),
            "Examinee does: listen to the chest",
        ),
        (
            scenario_events.Spoke(minute=0, by="patient", who="Mother", text="Help him!"),
            "Mother: Help him!",
        ),
    ],
)
def test_a_person_reads_one_line_for_a_wording(event: Event, line: str) -> None:
    words = {**CONSULTATION.words, **protocol_named("scenario").words}
    assert [spoken_line(one) for one in wordings(event, words)] == [line]


def test_time_is_told_by_the_day_from_the_second_on() -> None:
    assert [clock(minute) for minute in (0, 65, 24 * 60 + 5)] == ["0:00", "1:05", "day 2 0:05"]


def test_a_conclusion_reads_the_same_for_screens_and_judges() -> None:
    final = {
        "action": "FINALIZE",
        "diagnosis": "Gout",
        "answer": "B",
        "confidence": 0.7,
        "evidence": ["red toe"],
        "plan": ["rest"],
        "followup": "",
    }
    rows = [ExchangeRow(1, "doctor", "", "[]", json.dumps(final), "[]")]
    trace = trace_of(rows, Outcome(Status.COMPLETED, "", 0, 1, {}, "[]"))
    assert [line[1:] for line in transcript_lines(trace, CONSULTATION)] == [
        ("diagnosis", "Gout"),
        ("answer", "B"),
        ("confidence", "70%"),
        ("evidence", "red toe"),
        ("plan", "rest"),
    ]
    assert [line[1:] for line in lines_of(trace, CONSULTATION)] == [
        ("diagnosis", "Gout"),
        ("diagnosis", "answer: B"),
        ("evidence", "red toe"),
        ("plan", "rest"),
    ]
    assert [line.text for line in lines_of(trace, CONSULTATION, as_examined)] == [
        "diagnosis: Gout",
        "answer: B",
        "evidence: red toe",
        "plan: rest",
    ]
