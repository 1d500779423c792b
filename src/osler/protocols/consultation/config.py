"""The configuration of a run of consultations, its built-in players by name, and the builder of its casts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Final, Literal

from pydantic import Field

from osler.cases.model import Case
from osler.cases.personas import persona
from osler.cases.sources import CaseSource
from osler.core.composite import AnyPlayer
from osler.core.config import Config
from osler.core.events import Seat
from osler.core.factory import Factory, always
from osler.core.names import player_name
from osler.core.role import NOBODY, PERSON
from osler.errors import BadInput
from osler.knowledge.conditions import specialties
from osler.models.types import Message
from osler.players.casting import Casting
from osler.protocols.consultation.biases import Bias, bias_named, met_by, target_of
from osler.protocols.consultation.episode import Episode
from osler.protocols.consultation.memory.memory_config import Again, MemoryUse, use_from
from osler.protocols.consultation.memory.retrieval import with_experience
from osler.protocols.consultation.oracle_plan import oracle_plan
from osler.protocols.consultation.players.consultant import BaselineConsultant
from osler.protocols.consultation.players.doctor import BaselineDoctor
from osler.protocols.consultation.players.examination import BaselineExamination
from osler.protocols.consultation.players.naive import NAME as NAIVE
from osler.protocols.consultation.players.naive import NaiveDoctor
from osler.protocols.consultation.players.oracle import Oracle
from osler.protocols.consultation.players.probes import AvailabilityOnly, FirstTold, OpeningOnly, OptionsOnly
from osler.protocols.consultation.players.summarizer import BaselineSummarizer
from osler.protocols.consultation.players.trivial import (
    AlwaysConclude,
    NullDoctor,
    Parrot,
    Reciter,
    RepeatEverything,
)
from osler.protocols.consultation.story import PROTOCOL, TOLD_AT_ONCE, Settings
from osler.protocols.consultation.twins import form_of, twin_named, twin_of
from osler.protocols.consultation.wrappers.biased import BiasedDoctor, BiasedPatient
from osler.protocols.consultation.wrappers.interventions import SaysNext
from osler.protocols.consultation.wrappers.panel import Panel
from osler.protocols.shared.model.second_reader import reading_of
from osler.protocols.shared.patient import PatientReply
from osler.protocols.shared.players.patient import BaselinePatient
from osler.store.records import EpisodeRow
from osler.store.store import Store

_SEX: Final = "gender/"


class RunConfig(Config):
    """The configuration that determines a run's consultations: names, no instances; stored in the manifest as
    it is."""

    protocol: ClassVar[str] = PROTOCOL
    model: ClassVar[type[Case]] = Case
    world: ClassVar[tuple[str, ...]] = ("persona", "settings.unknown")
    looked_up: ClassVar[tuple[str, ...]] = ("persona", "settings.language", "bias", "twin")

    doctor: str = "baseline"
    patient: str = "baseline"
    examination: str = "baseline"
    consultant: str = NOBODY
    specialties: tuple[str, ...] = ()
    """If any are named, a consultant of each specialty answers instead of a single general one."""
    describer: str = NOBODY
    # Two writers, left out where nobody is named, so that manifests stay as they were.
    summarizer: str = Field(default=NOBODY, exclude_if=lambda name: name == NOBODY)
    """Who writes the summary of `format_arm="summarized"`; if nobody is named, the doctor's model, and
    without one the built-in summarizer."""
    synthesizer: str = Field(default=NOBODY, exclude_if=lambda name: name == NOBODY)
    """Who makes up the results of `unknown="synthesize"`; if nobody is named, the examination's model."""
    persona: str = "plain"
    moves: Literal["json", "text"] = "json"
    coaching: bool = False
    """Whether a model doctor is told how patients come to speak of private matters."""
    ground: bool = False
    """Whether a person's free text as the patient is grounded in the patient's facts; a model's always is."""
    second_reader: str | None = None
    """`model:NAME` that checks such answers too, after the lexical check has found nothing wrong."""
    places: tuple[int, ...] | None = None
    """Only the cases at these indexes of the source, from 0; episodes are numbered in this order."""
    settings: Settings = Settings()
    bias: str = ""
    """`SIDE/NAME/INTENSITY`: a bias that the doctor or the patient has."""
    twin: str = ""
    """`TRAIT/VALUE`: play the counterfactual twins of the cases, with this trait of the patient."""
    memory: MemoryUse | None = None
    """The memory that a doctor named `...+memory` retrieves from."""
    again: Again | None = None
    say: str | None = None
    """In a branch, the words of the doctor's next move, for any doctor."""

    def players(self) -> dict[Seat, str]:
        """See `Config.players`; whoever writes summaries or results sits where the settings call for it."""
        found, settings = super().players(), self.settings
        inside = {seat: player_name(self.plays.role(seat), found[seat]).inside for seat in found}
        if settings.format_arm == "summarized" and "summarizer" not in found:
            doctor = inside["doctor"]
            found["summarizer"] = doctor if doctor.startswith("model:") else "baseline"
        modelled = inside["examination"].startswith("model:")
        if settings.unknown == "synthesize" and modelled and "synthesizer" not in found:
            found["synthesizer"] = inside["examination"]
        return found

    def casting(self, more: Mapping[str, Factory] | None = None) -> ConsultationCasting:
        """Return the builder of casts. Raises BadInput for an unknown name."""
        persona(self.persona)
        return ConsultationCasting(self, more)

    def handed_over(
        self, more: Mapping[str, Factory] | None, store: Store, source: CaseSource
    ) -> Mapping[str, Factory] | None:
        """`more`, and the factory of `+memory`."""
        return with_experience(self.memory, self.again, more, store, source)

    def readers(self) -> tuple[str, ...]:
        """Return the second reader, if there is one."""
        return (self.second_reader,) if self.second_reader else ()

    def embedders(self) -> tuple[str, ...]:
        """Return the embedder of the memory, if it names one."""
        return (self.memory.embedder,) if self.memory and self.memory.embedder else ()

    def caveat(self) -> str:
        """See `Config.caveat`: what a memory was written under, and how it is searched."""
        return self.memory.headline if self.memory else ""

    def read_again(self, reply: Any, request: Any) -> tuple[Message, ...]:
        """The second reader is sent each answer of the patient."""
        return reading_of(reply.answer, request) if isinstance(reply, PatientReply) else ()

    def check_seating(self, models: Any) -> None:
        """Raise BadInput for a second reader with nothing to read, for a writer with nothing to write, and
        for pictures that no one can see."""
        _check_second_reader(self)
        _check_writers(self)
        doctor = self.insides()["doctor"]
        blind = doctor == "baseline"
        if doctor.startswith("model:") and models is not None:
            blind = not models.has_eyes(doctor.removeprefix("model:"))
        _check_pictures(self, blind=blind)

    def blind(self, models: Any) -> tuple[str, ...]:
        """See `Config.blind`: with a describer nobody else needs eyes."""
        described = self.describer != NOBODY
        return tuple(one for one in super().blind(models) if not described or one == self.describer)

    def ready(self, case: Case) -> Case:
        """Return the case as it is played."""
        return twin_of(case, self.twin) if self.twin else case

    def episode(self, ordinal: int, case: Case, source: CaseSource) -> Episode:
        """Return an episode of a `ready` case."""
        seeding = self.seeding(ordinal % self.repeats)
        settings, twin = self.settings, case.id if self.twin else ""
        if self.twin:
            settings = settings.model_copy(update={"form": form_of(case, self.twin)})
        return Episode(ordinal, case, persona(self.persona), settings, *seeding, twin_of=twin)

    def weighed(self, stand_in: str = "") -> RunConfig:
        """See `Config.weighed`; as no built-in player sees or makes up results, a picture has to come with
        its report, and what the case lacks follows the usual policy."""
        found = (
            super().weighed(stand_in).model_copy(update={"say": None, "memory": None, "second_reader": None})
        )
        without = {} if found.describer != NOBODY or stand_in else {"pictures": "reported"}
        if "synthesizer" not in found.players():
            without |= _nothing_made_up(found.settings)
        return found.model_copy(update={"settings": found.settings.model_copy(update=without)})

    @classmethod
    def of_condition(cls, changes: Mapping[str, Any], before: tuple[str, ...]) -> RunConfig:
        """See `Config.of_condition`; bias `none` means no bias; a memory learns from an earlier condition."""
        bias, memory = changes.get("bias", NOBODY), use_from(changes.get("memory"), before)
        return cls.model_validate({**changes, "bias": "" if bias == NOBODY else bias, "memory": memory})

    def pairs_with(self, other: Config, one: EpisodeRow, another: EpisodeRow) -> bool:
        """See `Config.pairs_with`; gender twins differ in the case, so equal cases are not a pair."""
        twins = isinstance(other, RunConfig) and self.twin.startswith(_SEX) and other.twin.startswith(_SEX)
        return not twins or one.case_hash != another.case_hash

    def probing(self, player: str) -> RunConfig:
        """See `Config.probing`; options are shown, and `first-told` gets the facts in the case's order."""
        shown = self.settings.model_copy(update={"options": "shown"})
        patient = "reciter" if self.plays.probes.get(player) == "facts" else "baseline"
        return self.model_copy(update={"settings": shown}).by_itself(player, patient)

    def by_itself(self, doctor: str, patient: str = "baseline") -> RunConfig:
        """Return a copy with this doctor and patient, and built-in players in the other seats."""
        reported = {"pictures": "reported", **_nothing_made_up(self.settings)}
        pictures = self.settings.model_copy(update=reported)
        seats = {"doctor": doctor, "patient": patient, "examination": "baseline", "consultant": NOBODY}
        own = {
            "describer": NOBODY,
            "summarizer": NOBODY,
            "synthesizer": NOBODY,
            "models": {},
            "ground": False,
            "second_reader": None,
            "settings": pictures,
        }
        return self.model_copy(update={**seats, **own})

    def shows(self, looked_at: str, cases: Iterable[Case]) -> bool:
        """Whether any of the cases has what a probe looks at; not every case has options."""
        return looked_at != "task.options" or any(case.task.kind == "choice" for case in cases)

    def branched(self, say: str | None) -> RunConfig:
        """Set the doctor's next words for a branch; a second reader with nothing to read is dropped."""
        reads = self.ground or self.models_in("patient")
        return self.model_copy(update={"say": say, "second_reader": self.second_reader if reads else None})


