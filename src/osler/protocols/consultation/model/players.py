"""Language models as doctor, examination service, describer and consultant of a consultation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final, cast

from osler.core.composite import AnyPlayer
from osler.core.contract import Player, Request
from osler.core.events import Event, Seat, TurnBegan
from osler.core.factory import PlayerRequest
from osler.core.role import Seating
from osler.models.extraction import share_of
from osler.models.types import Output
from osler.players.model.neutral_names import Names
from osler.players.model.player import ModelPlayer
from osler.players.model.seat import ModelSeat
from osler.protocols.consultation.events import Unheld
from osler.protocols.consultation.model import prompts as lines
from osler.protocols.consultation.model.schemas import (
    CONSULTANT_ADVICE,
    EXAMINATION_MATCH,
    MOST_DIAGNOSES,
    MOST_POINTS,
    MOST_REASONS,
    doctor_form,
    form_of,
)
from osler.protocols.consultation.model.text_moves import read_move
from osler.protocols.consultation.seats import (
    CONSULTANT,
    DOCTOR,
    EXAMINATION,
    Advice,
    Ask,
    CallMdt,
    ConsultantView,
    DescriberView,
    Description,
    DoctorView,
    ExaminationReply,
    ExaminationView,
    Finalize,
    RequestTest,
    SummarizerView,
    SynthesizerView,
    ToldView,
    Wait,
    WrittenText,
    order_of,
    picture_of,
)
from osler.protocols.shared.model.claims import illnesses
from osler.protocols.shared.model.grounded import grounded
from osler.protocols.shared.model.patient import ModelPatient
from osler.protocols.shared.model.second_reader import SecondReader
from osler.text.languages import played_in

Move = Ask | RequestTest | CallMdt | Wait | Finalize

_NOTES: Final = ("rationale", "working_diagnoses")

_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "ASK": ("question",),
    "REQUEST_TEST": ("test_name",),
    "CALL_MDT": ("question",),
    "WAIT": (),
    "FINALIZE": ("diagnosis", "answer", "confidence", "evidence", "plan", "followup"),
}

_MOST_NAME: Final = 300
_MOST_TEXT: Final = 4000

if TYPE_CHECKING:
    from osler.protocols.consultation.config import RunConfig


class ModelDoctor(ModelPlayer[DoctorView, Move]):
    """A model in the doctor's seat. `moves` is "json", or "text" for models that cannot write JSON. With
    `coaching` it is told how patients come to speak of private matters. `told` says that it will, or may, be
    told of the patient instead of seeing them."""

    seat: Seat = "doctor"
    reads: ModelSeat = lines.DOCTOR_SEAT
    forms: ClassVar[tuple[Output, ...]] = (
        doctor_form("ASK", "REQUEST_TEST", "CALL_MDT", "WAIT", noted=True),
        doctor_form("ASK", "REQUEST_TEST", "WAIT"),
    )

    @classmethod
    def options(cls, asked: PlayerRequest, seating: Seating) -> Mapping[str, Any]:
        """The form of its moves, the coaching, and whether it may be told of the patient."""
        config: RunConfig = seating.config
        told = config.settings.format_arm != "multi"
        return {"moves": config.moves, "coaching": config.coaching, "told": told}

    def __init__(self, *given: Any, coaching: bool = False, told: bool = False, **more: Any) -> None:
        super().__init__(*given, **more)
        self._coaching, self._told = coaching, told
        if coaching:
            self.reads = lines.COACHED_DOCTOR_SEAT

    def _asked(self, request: Request[DoctorView]) -> Output:
        turn = next((item for item in reversed(request.feed) if isinstance(item, TurnBegan)), None)
        return form_of(request.view, noted=turn is not None and turn.differential_wanted)

    def _shape(self) -> str:
        shape = super()._shape()
        shape = f"{shape} coached" if self._coaching else shape
        return f"{shape} told {lines.TOLD_DOCTOR_SEAT.prompt().hash}" if self._told else shape

    def _reading(self, request: Request[DoctorView]) -> ModelSeat:
        return lines.TOLD_DOCTOR_SEAT if isinstance(request.view, ToldView) else self.reads

    def _read(self, request: Request[DoctorView], value: Any, /) -> Move:
        if self._moves == "text":
            return read_move(value, request.view)
        return move_of(value)


def move_of(value: Mapping[str, Any]) -> Move:
    """Parse the move from a filled form, dropping fields its action does not use. Raises ValueError."""
    action = str(value.get("action", "")).strip().upper().replace(" ", "_")
    if action not in _FIELDS:
        raise ValueError(f"action must be one of {', '.join(_FIELDS)}")
    kept: dict[str, Any] = {"action": action, "rationale": value.get("note") or None}
    for name in (*_NOTES, *_FIELDS[action]):
        if value.get(name) not in (None, ""):
            kept[name] = value[name]
    kept = {name: one for name, one in kept.items() if one is not None}
    if "confidence" in kept:
        kept["confidence"] = share_of(kept["confidence"])
    for name, most in (("rationale", MOST_REASONS), ("evidence", MOST_POINTS), ("plan", MOST_POINTS)):
        if name in kept:
            kept[name] = _texts(kept[name], most)
    if isinstance(kept.get("working_diagnoses"), list):
        workings = [_working(item) for item in kept["working_diagnoses"] if item]
        kept["working_diagnoses"] = workings[:MOST_DIAGNOSES]
    return DOCTOR.reply.validate_python(kept)


def _texts(value: object, most: int) -> object:
    """Normalise a list of texts: drop empty ones and those beyond `most`, shorten long ones, and accept a
    single text as a list of one."""
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list):
        return value
    return [item[:_MOST_TEXT] if isinstance(item, str) else item for item in value if item != ""][:most]


def _working(value: object) -> object:
    """Normalise a working diagnosis, which may be given as a bare name."""
    if isinstance(value, str):
        return {"name": value[:_MOST_NAME]}
    if isinstance(value, dict):
        name = str(value.get("name", ""))[:_MOST_NAME]
        return {"name": name, "confidence": share_of(value.get("confidence"))}
    return value


_MOST_PARTS: Final = 12

_LONGEST: Final = 300
_MATCHES: Final = {"MATCH": "alias", "AMBIGUOUS": "fuzzy", "NONE": "none"}


class ConsultedPatient(ModelPatient):
    """A model in the patient's seat of a consultation, with its answers checked, also by the run's second
    reader."""

    def checked(self, seating: Seating) -> AnyPlayer:
        """The patient with the checks around it."""
        return grounded(self, self.language, second_reader(seating))


def person_as_patient(person: AnyPlayer, request: PlayerRequest, seating: Seating) -> AnyPlayer:
    """A person as the patient, with the checks of a model's answers around them if the run says so."""
    config: RunConfig = seating.config
    if request.seat != "patient" or not config.ground:
        return person
    return grounded(cast(Player, person), played_in(config.settings, request.case), second_reader(seating))


