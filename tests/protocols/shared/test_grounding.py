"""The grounding check: what it catches, what it lets pass, how often it is wrong.

The figures are of a lexical check on answers written by us; they say nothing about any model.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from itertools import chain, islice

import pytest

from osler.cases.model import Case
from osler.cases.personas import persona
from osler.cases.sources import open_source
from osler.core.contract import NoUsableReply, ReplyWithUsage, Request
from osler.core.events import Said
from osler.knowledge.vocabulary import Unknown
from osler.players.scripted import Scripted
from osler.protocols.shared.model.claims import amounts, claims, sentences
from osler.protocols.shared.model.grounded import GroundedPatient
from osler.protocols.shared.model.grounding import ungrounded
from osler.protocols.shared.patient import PatientReply, PatientView
from osler.protocols.shared.views import patient_view
from osler.testing.cases import small_case
from tests.players.model.answers import HONEST, HONEST_LATER, PLANTED, PLANTED_LATER, Answer
from tests.players.model.figures import AGENTCLINIC, LIBRARY, honest_answers, is_flagged


def share_flagged(rows: Sequence[Answer]) -> float:
    return sum(map(is_flagged, rows)) / len(rows)


def test_most_planted_fabrications_are_caught() -> None:
    assert len(PLANTED) >= 60
    assert share_flagged(PLANTED) >= 0.85


def test_fabrications_it_was_never_tuned_on_are_caught_about_as_often() -> None:
    assert share_flagged(PLANTED_LATER) >= 0.75


def test_honest_answers_in_free_words_mostly_pass() -> None:
    assert share_flagged((*HONEST, *HONEST_LATER)) <= 0.05


def assert_few_false_alarms(cases: Iterable[Case]) -> None:
    found = list(honest_answers(cases))
    alarms = [said for said, wrong in found if wrong]
    assert len(found) >= 200
    assert len(alarms) / len(found) <= 0.05, alarms[:5]


@pytest.mark.slow
def test_what_the_built_in_patient_says_of_library_cases_passes() -> None:
    assert_few_false_alarms(LIBRARY.values())


def test_what_it_says_of_agentclinic_cases_passes() -> None:
    if not AGENTCLINIC.exists():
        pytest.skip(f"{AGENTCLINIC} is not here")
    assert_few_false_alarms(islice(open_source(str(AGENTCLINIC)), 10))


# The rules, one by one

VIEW = patient_view(small_case(), persona=persona("plain"), unknown="standard")


def wrong(said: str, question: str = "Tell me more.", unknown: Unknown = "standard") -> Sequence[str]:
    view = PatientView.model_validate({**VIEW.model_dump(), "unknown": unknown})
    return ungrounded(said, view, question)


@pytest.mark.parametrize(
    "said",
    [
        "It started five days ago.",
        "About 5 days now, and it's getting worse.",
        "I've been feverish and shivery.",
        "No, no chest pain.",
        "I haven't been sick, no.",
        "I'm 54.",
        "I take amlodipine for high blood pressure.",
        "I don't take aspirin or anything else.",
        "Is it cancer?",
        "I couldn't tell you what any scan showed.",
        "I'm not sure, I don't remember.",
        "",
    ],
)
def test_what_the_facts_hold_passes_and_so_do_denials_questions_and_not_knowing(said: str) -> None:
    assert not wrong(said)


@pytest.mark.parametrize(
    "said",
    [
        "I've been vomiting.",
        "It started three weeks ago.",
        "I take ramipril as well.",
        "I'm allergic to penicillin.",
        "I had a heart attack.",
        "The X-ray was clear.",
        "My sister had it too.",
        "I've just come back from Portugal.",
        "It goes to my left arm.",
        "No, I haven't had any fever.",
    ],
)
def test_what_they_do_not_hold_is_caught_and_quoted(said: str) -> None:
    assert wrong(f"Well. {said} I think so.") == (said,)


def test_the_policy_decides_about_denials() -> None:
    assert wrong("No vomiting.", unknown="withhold")
    assert not wrong("No vomiting.", unknown="normal")
    assert wrong("I'm not tired at all."), "the case ought to have said: neither yes nor no"
    assert not wrong("I'm not tired at all.", unknown="normal")


def test_a_number_of_the_doctors_may_be_taken_up() -> None:
    assert wrong("Yes, 3 times.")
    assert not wrong("Yes, 3 times.", question="Did you take it 3 times?")


def test_what_is_still_kept_back_is_no_ground() -> None:
    said = "A bottle of wine most evenings."
    assert ungrounded(said, VIEW, "Do you drink?", said=["Do you drink?"])
    assured = "It stays confidential. Do you drink?"
    assert not ungrounded(said, VIEW, assured, said=[assured])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("two weeks", "a fortnight"),
        ("14 days", "2 weeks"),
        ("twenty-one days", "three weeks"),
        ("an hour", "60 minutes"),
    ],
)
def test_a_span_of_time_is_the_same_however_it_is_written(one: str, other: str) -> None:
    assert amounts(one).spans == amounts(other).spans


def test_a_drug_is_known_by_its_ending_and_a_denial_asserts_nothing() -> None:
    found = claims("I take bisoprolol, but no metformin.")
    assert [(claim.shown, claim.affirmed) for claim in found] == [("bisoprolol", True), ("metformin", False)]


def test_long_and_strange_answers_take_no_time() -> None:
    for said in ("no " * 3000, "<" * 8000, "1." * 4000, "and i " * 2000, "," * 8000, "a-" * 4000, "9" * 8000):
        wrong(said)
        assert "".join(sentences(said)).replace(" ", "") == said.strip().replace(" ", "")


# The patient who is held to it


def test_a_grounded_answer_passes_untouched() -> None:
    inner_says = PatientReply(answer="Five days.", revealed_facts=("f1",))
    patient = GroundedPatient(Scripted([inner_says]))
    request = Request(VIEW, (Said(minute=0, by="doctor", text="How long?"),), "w")
    assert asyncio.run(patient.reply(request)).reply == inner_says
    assert (patient.name, patient.durable) == ("scripted:grounded", True)


def test_a_fabrication_is_refused_with_what_was_said_and_asked_again_by_the_table() -> None:
    request = Request(VIEW, (Said(minute=0, by="doctor", text="How long?"),), "w")
    with pytest.raises(NoUsableReply, match="Three weeks") as raised:
        asyncio.run(GroundedPatient(Scripted([PatientReply(answer="Three weeks.")])).reply(request))
    refused = raised.value
    assert (refused.by, refused.again) == ("grounding", True)
    assert "Three weeks." in refused.said


def test_what_a_fabrication_cost_stays_on_record() -> None:
    request = Request(VIEW, (Said(minute=0, by="doctor", text="How long?"),), "w")

    class Invents:
        name, durable = "invents", True

        async def reply(self, request: Request[PatientView]) -> ReplyWithUsage:
            return ReplyWithUsage(
                PatientReply(answer="Three weeks."), used=({"calls": 1, "prompt_tokens": 10},)
            )

    with pytest.raises(NoUsableReply) as raised:
        asyncio.run(GroundedPatient(Invents()).reply(request))
    assert [used["prompt_tokens"] for used in raised.value.used] == [10]


def test_honest_answers_and_fabrications_are_many_enough_to_say_something() -> None:
    texts = [said for *_, said in chain(PLANTED, PLANTED_LATER, HONEST, HONEST_LATER)]
    assert len(set(texts)) == len(texts) > 200