def _nothing_made_up(settings: Settings) -> dict[str, str]:
    """The change to settings under which nobody has to make up a result."""
    return {"unknown": "standard"} if settings.unknown == "synthesize" else {}


BUILT_IN: Final[Mapping[Seat, Mapping[str, Factory]]] = {
    "doctor": {
        "baseline": always(BaselineDoctor()),
        NAIVE: always(NaiveDoctor()),
        "null": always(NullDoctor()),
        "always-conclude": always(AlwaysConclude()),
        "oracle": lambda asked: Oracle(oracle_plan(asked.case)),
        "parrot": always(Parrot()),
        "repeat-everything": always(RepeatEverything()),
        "opening-only": always(OpeningOnly()),
        "options-first": always(OptionsOnly("first")),
        "options-longest": always(OptionsOnly("longest")),
        "options-most-specific": always(OptionsOnly("most specific")),
        "availability-only": always(AvailabilityOnly()),
        "first-told": always(FirstTold()),
    },
    "patient": {
        "baseline": always(BaselinePatient()),
        "reciter": always(Reciter()),
    },
    "examination": {"baseline": always(BaselineExamination())},
    "consultant": {"baseline": always(BaselineConsultant())},
    "describer": {},
    "summarizer": {"baseline": always(BaselineSummarizer())},
    "synthesizer": {},
}


