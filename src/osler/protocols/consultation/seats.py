"""The seats of a consultation: doctor, consultant, examination service, and three that write a text.

The doctor sees the opening and what has been earned; the consultant reads what has been revealed and advises;
the service answers orders from what the case holds. The describer says what a picture shows, the summarizer
what a consultation brought to light, the synthesizer what a test that the case lacks might have shown.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from osler.core.contract import Contract, Request
from osler.core.events import Frozen, TurnBegan, View
from osler.core.order_events import Ordered, Pictured
from osler.knowledge.vocabulary import FindingKind
from osler.protocols.consultation.events import WorkingDiagnosis

Text = Annotated[str, Field(min_length=1, max_length=4000)]


class TaskView(Frozen):
    """The question of the case, without its answer. `options` maps a key such as "A" to its text."""

    kind: Literal["diagnosis", "choice", "open"]
    question: str
    options: dict[str, str] | None = None


class DoctorView(View):
    """The doctor's view: everything known before the consultation begins.

    `allowed_tests` is `None` when anything may be ordered by name; it never depends on the case.
    `memory_cards` are hints from earlier experience, not facts about this patient.
    """

    door_note: str
    patient_opening: str
    age_years: float | None
    sex: Literal["female", "male"] | None
    task: TaskView
    max_total_turns: int
    max_tests_per_visit: int | None
    max_visits: int
    has_consultant: bool
    allowed_tests: tuple[str, ...] | None = None
    memory_cards: tuple[str, ...] = ()


class ToldView(DoctorView):
    """The view of a doctor who is told of the patient instead of seeing them, and only concludes.

    `told` is the form: a vignette, one statement of the patient, the whole record, or a summary of a
    consultation.
    """

    told: Literal["vignette", "statement", "record", "summary"]


class _Move(Frozen):
    rationale: tuple[Text, ...] = ()
    working_diagnoses: tuple[WorkingDiagnosis, ...] = ()


class Ask(_Move):
    """Say something to the patient."""

    action: Literal["ASK"] = "ASK"
    question: Text


class RequestTest(_Move):
    """Order a test, an image or a physical examination by name."""

    action: Literal["REQUEST_TEST"] = "REQUEST_TEST"
    test_name: Annotated[str, Field(min_length=1, max_length=300)]


class CallMdt(_Move):
    """Ask the consultant."""

    action: Literal["CALL_MDT"] = "CALL_MDT"
    question: str = ""


class Wait(_Move):
    """Wait for the next result; if none is due in this visit, close it and see the patient again."""

    action: Literal["WAIT"] = "WAIT"


class Finalize(_Move):
    """Conclude. `answer` is the option's key where options are shown, else `None`.

    `working_diagnoses` is the final differential, most likely first.
    """

    action: Literal["FINALIZE"] = "FINALIZE"
    diagnosis: Text
    answer: str | None = None
    confidence: float | None = Field(default=None, ge=0, le=1)
    evidence: tuple[Text, ...] = ()
    plan: tuple[Text, ...] = ()
    followup: str = ""


DoctorReply = Annotated[Ask | RequestTest | CallMdt | Wait | Finalize, Field(discriminator="action")]

DoctorTurn = Request[DoctorView]

DOCTOR: Contract[DoctorView, Ask | RequestTest | CallMdt | Wait | Finalize] = Contract(
    "doctor", DoctorView, TypeAdapter(DoctorReply)
)


def this_turn(request: DoctorTurn) -> TurnBegan:
    """The event that announced the current turn, with the remainder of each limit."""
    return next(item for item in reversed(request.feed) if type(item) is TurnBegan)


class ConsultantView(View):
    """The consultant's view: the door note and the opening, as the doctor saw them."""

    door_note: str
    patient_opening: str
    age_years: float | None
    sex: str | None
    task: TaskView


class SpecialistView(ConsultantView):
    """The view of a consultant of a named specialty, such as "cardiology"."""

    specialty: str


class Advice(Frozen):
    """A note, at most one next question, and whether to conclude (MedEvoEval's MDT consultant)."""

    note: str = Field(min_length=1, max_length=4000)
    next_question: str | None = None
    recommend_finalize: bool = False
    diagnosis_suggestion: str | None = None


ConsultRequest = Request[ConsultantView]

CONSULTANT: Contract[ConsultantView, Advice] = Contract("consultant", ConsultantView, TypeAdapter(Advice))


class FindingView(Frozen):
    """A finding of the case, with the names it may be ordered by."""

    id: str
    kind: FindingKind
    name: str
    aliases: tuple[str, ...] = ()
    result: str


class ExaminationView(View):
    """The service's view: the findings it can look up."""

    findings: tuple[FindingView, ...]


class ExaminationReply(Frozen):
    """What an order means. An order may name several things at once.

    `match_type`: `exact` and `alias` return `findings` (ids of the case's). `fuzzy`: the name is near
    something orderable, so the doctor is asked to name it in full. `none`: the case holds nothing of that
    name. `unheld` are the formulary's names of real tests that the case does not hold: the run's policy
    answers those. `unclear` are parts of the order, as written, that nothing could be made of. `claimed` are
    the findings that were chosen, where the order was read as well: `findings` are those it can mean.
    """

    match_type: Literal["exact", "alias", "fuzzy", "none"]
    findings: tuple[str, ...] = ()
    matched_test_name: str | None = None
    unheld: tuple[str, ...] = ()
    unclear: tuple[str, ...] = ()
    reason: str = ""
    claimed: tuple[str, ...] | None = Field(default=None, exclude_if=lambda claimed: claimed is None)


ExaminationOrder = Request[ExaminationView]

EXAMINATION: Contract[ExaminationView, ExaminationReply] = Contract(
    "examination", ExaminationView, TypeAdapter(ExaminationReply)
)


def order_of(request: ExaminationOrder) -> Ordered:
    """The order to answer now."""
    return next(item for item in reversed(request.feed) if type(item) is Ordered)


class DescriberView(View):
    """The describer's view, which is empty: it knows only the pictures it is shown."""


class Description(Frozen):
    """What is to be seen."""

    text: str = Field(min_length=1, max_length=4000)


DescriberTurn = Request[DescriberView]

DESCRIBER: Contract[DescriberView, Description] = Contract(
    "describer", DescriberView, TypeAdapter(Description)
)


class SummarizerView(View):
    """The summarizer's view: what stood on the door. The consultation it hears."""

    door_note: str
    age_years: float | None
    sex: Literal["female", "male"] | None


class SynthesizerView(View):
    """The view of whoever makes up a result: the patient's age and sex, and nothing of the case."""

    age_years: float | None
    sex: Literal["female", "male"] | None


class WrittenText(Frozen):
    """A text: a summary, or a result."""

    text: str = Field(min_length=1, max_length=8000)


SummarizerTurn = Request[SummarizerView]

SUMMARIZER: Contract[SummarizerView, WrittenText] = Contract(
    "summarizer", SummarizerView, TypeAdapter(WrittenText)
)

SYNTHESIZER: Contract[SynthesizerView, WrittenText] = Contract(
    "synthesizer", SynthesizerView, TypeAdapter(WrittenText)
)


def picture_of(request: DescriberTurn) -> Pictured:
    """The picture to describe now."""
    return next(item for item in reversed(request.feed) if type(item) is Pictured)
