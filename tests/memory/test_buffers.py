"""What becomes a card: MedAgentSim's rules, the feedback policy, and nothing the doctor was not told."""

from __future__ import annotations

import asyncio
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.cases.model import Case
from osler.cases.personas import persona
from osler.cases.sources import open_source
from osler.core.events import Event, Released, Said
from osler.core.order_events import Resulted
from osler.core.trace import Trace
from osler.memory.buffers import Feedback, Past, Reflect, first_attempt, medical_record, second_attempt, told
from osler.memory.card import Card, Scope
from osler.memory.deidentify import identified
from osler.memory.descriptors import of_picture
from osler.memory.index import Query, index_of
from osler.memory.record import Record
from osler.memory.settings import Policy
from osler.memory.summary import PROMPT, insight_of, summary_by_model, summary_of
from osler.models.client import EndpointClient
from osler.models.config import Endpoint
from osler.models.faults import ModelAnswerError
from osler.prompts import prompt
from osler.protocols.consultation.casting import ConsultationCasting
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.episode import Episode
from osler.protocols.consultation.events import Advised
from osler.protocols.consultation.memory.episodes_to_lessons import record_of
from osler.protocols.consultation.seats import Finalize
from osler.protocols.consultation.settings import Settings
from osler.testing.cases import canary_case
from osler.testing.endpoint import FakeEndpoint
from osler.testing.players import RandomDoctor
from tests.judging.episodes import trace_with
from tests.memory.cards import origin

LIBRARY = {case.id: case for case in open_source("library")}
MARK = re.compile(r"zq-([a-z-]+?)-qz", re.IGNORECASE)
POLICIES = st.sampled_from(["gold", "judge", "none"])
OUTCOMES = st.sampled_from([True, False, None])
RECORD = Record(
    "My toe hurts.",
    (
        ("patient", "My toe hurts."),
        ("doctor", "Since when?"),
        ("patient", "Since 3 March 2024. I'm Mr Stone."),
    ),
    (("Urate", "Raised at 540 µmol/L. Repeated."), ("Joint X-ray", "No fracture.")),
    (),
    "Gout",
)


def past(record: Record = RECORD, identifiers: tuple[str, ...] = ()) -> Past:
    return Past(record, origin(3), Scope(specialty="rheumatology"), identifiers)


def consult(case: Case, seed: str = "1", random: bool = False) -> Trace:
    cast = ConsultationCasting(RunConfig()).cast(case)
    players = {**cast, "doctor": RandomDoctor()} if random else cast
    return asyncio.run(Episode(0, case, persona("plain"), Settings(), seed=seed).play(players))


@pytest.fixture(scope="module")
def trace() -> Trace:
    return consult(LIBRARY["cardiology-01"])


def test_a_right_diagnosis_becomes_a_medical_record_of_the_whole_case(trace: Trace) -> None:
    record = record_of(trace)
    assert record.diagnosis
    summary = summary_of(record, record.diagnosis)
    found = first_attempt(past(record), told("judge", True), summary)
    assert isinstance(found, Card)
    assert (found.kind, found.outcome, found.feedback) == ("case", "right", "judge")
    assert found.diagnosis == record.diagnosis
    for part in (record.complaint, record.diagnosis, record.results[0][1], summary):
        assert part in found.content
    assert record.complaint in found.components.dialogue
    assert record.results[0][1] in found.components.results
    assert "doctor:" not in found.components.dialogue
    assert found.components.images, "the tracing that was looked at can be searched by"


def test_a_consultation_finds_its_own_card_by_each_component(trace: Trace) -> None:
    record = record_of(trace)
    card = medical_record(past(record), "judge", "right", "A guess")
    other = medical_record(past(), "judge", "right", "Gout")
    query = Query(record.told, record.obtained, tuple(map(of_picture, record.pictures)))
    for part in (Query(query.dialogue), Query(results=query.results), Query(images=query.images), query):
        assert index_of([card, other]).search(part, 1, excluded=None)[0].card.id == card.id


def test_a_wrong_diagnosis_calls_for_reflection_and_is_no_card() -> None:
    found = first_attempt(past(), told("judge", False, "Septic arthritis"))
    assert found == Reflect("episode-3", "Gout", Feedback("judge", False, None))


def test_right_after_reflection_only_the_insight_is_kept() -> None:
    found = second_attempt(past(), told("judge", True), "Look at the joint fluid before naming a crystal.")
    assert found
    assert (found.kind, found.outcome) == ("insight", "right_after_reflection")
    assert "joint fluid" in found.content
    assert "toe" not in found.model_dump_json()
    assert "Urate" not in found.model_dump_json()


@given(POLICIES, st.text(max_size=20))
def test_wrong_again_is_discarded(policy: Policy, insight: str) -> None:
    assert second_attempt(past(), told(policy, False, "Gout"), insight) is None


def test_an_insight_that_says_nothing_is_discarded() -> None:
    assert second_attempt(past(), told("judge", True), "  \n") is None