class ConsultationCasting(Casting):
    """The builder of the cast of each consultation of a run, with its biases, its panel and its given words.

    Raises BadInput for a name unknown to its seat.
    """

    def __init__(self, config: RunConfig, more: Mapping[str, Factory] | None = None) -> None:
        self._say = (config.say, config.branch.moves) if config.say and config.branch else None
        self._specialties, self._bias = config.specialties, bias_named(config.bias) if config.bias else None
        self._against = met_by(self._bias, config.twin) if self._bias else ""
        self._modelled = bool(config.models_in("patient"))
        super().__init__(config.plays, config.players(), more, config.settings.language)
        _check_specialties(config)
        _check_bias(config)
        _check_format(config)

    def within(self, seat: Seat, player: AnyPlayer, case: Case) -> AnyPlayer:
        """Wrap a player in the run's bias, and the consultant in a panel of several specialties."""
        if self._bias and seat == self._bias.side:
            player = self._biased(player, self._bias, case)
        if seat == "consultant" and self._specialties:
            player = Panel(player, self._specialties)
        return player

    def cast(self, case: Case) -> dict[Seat, AnyPlayer]:
        """Return the players of one episode."""
        cast = super().cast(case)
        if self._say is not None:
            cast["doctor"] = SaysNext(cast["doctor"], *self._say)
        return cast

    def _biased(self, player: AnyPlayer, bias: Bias, case: Case) -> AnyPlayer:
        target = target_of(case)
        if bias.side == "doctor":
            return BiasedDoctor(player, bias.name, bias.intensity, target, self._against)
        return BiasedPatient(player, bias.name, bias.intensity, target, built_in=not self._modelled)


