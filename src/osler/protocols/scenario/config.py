"""The configuration of a run of scenarios, with the options that set it. Its casts are in `casting`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, ClassVar, Final

from pydantic import field_validator

from osler.cases.personas import persona
from osler.cases.scenarios.model import Scenario
from osler.core.config import Config
from osler.core.events import Seat
from osler.core.factory import Factory
from osler.core.option import Option, seat_option
from osler.core.role import PERSON
from osler.core.source import Source
from osler.protocols.scenario.settings import PROTOCOL, ScenarioSettings
from osler.protocols.shared.settings import PersonaName

if TYPE_CHECKING:
    from osler.protocols.scenario.casting import ScenarioCasting
    from osler.protocols.scenario.episode import ScenarioEpisode

PLAYERS: Final[Mapping[Seat, tuple[str, ...]]] = {
    "examinee": ("baseline", "null", "oracle", "repeat-everything", "opening-only"),
    "patient": ("baseline",),
    "controller": ("baseline",),
}
"""The names of the built-in players of each seat; `casting.BUILT_IN` has the players."""
_MODEL: Final = ("model:NAME", "scripted:FILE")


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

    def casting(self, more: Mapping[str, Factory] | None = None) -> ScenarioCasting:
        """Return the builder of casts. Raises BadInput for an unknown name."""
        from osler.protocols.scenario.casting import ScenarioCasting  # noqa: PLC0415 - import time

        persona(self.persona)
        return ScenarioCasting(self.plays, self.players(), more, self.settings.language)

    def episode(self, ordinal: int, case: Scenario, source: Source[Scenario]) -> ScenarioEpisode:
        """Return an episode of a `ready` scenario."""
        from osler.protocols.scenario.episode import ScenarioEpisode  # noqa: PLC0415 - import time

        seeding = self.seeding(ordinal % self.repeats)
        return ScenarioEpisode(ordinal, case, persona(self.persona), self.settings, *seeding)


CONFIG: Final = ScenarioConfig