def second_reader(seating: Seating) -> SecondReader | None:
    """The model that also checks the patient's answers, if the run names one."""
    config: RunConfig = seating.config
    if config.second_reader is None or seating.models is None:
        return None
    name = config.second_reader.removeprefix("model:")
    return SecondReader(seating.models.client(name), name)


class ModelExamination(ModelPlayer[ExaminationView, ExaminationReply]):
    """A model in the examination service's seat. Results are not in its prompt."""

    seat: Seat = "examination"
    reads: ModelSeat = lines.EXAMINATION_SEAT
    forms: ClassVar[tuple[Output, ...]] = (EXAMINATION_MATCH,)

    def _offers(self, request: Request[ExaminationView]) -> tuple[Names]:
        return (lines.finding_names(request.view),)

    def _read(self, request: Request[ExaminationView], value: Any, /) -> ExaminationReply:
        (names,) = self._offers(request)
        order = order_of(request).name
        if action := value.pop("action", None):
            reason = value.pop("note", "")
            value = {**value, "match_type": _MATCHES.get(str(action)), "reason": reason}
        reply = EXAMINATION.reply.validate_python(
            {**value, "findings": names.all_meant(value.get("findings"))}
        )
        matched = reply.match_type in ("exact", "alias")
        if matched and not reply.findings:
            raise ValueError("a match names at least one finding")
        first = next((one.name for one in request.view.findings if one.id in reply.findings[:1]), None)
        return reply.model_copy(
            update={
                "match_type": _as_called(reply.match_type, order, first),
                "findings": reply.findings if matched else (),
                "matched_test_name": first if matched else None,
                "unheld": tuple(
                    part[:_LONGEST]
                    for part in reply.unheld[:_MOST_PARTS]
                    if part.strip() and not names.is_name(part)
                ),
                # The doctor is shown only words of the order itself, so unclear parts must occur in it.
                "unclear": tuple(
                    part[:_LONGEST]
                    for part in reply.unclear[:_MOST_PARTS]
                    if part.strip() and part.casefold() in order.casefold()
                ),
                "reason": reply.reason[:_LONGEST],
            }
        )


