"""The configuration of a run of consultations, with the options that set it. Its casts are in `casting`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final

from pydantic import Field

from osler.cases.model import Case
from osler.cases.personas import persona
from osler.core.config import Config
from osler.core.events import Seat
from osler.core.factory import Factory
from osler.core.names import player_name
from osler.core.option import Option, seat_option
from osler.core.role import NOBODY, PERSON
from osler.errors import BadInput
from osler.protocols.consultation.memory.memory_config import Again, MemoryUse, use_from
from osler.protocols.consultation.settings import PROTOCOL, Settings
from osler.protocols.shared.settings import Moves, PersonaName

if TYPE_CHECKING:
    from osler.cases.sources import CaseSource
    from osler.models.types import Message
    from osler.protocols.consultation.casting import ConsultationCasting
    from osler.protocols.consultation.episode import Episode
    from osler.store.records import EpisodeRow
    from osler.store.store import Store

PLAYERS: Final[Mapping[Seat, tuple[str, ...]]] = {
    "doctor": (
        *("baseline", "baseline-naive", "null", "always-conclude", "oracle", "parrot", "repeat-everything"),
        *("opening-only", "options-first", "options-longest", "options-most-specific"),
        *("availability-only", "first-told"),
    ),
    "patient": ("baseline", "reciter"),
    "examination": ("baseline",),
    "consultant": ("baseline",),
    "describer": (),
    "summarizer": ("baseline",),
    "synthesizer": (),
}
"""The names of the built-in players of each seat; `casting.BUILT_IN` has the players."""
_MODEL: Final = ("model:NAME", "scripted:FILE")

_SEX: Final = "gender/"


class RunConfig(Config):
    """The configuration that determines a run's consultations: names, no instances; stored in the manifest as
    it is."""

    protocol: ClassVar[str] = PROTOCOL
    model: ClassVar[type[Case]] = Case
    world: ClassVar[tuple[str, ...]] = ("persona", "settings.unknown")
    looked_up: ClassVar[tuple[str, ...]] = ("persona", "settings.language", "bias", "twin")

    doctor: Annotated[
        str,
        seat_option(
            "The doctor",
            PLAYERS["doctor"],
            *(PERSON, *_MODEL),
            wrapped="+cot, +ensemble:N, +discuss:N, +memory",
            first=True,
            several=True,
        ),
    ] = "baseline"
    patient: Annotated[str, seat_option("The patient", PLAYERS["patient"], PERSON, *_MODEL, first=True)] = (
        "baseline"
    )
    examination: Annotated[
        str, seat_option("The examination and its results", PLAYERS["examination"], *_MODEL)
    ] = "baseline"
    consultant: Annotated[str, seat_option("The consultant", PLAYERS["consultant"], NOBODY, *_MODEL)] = NOBODY
    specialties: Annotated[
        tuple[str, ...],
        Option("Add a consultant of this specialty; may be given several times.", "seats", "--specialty"),
    ] = ()
    """If any are named, a consultant of each specialty answers instead of a single general one."""
    describer: Annotated[
        str,
        seat_option("Describes pictures to a doctor without vision", PLAYERS["describer"], NOBODY, *_MODEL),
    ] = NOBODY
    # Two writers, left out where nobody is named, so that manifests stay as they were.
    summarizer: Annotated[
        str,
        seat_option(
            "Writes the summary of --arm summarized (none: the doctor's model, else baseline)",
            PLAYERS["summarizer"],
            *(NOBODY, *_MODEL),
        ),
    ] = Field(default=NOBODY, exclude_if=lambda name: name == NOBODY)
    """Who writes the summary of `format_arm="summarized"`; if nobody is named, the doctor's model, and
    without one the built-in summarizer."""
    synthesizer: Annotated[
        str,
        seat_option(
            "Makes up the results of --unknown synthesize (none: the examination's model)",
            PLAYERS["synthesizer"],
            *(NOBODY, *_MODEL),
        ),
    ] = Field(default=NOBODY, exclude_if=lambda name: name == NOBODY)
    """Who makes up the results of `unknown="synthesize"`; if nobody is named, the examination's model."""
    persona: PersonaName = "plain"
    moves: Moves = "json"
    coaching: Annotated[
        bool, Option("Tell a model doctor how patients come to speak of private matters.", "encounter")
    ] = False
    ground: Annotated[
        bool,
        Option(
            "Reject what a person says as the patient and no fact supports; a model's words always are.",
            "encounter",
        ),
    ] = False
    second_reader: Annotated[
        str | None,
        Option(
            "model:NAME that also checks the patient's replies against the facts.",
            "encounter",
            metavar="model:NAME",
            usual="none",
        ),
    ] = None
    places: tuple[int, ...] | None = None
    """Only the cases at these indexes of the source, from 0; episodes are numbered in this order."""
    settings: Settings = Settings()
    bias: Annotated[
        str,
        Option(
            "A bias that the doctor or the patient has.",
            "encounter",
            metavar="SIDE/NAME/INTENSITY",
            usual="none",
        ),
    ] = ""
    twin: Annotated[
        str,
        Option(
            "Play the counterfactual twins of the cases, with this trait of the patient.",
            "encounter",
            metavar="TRAIT/VALUE",
            usual="none",
        ),
    ] = ""
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
        from osler.protocols.consultation.casting import ConsultationCasting  # noqa: PLC0415 - import time

        persona(self.persona)
        return ConsultationCasting(self, more)

    def handed_over(
        self, more: Mapping[str, Factory] | None, store: Store, source: CaseSource
    ) -> Mapping[str, Factory] | None:
        """`more`, and the factory of `+memory`."""
        from osler.protocols.consultation.memory.retrieval import with_experience  # noqa: PLC0415 - import time

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
        from osler.protocols.shared.model.second_reader import reading_of  # noqa: PLC0415 - import time
        from osler.protocols.shared.patient import PatientReply  # noqa: PLC0415 - import time

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
        if not self.twin:
            return case
        from osler.protocols.consultation.twins import twin_of  # noqa: PLC0415 - import time

        return twin_of(case, self.twin)

    def episode(self, ordinal: int, case: Case, source: CaseSource) -> Episode:
        """Return an episode of a `ready` case."""
        from osler.protocols.consultation.episode import Episode  # noqa: PLC0415 - import time
        from osler.protocols.consultation.twins import form_of  # noqa: PLC0415 - import time

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


def _check_writers(config: RunConfig) -> None:
    """Raise BadInput for a summarizer or a synthesizer without anything to write."""
    if config.summarizer != NOBODY and config.settings.format_arm != "summarized":
        raise BadInput(
            "there is no consultation to summarize",
            where="--summarizer",
            hint="add --arm summarized",
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


CONFIG: Final = RunConfig
