"""What the released code of ClinEdu gets wrong, each shown not to be so here.

Most of it is tested beside the rule it is about:

    a failed review approves, errors are spoken   test_protocol   a_reviewer_that_fails_is_no_approval
    the tutor gets an empty list of steps         test_protocol   the_tutor_gets_the_steps_of_the_case
    the patient's last answer is lost             test_protocol   the_last_answer_of_the_patient_stands_...
    words are put into the patient's mouth        test_protocol   nobody_speaks_for_a_patient_who_was_not_...
    there is no early stop                        test_protocol   the_round_ends_early_once_all_steps_are_...
    more calls than needed, one after another     test_protocol   the_longest_chain_of_a_round_is_five_...
    no final diagnosis, no measure of learning    test_figures    a_gain_is_corrected_for_guessing_and_...
    sessions with a revision are dropped          test_figures    sessions_with_revisions_count_and_say_...
    any word before a colon is a student          test_monologue  colons_in_a_thought_name_no_student
    unclosed tags pass and closed ones fail       test_monologue  an_unclosed_tag_is_named
    persona tags match nobody                     test_matching   tags (tests/cases/personas)
    no seed, no resume, sharding by hand          test_runs       all of it

The rest stands here: pictures, the released files from end to end, judges, the published transcript.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from osler.authoring.preparing.steps import plan_of
from osler.cases.importers import Images
from osler.cases.model import Case
from osler.cases.sources import open_source
from osler.core.contract import OwnReply, Request
from osler.core.pictures import Ecg
from osler.core.trace import Trace
from osler.models.faults import Fault, Kind, ModelAnswerError
from osler.players.scripted import Scripted
from osler.protocols.ward_round.events import RoundLine
from osler.protocols.ward_round.judge.by_model import TeachingJudge
from osler.protocols.ward_round.judge.session import Session
from osler.protocols.ward_round.judge.transcripts import session_of_trace, transcript_of
from osler.protocols.ward_round.seats import Guidance
from osler.testing.players import Watching
from tests.judging.model import judges
from tests.prompts.seats import messages_of as prompt_of
from tests.protocols.ward_round.conftest import Play, plain_cast, taught_case
from tests.protocols.ward_round.players import PlainTutor, Reviewer

FILE = Path(__file__).parents[2] / "fixtures" / "medtutor_small.json"


def released() -> Case:
    """The first case of a file in the form of the released test file, as `osler round` takes it."""
    case = next(iter(open_source(str(FILE), images=Images(without=True))))
    return case.model_copy(update={"teaching": plan_of(case)})


def pictured() -> Case:
    """The small case with a picture that can be drawn."""
    case = taught_case()
    seen = [
        one.model_copy(update={"picture": Ecg(rate_per_min=72)}) if one.kind == "image" else one
        for one in case.findings
    ]
    return case.model_copy(update={"findings": tuple(seen)})


class SaysInTurn:
    """A tutor who says one thing after another."""

    name, durable = "in turn", False

    def __init__(self, *words: str) -> None:
        self._words = words

    async def reply(self, request: Request[Any]) -> Guidance:
        said = sum(type(item) is OwnReply for item in request.feed)
        return await PlainTutor(self._words[said]).reply(request)


def revised(teach: Play, **more: Any) -> Trace:
    """A ward round whose first draft is rejected."""
    cast = {**plain_cast(), "supervisor": Reviewer("supervisor", rejects=1, feedback="Kinder, please.")}
    return teach({**cast, **more}, max_rounds=2)


def marked(session: Session, *answers: object) -> dict[str, Any]:
    """A session's marks by a judge that answers by script, and what it was asked."""
    client = judges.Scripted(lambda n, request: answers[n % len(answers)])
    found = asyncio.run(TeachingJudge(client, judges.ENDPOINT).marked(session))
    return {name: mark.score for name, mark in found.items()}


# Pictures


