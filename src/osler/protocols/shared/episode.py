"""The episode of an encounter with one patient, who has a persona."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from typing_extensions import TypeVar

from osler.core.episode import Episode, Limited, PlayableT
from osler.knowledge.vocabulary import Persona, Unknown


class PatientSettings(Limited, Protocol):
    """The settings of such an encounter, as far as its world goes."""

    @property
    def unknown(self) -> Unknown:
        """The policy for what the case does not specify."""
        ...


SettingsT = TypeVar("SettingsT", bound=PatientSettings, default=PatientSettings)


@dataclass(frozen=True, slots=True)
class PatientEpisode(Episode[PlayableT, SettingsT]):
    """An encounter to be played: one case, one persona, one seed."""

    ordinal: int
    case: PlayableT
    persona: Persona
    settings: SettingsT
    seed: str
    kept: str = ""
    reseeded: tuple[tuple[int, str], ...] = ()

    def setting(self) -> tuple[str, ...]:
        """Return the persona, and the policy for what the case does not specify."""
        return self.persona.model_dump_json(), self.settings.unknown
