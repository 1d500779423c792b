"""The configuration of a run of scenarios, with the options that set it. Its casts are in `casting`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Final

from pydantic import field_validator

from osler.cases.personas import persona
from osler.cases.scenarios.model import Scenario
from osler.core.config import ATTEMPTS, Config
from osler.core.events import Seat
from osler.core.option import Option, seat_option
from osler.core.role import PERSON
from osler.core.source import Source
from osler.protocols.scenario.settings import PROTOCOL, ScenarioSettings
from osler.protocols.shared.episode import PatientEpisode
from osler.protocols.shared.settings import PersonaName

PLAYERS: Final[Mapping[Seat, tuple[str, ...]]] = {
    "examinee": ("baseline", "null", "oracle", "repeat-everything", "opening-only"),
    "patient": ("baseline",),
    "controller": ("baseline",),
}
"""The names of the built-in players of each seat; `casting.BUILT_IN` has the players."""
TURNS_OF_A_PERSON: Final = 200
_MODEL: Final = ("model:NAME", "scripted:FILE")


class ScenarioEpisode(PatientEpisode[Scenario, ScenarioSettings]):
    """A scenario to be played: one script, one persona, one seed."""

    __slots__ = ()
    protocol: ClassVar[str] = PROTOCOL


class ScenarioConfig(Config):
    """The configuration that determines a run's scenarios: names, no instances; stored in the manifest as it
    is.

    `rubrics` is the folder of the packets' frozen rubrics, if they are not next to the packets.
    """

    protocol: ClassVar[str] = PROTOCOL
    model: ClassVar[type[Scenario]] = Scenario
    world: ClassVar[tuple[str, ...]] = ("persona", "settings.unknown")

    rubrics: Annotated[
        str | None,
        Option(
            "A folder of frozen rubrics, if packets have none beside them.",
            "cases",
            metavar="DIR",
            usual="beside the packets",
        ),
    ] = None
    examinee: Annotated[
        str,
        seat_option(
            "The examinee",
            PLAYERS["examinee"],
            *(PERSON, *_MODEL),
            wrapped="+cot, +best-of:N, +panel:N, +self-consistency:N",
            first=True,
            several=True,
        ),
    ] = "baseline"
    patient: Annotated[str, seat_option("The patient", PLAYERS["patient"], *_MODEL, first=True)] = "baseline"
    controller: Annotated[
        str, seat_option("The environment's controller", PLAYERS["controller"], *_MODEL, first=True)
    ] = "baseline"
    persona: PersonaName = "plain"
    settings: ScenarioSettings = ScenarioSettings()

    @field_validator("only")
    @classmethod
    def _first_scenario(cls, only: str | None) -> str | None:
        """A case's id alone means its first scenario."""
        return only if only is None or "/" in only else f"{only}/scenario1"

    def practised(self) -> ScenarioConfig:
        """The configuration with the limits of a person, who is told what kind of thing is awaited."""
        settings = ScenarioSettings(max_turns=TURNS_OF_A_PERSON, max_attempts=ATTEMPTS, tells_kind=True)
        return self.model_copy(update={"settings": settings})

    def episode(self, ordinal: int, case: Scenario, source: Source[Scenario]) -> ScenarioEpisode:
        """Return an episode of a `ready` scenario."""
        seeding = self.seeding(ordinal % self.repeats)
        return ScenarioEpisode(ordinal, case, persona(self.persona), self.settings, *seeding)


CONFIG: Final = ScenarioConfig
