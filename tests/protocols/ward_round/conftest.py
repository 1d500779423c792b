"""What the tests of the ward round share: a small case to teach, a cohort, and one way to play a round."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence

import pytest

from osler.cases.model import Case, Sibling, SocraticStep, TeachingPlan
from osler.cases.personas import persona
from osler.core.contract import Player
from osler.core.events import Seat
from osler.core.table import Recorder
from osler.core.trace import ExchangeRow, Trace
from osler.protocols.shared.players.patient import BaselinePatient
from osler.protocols.ward_round.episode import RoundEpisode
from osler.protocols.ward_round.players.expert import BaselineExpert
from osler.protocols.ward_round.players.patient import RoundPatient
from osler.protocols.ward_round.players.tutors import Socratic
from osler.protocols.ward_round.seats import Level, StudentProfile, student_seats
from osler.protocols.ward_round.settings import RoundSettings, Theory
from osler.testing.cases import small_case
from tests.protocols.ward_round.casts import built_in_cast
from tests.protocols.ward_round.players import PlainStudent, PlainTutor, Reviewer

NAMES = ("Ann", "Ben", "Cara", "Dev", "Eva", "Finn", "Grace", "Hugo", "Ines", "Jack")
LEVELS: tuple[Level, ...] = ("beginner", "intermediate", "advanced")
Play = Callable[..., Trace]

PLAN = TeachingPlan(
    objectives=("Reason from the story to the test.",),
    steps=(
        SocraticStep(
            key_question="Which features of the cough would make you worry?",
            summary="Blood, weight loss and night sweats point to something serious.",
        ),
        SocraticStep(
            key_question="Which examination tells consolidation from fluid?",
            summary="Bronchial breathing with dull percussion means consolidation; stony dullness, effusion.",
        ),
        SocraticStep(
            key_question="What decides where treatment takes place?",
            summary="Confusion, urea, breathing rate, pressure and age decide between home and hospital.",
        ),
    ),
    siblings=(
        Sibling(
            stem="Percussion is stony dull at the left base. What lies there?",
            options={"A": "Consolidated lung", "B": "Fluid", "C": "Air"},
            answer="B",
            step=1,
        ),
        Sibling(
            stem="Which of these sends somebody with a chest infection to hospital?",
            options={"A": "A wet cough", "B": "Green sputum", "C": "New confusion"},
            answer="C",
            step=2,
        ),
    ),
)


def taught_case() -> Case:
    """The small case with a plan to teach by."""
    return small_case(teaching=PLAN)


def cohort(number: int = 3) -> tuple[StudentProfile, ...]:
    """The first of ten students, of three levels by turns."""
    return tuple(StudentProfile(name=NAMES[k], level=LEVELS[k % 3]) for k in range(number))


def plain_cast(number: int = 3) -> dict[Seat, Player]:
    """Everybody present, nobody who knows anything; only patient and expert are the built-in ones."""
    return {
        "tutor": PlainTutor(),
        "patient": RoundPatient(BaselinePatient()),
        "specialist": Reviewer("specialist"),
        "supervisor": Reviewer("supervisor"),
        "expert": BaselineExpert(),
        **dict.fromkeys(student_seats(number), PlainStudent()),
    }


def socratic_cast(case: Case, number: int = 3, theory: Theory = "construct") -> dict[Seat, Player]:
    """The built-in players."""
    return built_in_cast(case, cohort(number), Socratic(), theory)


def episode(case: Case | None = None, number: int = 3, seed: str = "0", **settings: object) -> RoundEpisode:
    """An episode of the small case unless another is given."""
    rules = RoundSettings.model_validate(settings)
    return RoundEpisode(0, case or taught_case(), persona("plain"), cohort(number), rules, seed)


@pytest.fixture
def teach() -> Play:
    """`teach(cast, case=..., number=..., seed=..., **settings)` plays one round and returns its trace."""

    def run(
        cast: Mapping[Seat, Player],
        *,
        case: Case | None = None,
        number: int = 3,
        seed: str = "0",
        recorded: Sequence[ExchangeRow] = (),
        onward: Recorder | None = None,
        **settings: object,
    ) -> Trace:
        return asyncio.run(episode(case, number, seed, **settings).play(cast, onward, recorded))

    return run