@given(POLICIES, OUTCOMES)
def test_the_right_answer_gets_in_under_gold_only(policy: Policy, correct: bool | None) -> None:
    feedback = told(policy, correct, "QQGOLD")
    written = [
        first_attempt(past(), feedback, "A summary."),
        second_attempt(past(), feedback, "An insight."),
    ]
    assert ("QQGOLD" in repr((feedback, written))) == (policy == "gold")


def test_without_feedback_every_conclusion_is_kept_as_unverified_and_nothing_is_reflected_on() -> None:
    for correct in (True, False, None):
        found = first_attempt(past(), told("none", correct))
        assert isinstance(found, Card)
        assert found.outcome == "unverified"
        assert "not verified" in found.content


@pytest.mark.parametrize("policy", ["gold", "judge"])
def test_what_could_not_be_scored_teaches_nothing(policy: Policy) -> None:
    assert first_attempt(past(), told(policy, None, "Gout")) is None


def test_no_conclusion_no_card() -> None:
    assert first_attempt(past(RECORD._replace(diagnosis=None)), told("none", None)) is None


def test_identifiers_are_scrubbed_from_all_of_a_card() -> None:
    case = past(identifiers=("Jolanta",))
    card = medical_record(case, "judge", "right", "Gout", "Jolanta, seen on 2024-03-03.")
    second = second_attempt(case, told("judge", True), "Ask Jolanta at 14 Elm Road.")
    assert second
    for text in (card.model_dump_json(), second.model_dump_json()):
        assert not identified(text.replace(card.id, ""))
        assert not re.search("Jolanta|Stone|March|Elm", text)


@pytest.mark.parametrize("seed", range(6))
def test_a_card_holds_no_mark_that_the_doctor_was_not_told(seed: int) -> None:
    """Marks stand in every field of the case: in diagnosis, title, id, withheld leaves, unasked facts."""
    trace = consult(canary_case(), str(seed), random=True)
    record = record_of(trace)._replace(diagnosis="A guess")
    card = medical_record(past(record), "judge", "right", "A guess", summary_of(record, "A guess"))
    heard = [event for event in trace.events if "doctor" in event.to]
    own = [json.dumps(reply) for reply in trace.replies("doctor")]
    seen = "".join([*(event.model_dump_json() for event in heard), *own])
    marks = set(MARK.findall(card.model_dump_json()))
    assert marks
    assert marks <= set(MARK.findall(seen))
    assert not marks & {"diagnosis", "title", "withheld", "id"}


def test_a_record_holds_what_was_returned_to_the_doctor_and_nothing_else() -> None:
    told_events: list[Event] = [
        Said(minute=0, to=("doctor",), by="patient", text="It hurts."),
        Said(minute=1, to=("patient",), by="doctor", text="Where?"),
        Said(minute=1, to=("examination",), by="patient", text="QQ whispered"),
        Resulted(minute=2, to=("doctor",), order=1, name="ECG", returned=True, text="Sinus rhythm."),
        Resulted(minute=2, to=("doctor",), order=2, name="QQ scan", returned=False, text="Not available."),
        Resulted(minute=3, order=3, name="QQ test", returned=True, text="Nobody was told."),
        Advised(minute=4, to=("doctor",), note="Think of the heart."),
        Released(minute=4, item="QQ fact"),
    ]
    found = record_of(trace_with((told_events, "doctor", Finalize(diagnosis="Angina"))))
    assert found == Record(
        "It hurts.",
        (("patient", "It hurts."), ("doctor", "Where?"), ("consultant", "Think of the heart.")),
        (("ECG", "Sinus rhythm."),),
        (),
        "Angina",
    )


def test_the_built_in_summary_has_two_or_three_sentences() -> None:
    assert summary_of(RECORD, "Gout") == (
        "Complaint: My toe hurts. Telling results: Urate: Raised at 540 µmol/L. Diagnosis: Gout."
    )
    assert summary_of(RECORD._replace(results=()), None) == "Complaint: My toe hurts. No diagnosis was made."


def test_an_insight_names_both_conclusions_and_what_told_them_apart() -> None:
    first = RECORD._replace(diagnosis="Sprain", results=())
    assert insight_of(first, RECORD) == (
        'Complaint: "My toe hurts".\nTold: Since 3 March 2024. I\'m Mr Stone.\n'
        "Thought of first: Sprain. Right was: Gout.\n"
        "Telling results:\nUrate: Raised at 540 µmol/L"
    )


def test_a_model_summarizes_and_is_held_to_three_sentences() -> None:
    async def asked(summary: str) -> str:
        script = [{"reply": json.dumps({"summary": summary})}]
        async with FakeEndpoint(script=script) as endpoint:
            named = Endpoint(name="fake", base_url=endpoint.base_url, model="fake")
            async with EndpointClient(named) as client:
                return await summary_by_model(RECORD, "Gout", client)

    good = "A man with a painful toe. Urate was raised. Gout."
    assert asyncio.run(asked(good)) == good
    for bad in ("", "One. Two. Three. Four.", "long " * 300):
        with pytest.raises(ModelAnswerError):
            asyncio.run(asked(bad))
    assert "You " in prompt(PROMPT).text