def test_a_tutor_with_eyes_has_the_picture_on_revision_and_in_every_round(teach: Play) -> None:
    tutor = Watching(PlainTutor())
    specialist = Reviewer("specialist", rejects=2)
    teach({**plain_cast(), "tutor": tutor, "specialist": specialist}, case=pictured(), max_rounds=2)
    assert len(tutor.seen) == 4, "three drafts, and one in the second round"
    sent = [
        [image for message in prompt_of(one, eyes=True) for image in message.images] for one in tutor.seen
    ]
    assert [len(images) for images in sent] == [1, 1, 1, 1]
    assert len({image.data for images in sent for image in images}) == 1


def test_a_tutor_who_is_asked_again_after_an_invalid_turn_has_the_picture_still(teach: Play) -> None:
    tutor = Watching(Scripted([{"guidance": ""}] * 3))
    trace = teach({**plain_cast(), "tutor": tutor}, case=pictured(), max_rounds=1)
    assert trace.outcome.status == "invalid_play"
    prompts = [prompt_of(one, eyes=True) for one in tutor.seen]
    assert [sum(len(message.images) for message in prompt) for prompt in prompts] == [1, 1, 1]


def test_a_picture_is_labelled_as_what_it_is(teach: Play) -> None:
    tutor = Watching(PlainTutor())
    teach({**plain_cast(), "tutor": tutor}, case=pictured(), max_rounds=1)
    (image,) = [image for message in prompt_of(tutor.seen[0], eyes=True) for image in message.images]
    assert image.media_type == "image/png"


# The released files


def test_a_tutor_of_a_released_case_reads_its_steps_and_a_student_does_not(teach: Play) -> None:
    tutor = Watching(PlainTutor())
    student = Watching(plain_cast()["student_1"])
    teach({**plain_cast(), "tutor": tutor, "student_1": student}, case=released(), max_rounds=1)
    read = "\n".join(message.text for message in prompt_of(tutor.seen[0]))
    for words in ("What does the pop suggest?", "A ligament has torn.", "A gap in a ligament."):
        assert words in read
    for request in student.seen:
        assert "A ligament has torn." not in "\n".join(message.text for message in prompt_of(request))


def test_a_title_that_gives_the_answer_reaches_no_player(teach: Play) -> None:
    case = released()
    assert case.title is not None
    assert "ligament rupture" in case.title
    cast = {seat: Watching(player) for seat, player in plain_cast().items()}
    teach(cast, case=case, max_rounds=1)
    for player in cast.values():
        for request in player.seen:
            shown = [request.view, *(item for item in request.feed if not isinstance(item, OwnReply))]
            assert not [one for one in shown if case.title in one.model_dump_json()]


# The published transcript


def test_the_published_transcript_ends_with_the_patients_answer(teach: Play) -> None:
    trace = teach(plain_cast(), max_rounds=2)
    rounds = transcript_of(trace, case={}, persona={}, students=[])["dialogue_history"]
    said = [line.text for line in trace.of(RoundLine) if line.by == "patient"]
    assert [x["content"] for lines in rounds.values() for x in lines if x["speaker"] == "patient"] == said
    assert rounds["round_2"][-1]["speaker"] == "patient"


# Judges


def test_a_failed_scale_stays_in_its_place_and_moves_no_other(teach: Play) -> None:
    session = session_of_trace(taught_case(), revised(teach))
    refused = ModelAnswerError(Fault(Kind.REFUSED, "no"), ())
    good = {
        "quotes": [PlainTutor().words],
        "justification": "asks",
        "missed": ["one name"],
        "critical": False,
    }
    found = marked(session, {**good, "score": 3}, refused, {**good, "score": 9})
    assert {name: score.value for name, score in found.items()} == {"ets": 3, "msm": None, "mps": 9}
    assert found["msm"].reason


def test_a_draft_that_was_rejected_is_no_part_of_the_session(teach: Play) -> None:
    trace = revised(teach, tutor=SaysInTurn("zq-rejected-qz", "First?", "Second?"))
    assert trace.outcome.status == "completed", trace.outcome.reason
    session = session_of_trace(taught_case(), trace)
    assert [round_.guidance for round_ in session.rounds] == ["First?", "Second?"]
    assert "zq-rejected-qz" not in session.model_dump_json()