def _as_called(match: str, order: str, name: str | None) -> str:
    """A match by the name on file is exact, and one by another name is an alias."""
    if match not in ("exact", "alias"):
        return match
    return "exact" if order.strip().casefold() == str(name).casefold() else "alias"


_LONGEST_NOTE = 4000

_LONGEST_RESULT = 1000


class ModelDescriber(ModelPlayer[DescriberView, Description]):
    """A model in the describer's seat. It answers in plain words."""

    seat: Seat = "describer"
    always_looks: ClassVar[bool] = True
    reads: ModelSeat = lines.DESCRIBER_SEAT

    def _read(self, request: Request[DescriberView], value: Any, /) -> Description:
        text = str(value).strip()
        if not text or len(text) > _LONGEST_NOTE:
            raise ValueError("describe the picture in two to six sentences")
        if named := illnesses(text) - illnesses(picture_of(request).name):
            raise ValueError(f"name no disease: say what is to be seen instead of {sorted(named)[0]!r}")
        return Description(text=text)


class ModelSummarizer(ModelPlayer[SummarizerView, WrittenText]):
    """A model in the summarizer's seat. It answers in plain words."""

    seat: Seat = "summarizer"
    reads: ModelSeat = lines.SUMMARIZER_SEAT

    def _read(self, request: Request[SummarizerView], value: Any, /) -> WrittenText:
        text = str(value).strip()
        if not text or len(text) > _LONGEST_NOTE:
            raise ValueError("write a summary of one to three paragraphs")
        told = (self.reads.line(event, request.view) for event in _events(request))
        heard = "\n".join((request.view.door_note, *told))
        if named := illnesses(text) - illnesses(heard):
            raise ValueError(f"name no disease that nobody named: leave out {sorted(named)[0]!r}")
        return WrittenText(text=text)


class ModelSynthesizer(ModelPlayer[SynthesizerView, WrittenText]):
    """A model that makes up a result which the case lacks. It answers in plain words."""

    seat: Seat = "synthesizer"
    reads: ModelSeat = lines.SYNTHESIZER_SEAT

    def _read(self, request: Request[SynthesizerView], value: Any, /) -> WrittenText:
        text = str(value).strip()
        if not text or len(text) > _LONGEST_RESULT:
            raise ValueError("write the result in one to four lines")
        ordered = next(event for event in reversed(request.feed) if isinstance(event, Unheld))
        if named := illnesses(text) - illnesses(ordered.name):
            raise ValueError(f"name no disease: write values and findings instead of {sorted(named)[0]!r}")
        return WrittenText(text=text)


def _events(request: Request[Any]) -> Iterator[Event]:
    return (item for item in request.feed if isinstance(item, Event))


class ModelConsultant(ModelPlayer[ConsultantView, Advice]):
    """A model in the consultant's seat."""

    seat: Seat = "consultant"
    reads: ModelSeat = lines.CONSULTANT_SEAT
    forms: ClassVar[tuple[Output, ...]] = (CONSULTANT_ADVICE,)

    def _read(self, request: Request[ConsultantView], value: Any, /) -> Advice:
        if action := value.pop("action", None):
            advice = value.pop("advice", "")
            value = {**value, "note": advice, "recommend_finalize": action == "CONCLUDE"}
        blank = {"next_question": None, "diagnosis_suggestion": None}
        empty = {name: None for name in blank if isinstance(value.get(name), str) and not value[name].strip()}
        return CONSULTANT.reply.validate_python({**value, **empty})
