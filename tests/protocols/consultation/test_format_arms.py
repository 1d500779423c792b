"""The same case as vignette, one statement, conversation, summary and whole record: what each arm shows."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest

from osler.cases.personas import persona
from osler.core.contract import OwnReply, Request
from osler.core.events import Released, Said, TurnBegan
from osler.core.factory import PlayerRequest
from osler.core.order_events import Ordered, Resulted
from osler.core.trace import Trace
from osler.errors import BadInput
from osler.judging.scores import scores_in
from osler.players.casting import casting_of
from osler.players.scripted import Scripted
from osler.protocols.consultation.casting import BUILT_IN
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.episode import Episode
from osler.protocols.consultation.events import Presented
from osler.protocols.consultation.measures import SCORES
from osler.protocols.consultation.players.summarizer import BaselineSummarizer
from osler.protocols.consultation.protocol import PROTOCOL
from osler.protocols.consultation.seats import Ask, Finalize, RequestTest, ToldView, Wait
from osler.protocols.consultation.settings import Arm, Limits, Settings
from osler.protocols.consultation.story import TELL_ALL, TOLD, conclusion_of
from osler.testing.cases import canary_case, small_case
from osler.testing.players import Watching
from tests.protocols.consultation.conftest import Play
from tests.protocols.consultation.test_canary import marks, shown

ARMS: tuple[Arm, ...] = get_args(Arm)
AT_ONCE: tuple[Arm, ...] = ("vignette", "single", "one-step")
DONE = Finalize(diagnosis="Pneumonia", confidence=0.9)


class TwoWays:
    """Plays a script in the consultation, and concludes with something else when told of the patient."""

    name = "two-ways"
    durable = False

    def __init__(self, *moves: Any, then: Finalize) -> None:
        self._script, self._then = Scripted(moves), then

    async def reply(self, request: Request[Any]) -> Any:
        return self._then if isinstance(request.view, ToldView) else await self._script.reply(request)


def settings(arm: str, **more: Any) -> Settings:
    return Settings.model_validate({"format_arm": arm, **more})


def met(consult: Play, arm: str, case: Any = None, **players: Any) -> tuple[Trace, Watching]:
    """What is recorded in an arm, and the doctor who was watched in it."""
    doctor = Watching(players.pop("doctor", None) or Scripted([DONE]))
    players.setdefault("summarizer", BaselineSummarizer() if arm == "summarized" else None)
    trace = consult(case or small_case(), settings=settings(arm), doctor=doctor, consultant=None, **players)
    return trace, doctor


def scores(trace: Trace, arm: str) -> Any:
    episode = Episode(0, small_case(), persona("plain"), settings(arm), "0")
    return scores_in(json.loads(PROTOCOL.judge(episode, trace)[2]))


def test_the_usual_arm_leaves_no_trace_in_settings_and_configurations() -> None:
    assert "format_arm" not in Settings().model_dump_json()
    assert {"summarizer", "synthesizer"}.isdisjoint(RunConfig().model_dump(mode="json"))
    assert settings("vignette").model_dump_json() != Settings().model_dump_json()


@pytest.mark.parametrize("arm", AT_ONCE)
def test_a_case_told_at_once_is_concluded_in_one_turn(consult: Play, arm: str) -> None:
    trace, doctor = met(consult, arm)
    (request,) = doctor.seen
    (turn,) = [item for item in request.feed if isinstance(item, TurnBegan)]
    assert turn.last_chance
    assert turn.turns_left == 0
    assert isinstance(request.view, ToldView)
    assert trace.outcome.status == "completed"
    assert (conclusion_of(trace) or {})["diagnosis"] == "Pneumonia"


def test_a_vignette_is_the_whole_case_as_one_text(consult: Play) -> None:
    trace, doctor = met(consult, "vignette")
    (told,) = [item for item in doctor.seen[0].feed if isinstance(item, Presented)]
    case = small_case()
    assert all(fact.text.rstrip(".") in told.text for fact in case.facts)
    assert all(finding.result in told.text for finding in case.findings)
    assert not trace.of(Resulted)
    assert not [said for said in trace.of(Said) if said.by == "doctor"]
    released = {event.item for event in trace.of(Released)}
    assert released == {one.id for one in case.facts} | {one.id for one in case.findings}


def test_one_step_gives_every_result_as_a_result_and_the_old_notes(consult: Play) -> None:
    trace, doctor = met(consult, "one-step")
    results = {item.name: item.text for item in doctor.seen[0].feed if isinstance(item, Resulted)}
    assert results.keys() == {
        "Respiratory examination",
        "Chest X-ray",
        "Complete blood count",
        "Medical records",
    }
    assert "penicillin rash" in results["Medical records"]
    released = {event.item for event in trace.of(Released)}
    assert released == {fact.id for fact in small_case().facts} | {"x1", "x2", "x3"}
    assert not trace.of(Ordered)


def test_a_single_statement_holds_what_the_patient_would_tell_and_no_more(consult: Play) -> None:
    trace, doctor = met(consult, "single")
    said = [item.text for item in doctor.seen[0].feed if isinstance(item, Said)]
    words = " ".join(said)
    assert "five days ago" in words
    assert "fever" in words
    assert "amlodipine" in words
    assert "wine" not in words, "told in confidence only"
    assert "penicillin" not in words
    assert "Crackles" not in words
    assert TELL_ALL not in words
    assert [event.item for event in trace.of(Released)] == ["f1", "f2", "f3", "f5"]


def test_a_summary_stands_alone_and_holds_what_was_told_and_nothing_else(consult: Play) -> None:
    moves = [Ask(question="When did the cough start?"), RequestTest(test_name="CXR"), Wait(), DONE]
    last = Finalize(diagnosis="Lobar pneumonia")
    trace, doctor = met(consult, "summarized", doctor=TwoWays(*moves, then=last))
    request = doctor.seen[-1]
    assert not [item for item in request.feed if isinstance(item, Said | Resulted | OwnReply)]
    (told,) = [item for item in request.feed if isinstance(item, Presented)]
    assert "five days ago" in told.text
    assert "Consolidation" in told.text
    assert "fever" not in told.text
    assert "Crackles" not in told.text
    assert (conclusion_of(trace) or {})["diagnosis"] == "Lobar pneumonia"
    assert trace.outcome.status == "completed"


def test_a_consultation_that_ran_out_of_turns_is_summarized_too(consult: Play) -> None:
    ask = Ask(question="When did it start?")
    doctor = TwoWays(ask, ask, then=DONE)
    trace = consult(
        small_case(),
        settings=settings("summarized", limits=Limits(max_turns=1)),
        doctor=doctor,
        consultant=None,
        summarizer=BaselineSummarizer(),
    )
    assert trace.outcome.status == "out_of_turns"
    assert (conclusion_of(trace) or {})["diagnosis"] == "Pneumonia"


@pytest.mark.parametrize("arm", AT_ONCE)
def test_scores_of_a_conversation_are_unscored_where_there_is_none(consult: Play, arm: str) -> None:
    found = scores(met(consult, arm)[0], arm)
    assert found["correct"].value == 1.0
    of_a_conversation = [one.measure.name for one in SCORES if one.conversation]
    assert {"turns", "fact_coverage", "premature_closure"} < {*of_a_conversation}
    for name in of_a_conversation:
        assert (found[name].value, found[name].reason) == (None, TOLD)
    assert found["confidence"].value == 0.9


def test_a_summarized_consultation_is_scored_as_the_conversation_it_was(consult: Play) -> None:
    doctor = TwoWays(Ask(question="When did the cough start?"), DONE, then=DONE)
    found = scores(met(consult, "summarized", doctor=doctor)[0], "summarized")
    assert found["questions"].value == 1
    assert found["fact_coverage"].value == 0.5
    assert found["premature_closure"].value == 0, "right, so not closed too early"


@pytest.mark.parametrize("arm", ARMS)
@pytest.mark.parametrize("name", sorted(BUILT_IN["doctor"].keys() - {"oracle"}))
@pytest.mark.parametrize("options", ["hidden", "shown"])
def test_every_built_in_doctor_plays_in_every_arm(consult: Play, arm: str, name: str, options: str) -> None:
    case = small_case()
    doctor = BUILT_IN["doctor"][name](PlayerRequest("doctor", case, ""))
    summarizer = BaselineSummarizer() if arm == "summarized" else None
    trace = consult(
        case,
        settings=settings(arm, options=options),
        doctor=doctor,
        consultant=None,
        summarizer=summarizer,
    )
    concluded = conclusion_of(trace) is not None
    assert concluded == (name != "null")
    assert trace.outcome.status == ("out_of_turns" if not concluded else trace.outcome.status)
    assert trace.outcome.status in ("completed", "out_of_turns")


@pytest.mark.parametrize("arm", ARMS)
def test_killed_after_any_exchange_it_ends_as_it_would_have(consult: Play, arm: str) -> None:
    def play(**more: Any) -> Trace:
        summarizer = BaselineSummarizer() if arm == "summarized" else None
        return consult(small_case(), settings=settings(arm), consultant=None, summarizer=summarizer, **more)

    whole = play()
    for kept in range(1, len(whole.rows) + 1):
        assert play(recorded=whole.rows[:kept]) == whole


def test_no_arm_shows_a_seat_what_the_arm_does_not_release(consult: Play) -> None:
    case = canary_case()
    at_the_door = {"door", "words", "question"}
    may_show = {
        "vignette": {"asked", "confidential", "in-private", "examined", "tested", "record"},
        "one-step": {"asked", "confidential", "in-private", "examined", "tested", "record"},
        "single": {"asked"},
    }
    for arm, allowed in may_show.items():
        _, doctor = met(consult, arm, case)
        seen = marks("\n".join(shown(request) for request in doctor.seen))
        assert seen <= allowed | at_the_door, f"{arm}: {seen}"
        assert allowed - {"in-private", "confidential"} <= seen


def test_a_summary_shows_only_what_was_earned(consult: Play) -> None:
    doctor = TwoWays(Ask(question="When did it start?"), DONE, then=DONE)
    trace, watched = met(consult, "summarized", canary_case(), doctor=doctor)
    released = {event.item for event in trace.of(Released)}
    seen = marks(shown(watched.seen[-1]))
    assert seen <= {"door", "words", "question"} | ({"asked"} if released else set())


def test_whoever_writes_sits_only_where_there_is_something_to_write() -> None:
    arm = RunConfig(settings=settings("summarized"))
    assert arm.players()["summarizer"] == "baseline"
    modelled = arm.model_copy(update={"doctor": "model:one+cot"})
    assert modelled.players()["summarizer"] == "model:one"
    assert "summarizer" not in RunConfig().players()
    with pytest.raises(BadInput, match="no consultation to summarize"):
        RunConfig(summarizer="baseline").check_seating(None)
    with pytest.raises(BadInput, match="a consultant is never heard"):
        casting_of(RunConfig(consultant="baseline", settings=settings("vignette")))


def test_only_the_doctor_shown_a_summary_begins_anew(consult: Play) -> None:
    """The prompts of a seat grow only at the end; this is the one exception."""
    _, doctor = met(consult, "summarized", doctor=Scripted([DONE]))
    first, last = doctor.seen
    assert not isinstance(first.view, ToldView)
    assert isinstance(last.view, ToldView)
    assert last.view.told == "summary"
    assert last.view.door_note == ""
    assert last.view.patient_opening == ""
