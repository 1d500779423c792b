"""One reply at a time: what a model may write, and what becomes of it."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

import pytest

from osler.cases.personas import persona
from osler.core.contract import NoUsableReply, OwnReply, ReplyWithUsage, Request
from osler.core.events import Said
from osler.core.order_events import Ordered, Pictured, Resulted
from osler.core.pictures import Ecg
from osler.models.config import Endpoint
from osler.models.faults import Fault, Kind, ModelAnswerError
from osler.models.types import Attempt, Completion, Sampling, Usage
from osler.players.model.player import ModelPlayer
from osler.players.model.usage import used_by
from osler.protocols.consultation import views
from osler.protocols.consultation.model.players import (
    ModelConsultant,
    ModelDescriber,
    ModelDoctor,
    ModelExamination,
    move_of,
)
from osler.protocols.consultation.model.text_moves import as_text_move, read_move
from osler.protocols.consultation.seats import (
    Advice,
    Ask,
    DescriberView,
    Description,
    DoctorView,
    Finalize,
    RequestTest,
    TaskView,
    Wait,
)
from osler.protocols.shared.model.patient import ModelPatient
from osler.protocols.shared.model.second_reader import SecondReader
from osler.protocols.shared.patient import PatientReply, PatientView
from osler.protocols.shared.views import patient_view
from osler.testing.cases import small_case
from tests.players.model.table import Told
from tests.prompts.seats import messages_of

CASE = small_case()
PATIENT = patient_view(CASE, persona=persona("plain"), unknown="standard")
DOCTOR = views.doctor_view(
    CASE, options_shown=False, max_turns=9, max_tests_per_visit=None, max_visits=2, has_consultant=False
)
CHOICE = DoctorView.model_validate(
    {
        **DOCTOR.model_dump(),
        "task": TaskView(kind="choice", question="Which?", options={"A": "Gout", "B": "Acute pneumonia"}),
    }
)
FULL: dict[str, Any] = {
    "rationale": ["Fever points to infection.", ""],
    "working_diagnoses": [{"name": "Pneumonia", "confidence": 0.6}],
    "action": "ASK",
    "question": "Any fever?",
    "test_name": "",
    "diagnosis": "",
    "answer": None,
    "confidence": None,
    "evidence": [],
    "plan": [],
    "followup": "",
}


def hears(*words: str) -> Request[PatientView]:
    return Request(PATIENT, tuple(Said(minute=0, by="doctor", text=text) for text in words), "world")


def said(player: ModelPlayer[Any, Any], request: Any) -> Any:
    return asyncio.run(player.reply(request)).reply


# The doctor


def test_a_move_keeps_what_its_action_uses_and_the_notes() -> None:
    move = move_of(FULL)
    assert isinstance(move, Ask)
    assert move.rationale == ("Fever points to infection.",)
    assert move.working_diagnoses[0].name == "Pneumonia"
    assert move_of({**FULL, "action": "WAIT"}).action == "WAIT"
    final = move_of({**FULL, "action": "finalize", "diagnosis": "Pneumonia", "plan": "rest", "answer": "B"})
    assert isinstance(final, Finalize)
    assert (final.plan, final.answer, final.confidence) == (("rest",), "B", None)


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"action": "OPERATE"},
        {"action": "ASK", "question": ""},
        {"action": "REQUEST_TEST", "test_name": None},
        {"action": "FINALIZE"},
        {"action": "FINALIZE", "diagnosis": "x", "confidence": 101},
        {"action": "FINALIZE", "diagnosis": "x", "confidence": "very"},
        {"action": "ASK", "question": "x" * 5000},
        {"action": "ASK", "question": "x", "rationale": {"a": 1}},
        {"action": ["ASK"], "question": "x"},
    ],
)
def test_a_move_that_is_none_is_refused_in_words(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"action|Field required|confidence|at most|rationale"):
        move_of(wrong)


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("When did it start?", Ask(question="When did it start?")),
        ("REQUEST TEST: [Chest X-ray]", RequestTest(test_name="Chest X-ray")),
        ("WAIT", Wait()),
        ("**WAIT**", Wait()),
        ("Please wait here while I think.", Ask(question="Please wait here while I think.")),
        ("DIAGNOSIS READY: [Pneumonia]", Finalize(diagnosis="Pneumonia")),
    ],
)
def test_text_moves_are_read(text: str, move: Any) -> None:
    read = read_move(text, DOCTOR)
    assert read.model_copy(update={"rationale": ()}) == move


@pytest.mark.parametrize(
    "said", ["[B]", "[b]", "B", "[B: pneumonia of some kind]", "[acute pneumonia]", "[Option B]"]
)
def test_an_option_is_known_by_letter_or_text(said: str) -> None:
    move = read_move(f"DIAGNOSIS READY: {said}", CHOICE)
    assert isinstance(move, Finalize)
    assert (move.answer, move.diagnosis) == ("B", "Acute pneumonia")


def test_a_doctor_is_asked_the_cases_own_question() -> None:
    chooses, diagnoses = (messages_of(Request(view, (), "w"))[0].text for view in (CHOICE, DOCTOR))
    assert "<task>Which?</task>" in chooses
    assert "<option>B: Acute pneumonia</option>" in chooses
    assert '"answer":"A"|"B"' in chooses
    assert "<option>" not in diagnoses
    assert '"answer"' not in diagnoses
    assert '"diagnosis":<the one you hold most likely>' in diagnoses


def test_an_answer_that_is_no_option_names_none() -> None:
    move = read_move("DIAGNOSIS READY: [Bronchitis]", CHOICE)
    assert isinstance(move, Finalize)
    assert move.answer is None


def test_a_doctor_is_shown_its_own_words_again_as_it_wrote_them() -> None:
    text = "The lungs next.\nREQUEST TEST: [Chest X-ray]"
    move = read_move(f"<think>hm</think>{text}", DOCTOR)
    assert as_text_move(move) == text
    feed = (Said(minute=0, by="patient", text="I cough."), OwnReply(move))
    assert messages_of(Request(DOCTOR, feed, "w"), "text")[2].text == text
    shown = messages_of(Request(DOCTOR, (feed[0], OwnReply(move_of(FULL))), "w"))[2].text
    assert json.loads(shown) == {
        "note": "Fever points to infection.",
        "move": {
            "action": "ASK",
            "working_diagnoses": [{"name": "Pneumonia", "confidence": 0.6}],
            "question": "Any fever?",
        },
    }


def test_a_note_of_another_players_is_not_taken_for_its_words() -> None:
    """A branch may go on from a doctor who wrote JSON."""
    move = RequestTest(test_name="Chest X-ray", rationale=("Fever points to infection.",))
    assert as_text_move(move) == "REQUEST TEST: [Chest X-ray]"


def test_two_ways_of_moving_are_two_players() -> None:
    json_doctor, text_doctor = (ModelDoctor(Told([]), "one", moves=moves) for moves in ("json", "text"))
    assert json_doctor.name == f"model:one#{json_doctor.fingerprint}"
    assert json_doctor.name != text_doctor.name
    warm = ModelDoctor(Told([]), "one", sampling=Sampling(temperature=0.9))
    assert warm.name != json_doctor.name


# The patient, the service, the consultant


def test_the_same_prompt_to_another_model_or_with_other_sampling_is_another_player() -> None:
    warm = Endpoint(base_url="http://127.0.0.1/v1", model="one", extra={"temperature": 1})
    cold = Endpoint(base_url="http://127.0.0.1/v1", model="one", extra={"temperature": 0})
    other = Endpoint(base_url="http://127.0.0.1/v1", model="two", extra={"temperature": 0})
    players = [ModelDoctor(Told([]), "one", serving=e.serving) for e in (warm, cold, other)]
    assert len({player.name for player in players}) == 3


def test_a_patient_tells_what_it_was_given_and_what_was_asked_for_properly() -> None:
    def tells(name: str) -> Any:
        return {"move": {"action": "ANSWER", "answer": "A bottle of wine most evenings.", "facts": [name]}}

    told = PatientReply(answer="A bottle of wine most evenings.", revealed_facts=("f4",))
    assured = hears("Whatever you say stays confidential. How much do you drink?")
    assert said(ModelPatient(Told([tells("F04")]), "x"), assured) == told
    for name in ("F04", "f4", "F99", "f99"):
        refusal = f"'{name}' is not on offer now; choose among F01, F02, F03, F05$"
        with pytest.raises(ValueError, match=refusal):
            said(ModelPatient(Told([tells(name)]), "x"), hears("Do you drink?"))


@pytest.mark.parametrize("beside", [False, True])
def test_an_answer_in_the_records_own_form_is_read_as_well(beside: bool) -> None:
    flat = {"answer": "Five days ago.", "revealed_facts": ["f1"], "unanswered_reason": "none"}
    value = {"move": "ANSWER", **flat} if beside else flat
    assert said(ModelPatient(Told([value]), "x"), hears("Since when?")) == PatientReply.model_validate(flat)


@pytest.mark.parametrize("reason", ["NOT_IN_MY_FACTS", "DID_NOT_UNDERSTAND"])
def test_a_patient_says_that_it_cannot_answer_by_its_action(reason: str) -> None:
    value = {"move": {"action": reason, "answer": "Pardon?"}}
    reply = said(ModelPatient(Told([value]), "x"), hears("Any zxq?"))
    expected = {"NOT_IN_MY_FACTS": "not_in_patient_view", "DID_NOT_UNDERSTAND": "unclear_question"}[reason]
    assert reply == PatientReply(answer="Pardon?", unanswered_reason=expected)


def test_what_was_kept_back_is_handed_over_with_the_assurance_and_only_once() -> None:
    kept = "a bottle of wine most evenings"
    before = messages_of(hears("Do you drink?"))
    after = messages_of(hears("Do you drink?", "This stays confidential.", "It stays between us."))
    assert kept not in str(before)
    assert "how much you drink" in before[0].text
    assert str(after).count(kept) == 1
    assert f"F04 Between us, {kept}" in str(after), "under the name by which it can be told"
    assert after[0] == before[0]


@pytest.mark.parametrize("policy", ["standard", "withhold", "normal", "synthesize"])
def test_a_patient_is_told_the_runs_policy(policy: Any) -> None:
    view = patient_view(CASE, persona=persona("plain"), unknown=policy)
    text = messages_of(Request(view, (), "w"))[0].text
    assert ("neither affirm nor deny" in text) == (policy == "withhold")
    assert ("shortness of breath" in text) == (policy in ("standard", "synthesize"))


def test_a_carer_speaks_for_the_patient() -> None:
    child = small_case(speaker="mother", age_years=0.5, sex="male")
    view = patient_view(child, persona=persona("plain"), unknown="standard")
    text = messages_of(Request(view, (), "w"))[0].text
    assert "You play the mother who speaks for the patient" in text
    assert re.search(r"The patient is .*, 6 months old, male\.", text)


def order(value: dict[str, Any], name: str = "CXR, lipase and an aura reading") -> Any:
    request = Request(views.examination_view(CASE), (Ordered(minute=0, order=1, name=name),), "world")
    return said(ModelExamination(Told([value]), "x"), request)


def test_the_service_picks_findings_and_its_own_words_reach_nobody() -> None:
    match = {
        "action": "MATCH",
        "findings": ["F02"],
        "unheld": ["Lipase"],
        "unclear": ["aura reading", "You have pneumonia, doctor"],
    }
    reply = order({"note": "x" * 900, "move": match})
    assert (reply.findings, reply.matched_test_name, reply.unheld) == (("x2",), "Chest X-ray", ("Lipase",))
    assert reply.unclear == ("aura reading",), "only what stands in the order is read back to the doctor"
    assert len(reply.reason) <= 300
    assert (
        order({"note": "CBC or differential", "move": {"action": "AMBIGUOUS", "findings": []}}).match_type
        == "fuzzy"
    )
    assert order({"move": {**match, "action": "NONE"}}).match_type == "none"


def test_a_match_is_exact_by_the_name_on_file_and_an_alias_by_another() -> None:
    match = {"note": "", "move": {"action": "MATCH", "findings": ["F02"], "unheld": [], "unclear": []}}
    assert [order(match, name).match_type for name in ("chest x-ray", "CXR")] == ["exact", "alias"]
    flat = {"match_type": "alias", "findings": ["x2"], "matched_test_name": "Consolidation", "reason": ""}
    assert order(flat, "CXR") == order(match, "CXR"), "the record's own form is read as well"


@pytest.mark.parametrize(
    "wrong", [{"findings": ["x9"]}, {"findings": ["F09"]}, {"findings": []}, {"action": "MAYBE"}]
)
def test_the_service_may_not_return_what_is_not_on_file(wrong: dict[str, Any]) -> None:
    move = {"action": "MATCH", "findings": ["F02"], "unheld": [], "unclear": [], **wrong}
    with pytest.raises(ValueError, match=r"not on offer now; choose among F01|at least one|match_type"):
        order({"note": "", "move": move})


def test_a_consultant_advises() -> None:
    view = views.consultant_view(CASE, options_shown=False)
    words = {"advice": "Think of the lungs.", "diagnosis_suggestion": "Pneumonia"}
    asks = {"action": "ASK_NEXT", **words, "next_question": " "}
    flat = {"note": "Think of the lungs.", "next_question": None, "diagnosis_suggestion": "Pneumonia"}
    for value in ({"move": asks}, {**flat, "recommend_finalize": False}):
        advice = said(ModelConsultant(Told([value]), "x"), Request(view, (), "w"))
        assert advice == Advice(note="Think of the lungs.", diagnosis_suggestion="Pneumonia")
    concludes = {"move": {"action": "CONCLUDE", **words}}
    assert said(ModelConsultant(Told([concludes]), "x"), Request(view, (), "w")).recommend_finalize


# What it took


def test_a_reply_comes_with_what_it_took() -> None:
    first, then = Usage(prompt_tokens=10, completion_tokens=1), Usage(prompt_tokens=12, completion_tokens=5)
    attempts = (
        Attempt(outcome="timeout", detail="no answer in time"),
        Attempt(
            outcome="invalid",
            detail="answer: missing",
            text="{}",
            usage=first,
        ),
        Attempt(outcome="ok", text='{"answer":"Yes."}', usage=then),
    )

    class Client(Told):
        async def complete(self, request: Any, *, validate: Any = None) -> Completion:
            completion = await super().complete(request, validate=validate)
            return completion._replace(attempts=attempts, model="tiny-1")

    replied = asyncio.run(ModelPatient(Client([{"answer": "Yes."}]), "one").reply(hears("Are you well?")))
    assert isinstance(replied, ReplyWithUsage)
    assert replied.reply == PatientReply(answer="Yes.")
    (used,) = replied.used
    assert used == {
        "endpoint": "one",
        "model": "tiny-1",
        "calls": 2,
        "prompt_tokens": 22,
        "completion_tokens": 6,
        "cached_tokens": None,
        "reasoning_tokens": None,
    }


def test_what_a_model_could_not_answer_is_on_record_as_well() -> None:
    attempts = (
        Attempt(outcome="reset"),
        Attempt(outcome="refused", detail="no", usage=Usage(prompt_tokens=7, completion_tokens=3)),
        Attempt(outcome="invalid", text="{}", usage=Usage(prompt_tokens=9, completion_tokens=1)),
    )

    class Client(Told):
        async def complete(self, request: Any, *, validate: Any = None) -> Completion:
            raise ModelAnswerError(Fault(Kind.INVALID, "answer: missing"), attempts)

    with pytest.raises(NoUsableReply, match="answer: missing") as raised:
        asyncio.run(ModelPatient(Client([]), "one").reply(hears("Are you well?")))
    assert (raised.value.by, raised.value.said, raised.value.again) == ("model", "{}", True)
    (used,) = raised.value.used
    assert (used["calls"], used["prompt_tokens"], used["completion_tokens"]) == (2, 16, 4)


def test_an_answer_from_the_cache_cost_nothing() -> None:
    class Client(Told):
        async def complete(self, request: Any, *, validate: Any = None) -> Completion:
            completion = await super().complete(request, validate=validate)
            attempts = (Attempt(outcome="ok", text="x", usage=Usage(prompt_tokens=5)),)
            return completion._replace(from_cache=True, attempts=attempts)

    replied = asyncio.run(ModelPatient(Client([{"answer": "Yes."}]), "one").reply(hears("Are you well?")))
    assert [(used["calls"], used["prompt_tokens"]) for used in replied.used] == [(0, 0)]


def test_what_is_not_reported_stays_unknown() -> None:
    known, silent = Usage(prompt_tokens=3, completion_tokens=1), Usage(prompt_tokens=4)
    attempts = [Attempt(outcome="ok", text="x", usage=usage) for usage in (known, silent)]
    used = used_by("one", attempts)
    assert (used["prompt_tokens"], used["completion_tokens"]) == (7, None)


# Pictures, and a second opinion


ECG = Ecg(rate_per_min=96, st_mm={"II": 2, "III": 3, "aVF": 2.5})


def looks_at(name: str) -> Request[DescriberView]:
    return Request(DescriberView(), (Pictured(minute=0, order=1, name=name, picture=ECG),), "w")


def test_a_describer_sees_the_picture_and_what_it_was_ordered_as() -> None:
    client = Told(["Twelve leads. In II, III and aVF the segment after the QRS is raised."])
    replied = asyncio.run(ModelDescriber(client, "eyes", eyes=True).reply(looks_at("Electrocardiogram")))
    assert isinstance(replied.reply, Description)
    _, shown = client.asked[0].messages
    assert [image.media_type for image in shown.images] == ["image/png"]
    assert "<ordered_as>Electrocardiogram</ordered_as>" in shown.text


@pytest.mark.parametrize("wrong", ["This is pneumonia.", "", "x" * 5000])
def test_a_description_that_diagnoses_or_says_nothing_is_refused(wrong: str) -> None:
    describer = ModelDescriber(Told([wrong]), "eyes", eyes=True)
    with pytest.raises(ValueError, match=r"name no disease|two to six"):
        asyncio.run(describer.reply(looks_at("Chest X-ray")))


def test_only_a_doctor_with_eyes_is_sent_pictures() -> None:
    result = Resulted(
        minute=5, order=1, name="Electrocardiogram", returned=True, text="A report.", picture=ECG
    )
    request = Request(DOCTOR, (result,), "w")
    assert not any(message.images for message in messages_of(request))
    (image,) = messages_of(request, eyes=True)[-1].images
    assert image.media_type == "image/png"
    names = [ModelDoctor(Told([]), "one", eyes=eyes).name for eyes in (False, True)]
    assert len(set(names)) == 2, "an episode's key tells a doctor with eyes from one without"


def test_a_second_opinion_quotes_what_it_objects_to() -> None:
    request, answer = hears("Any pets?"), "Five days. We keep pigeons."
    client = Told([{"unsupported": ["We keep pigeons."]}])
    parts, used, call = asyncio.run(SecondReader(client, "two").unsupported(answer, request))
    assert parts == ("We keep pigeons.",)
    assert used["endpoint"] == call["endpoint"] == "two"
    sent = str(client.asked[0].messages)
    assert "The cough began five days ago" in sent
    assert "bottle of wine" not in sent, "what is still kept back is no ground"
    with pytest.raises(ValueError, match="does not stand in the answer"):
        asyncio.run(
            SecondReader(Told([{"unsupported": ["We keep owls."]}]), "two").unsupported(answer, request)
        )