def _check_specialties(config: RunConfig) -> None:
    if config.specialties and config.consultant == NOBODY:
        raise BadInput("there is no consultant", where="--specialty", hint="add --consultant baseline")
    for name in config.specialties:
        if name not in specialties():
            raise BadInput(
                f"no consultant is of {name!r}",
                where="--specialty",
                hint=f"known: {', '.join(specialties())}",
            )
    if config.consultant == NOBODY and (config.settings.mdt != "on demand" or config.settings.mdt_every):
        raise BadInput("there is no consultant", where="--mdt", hint="add --consultant baseline")


def _check_bias(config: RunConfig) -> None:
    if config.twin:
        twin_named(config.twin)
    if config.bias:
        side = bias_named(config.bias).side
        name = config.insides().get(side, NOBODY)
        if name == PERSON:
            raise BadInput("a person cannot be given a bias", where="bias", hint=f"seat another {side}")


def _check_format(config: RunConfig) -> None:
    """Raise BadInput for a consultant in a format in which nobody can be asked, and for results to be made up
    by nobody."""
    settings = config.settings
    if settings.format_arm in TOLD_AT_ONCE and config.consultant != NOBODY:
        raise BadInput(
            f"the case is told at once ({settings.format_arm}), so a consultant is never heard",
            where="--consultant",
            hint="leave it out, or use --format-arm multi or summarized",
        )
    if settings.unknown == "synthesize" and "synthesizer" not in config.players():
        raise BadInput(
            "the built-in players make nothing up, so nobody can write a result that the case lacks",
            where="--unknown synthesize",
            hint="add --examination model:NAME or --synthesizer model:NAME, or choose another policy",
        )


def _check_writers(config: RunConfig) -> None:
    """Raise BadInput for a summarizer or a synthesizer without anything to write."""
    if config.summarizer != NOBODY and config.settings.format_arm != "summarized":
        raise BadInput(
            "there is no consultation to summarize",
            where="--summarizer",
            hint="add --format-arm summarized",
        )
    if config.synthesizer != NOBODY and config.settings.unknown != "synthesize":
        raise BadInput("no result is to be made up", where="--synthesizer", hint="add --unknown synthesize")


def _check_second_reader(config: RunConfig) -> None:
    named = config.second_reader
    if named is None:
        return
    if not named.startswith("model:"):
        raise BadInput(f"{named!r} is not a model", where="--second-reader", hint="write model:NAME")
    if not (config.ground or config.models_in("patient")):
        raise BadInput(
            "the built-in patient tells its facts and nothing else, so there is nothing to read",
            where="--second-reader",
            hint="add --patient model:NAME",
        )


def _check_pictures(config: RunConfig, *, blind: bool) -> None:
    shown = config.settings.pictures == "shown"
    if shown and blind and config.describer == NOBODY:
        raise BadInput(
            f"{config.doctor} cannot see pictures, and they come without reports",
            where="--pictures shown",
            hint="add --describer model:NAME, or set capabilities.images of an endpoint that sees",
        )
    if config.describer != NOBODY and not shown:
        raise BadInput(
            "there is nothing to describe: pictures come with their reports",
            where="--describer",
            hint="add --pictures shown",
        )
