"""The configuration of a run of consultations, with the options that set it. Its casts are in `casting`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final

from pydantic import Field, ValidationInfo, field_validator

from osler.cases.model import Case
from osler.cases.personas import persona
from osler.core.config import ATTEMPTS, EARLIER, Config
from osler.core.events import Seat
from osler.core.names import player_name
from osler.core.option import Option, seat_option
from osler.core.role import NOBODY, PERSON
from osler.errors import BadInput
from osler.protocols.consultation.memory.memory_config import Again, MemoryUse, use_from
from osler.protocols.consultation.settings import PROTOCOL, Limits, Settings
from osler.protocols.shared.settings import Moves, PersonaName

if TYPE_CHECKING:
    from osler.cases.sources import CaseSource
    from osler.protocols.consultation.episode import Episode

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

# A history in an examination of clinical skills has 40 to 60 questions, and "bloods" are three tests; the
# limits of `consult` are for benchmarks. Both are recorded in the run, and `compare` shows where they differ.
TURNS_OF_A_PERSON: Final = 200
TESTS_OF_A_PERSON: Final = 60


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

    @field_validator("bias", mode="before")
    @classmethod
    def _no_bias(cls, bias: object) -> object:
        """Bias `none` means no bias."""
        return "" if bias == NOBODY else bias

    @field_validator("memory", mode="before")
    @classmethod
    def _learnt_before(cls, memory: object, info: ValidationInfo) -> object:
        """In a study's condition, a memory learns from one that is played before it (`EARLIER`)."""
        return use_from(memory, info.context[EARLIER]) if info.context else memory

    def players(self) -> dict[Seat, str]:
        """See `Config.players`; whoever writes summaries or results sits where the settings call for it."""
        result, settings = super().players(), self.settings
        inside = {seat: player_name(self.plays.role(seat), result[seat]).inside for seat in result}
        if settings.format_arm == "summarized" and "summarizer" not in result:
            doctor = inside["doctor"]
            result["summarizer"] = doctor if doctor.startswith("model:") else "baseline"
        modelled = inside["examination"].startswith("model:")
        if settings.unknown == "synthesize" and modelled and "synthesizer" not in result:
            result["synthesizer"] = inside["examination"]
        return result

    def caveat(self) -> str:
        """See `Config.caveat`: what a memory was written under, and how it is searched."""
        return self.memory.headline if self.memory else ""

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
        result = (
            super().weighed(stand_in).model_copy(update={"say": None, "memory": None, "second_reader": None})
        )
        without = {} if result.describer != NOBODY or stand_in else {"pictures": "reported"}
        if "synthesizer" not in result.players():
            without |= nothing_made_up(result.settings)
        return result.model_copy(update={"settings": result.settings.model_copy(update=without)})

    def practised(self, turns: int = TURNS_OF_A_PERSON, tests: int | None = TESTS_OF_A_PERSON) -> RunConfig:
        """The configuration with the limits of a person, at most `turns` turns and `tests` tests in a
        visit."""
        limits = Limits(max_turns=turns, max_tests_per_visit=tests)
        settings = Settings(
            limits=limits, options="shown", opening=self.settings.opening, max_attempts=ATTEMPTS
        )
        return self.model_copy(update={"settings": settings})

    def branched(self, say: str | None) -> RunConfig:
        """Set the doctor's next words for a branch; a second reader with nothing to read is dropped."""
        reads = self.ground or self.models_in("patient")
        return self.model_copy(update={"say": say, "second_reader": self.second_reader if reads else None})


def nothing_made_up(settings: Settings) -> dict[str, str]:
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
