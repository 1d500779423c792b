"""What a doctor begins with: the source's whole note, or age, sex and complaint alone."""

from __future__ import annotations

from osler.cases.model import Case, Opening
from osler.cases.personas import persona
from osler.core.contract import Request
from osler.core.events import Said
from osler.protocols.consultation import views
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.episode import Episode
from osler.protocols.consultation.settings import Settings
from osler.protocols.shared.players import voice
from osler.protocols.shared.players.patient import answer
from osler.protocols.shared.views import patient_view
from osler.testing.cases import small_case
from tests.protocols.consultation.conftest import Play

NOTE = "54-year-old woman. Examine a patient with a cough, night sweats and a recent trip abroad."


def noted() -> Case:
    """A case whose door note says more than its patient."""
    return small_case(opening=Opening(door_note=NOTE, words="I have had this cough for days."))


def shown(case: Case, settings: Settings) -> str:
    """What the doctor and a consultant are shown before the first word."""
    doctor = views.doctor_view(
        case,
        options_shown=False,
        max_turns=5,
        max_tests_per_visit=None,
        max_visits=1,
        has_consultant=True,
        opening=settings.opening,
    )
    return (
        doctor.model_dump_json()
        + views.consultant_view(case, options_shown=False, opening=settings.opening).model_dump_json()
    )


def test_by_default_the_doctor_reads_the_whole_note() -> None:
    assert shown(noted(), Settings()).count("night sweats") == 2


def test_with_the_complaint_alone_the_note_is_part_of_nobodys_opening(consult: Play) -> None:
    settings = Settings(opening="complaint")
    assert "night sweats" not in shown(noted(), settings)
    assert "54-year-old woman." in shown(noted(), settings)
    assert consult(noted(), settings=settings).outcome.status == "completed"


def test_the_opening_is_part_of_the_key_and_the_usual_one_leaves_it_as_it_was() -> None:
    def key(settings: Settings) -> str:
        return Episode(0, noted(), persona("plain"), settings, "0").key({})

    assert key(Settings()) != key(Settings(opening="complaint"))
    assert "opening" not in Settings().model_dump_json()
    config = RunConfig(settings=Settings(opening="complaint"))
    assert config.practised().settings.opening == "complaint"


def test_what_the_unseen_note_says_is_never_denied() -> None:
    view = patient_view(noted(), persona=persona("plain"), unknown="standard", note_shown=False)
    asked = Said(minute=0, by="doctor", text="Do you have night sweats?")
    assert answer(Request(view, (asked,), "w")).answer == voice.UNSURE


def test_a_judge_counts_nothing_of_a_note_that_was_not_shown() -> None:
    episode = Episode(0, noted(), persona("plain"), Settings(opening="complaint"), "0")
    assert "night sweats" not in episode.seen_case().opening.door_note
    usual = Episode(0, noted(), persona("plain"), Settings(), "0")
    assert usual.seen_case() is usual.case
