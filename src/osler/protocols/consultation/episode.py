"""The episode of a consultation: instances, where the configuration has names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from osler.cases.door_note import door_note
from osler.cases.model import Case
from osler.core import episode as core
from osler.knowledge.vocabulary import Persona
from osler.protocols.consultation.settings import PROTOCOL, Settings


@dataclass(frozen=True, slots=True)
class Episode(core.Episode):
    """A consultation to be played: one case, one persona, one seed.

    Counterfactual twins, the same patient except for one trait, share the world of `twin_of`.
    """

    protocol: ClassVar[str] = PROTOCOL
    ordinal: int
    case: Case
    persona: Persona
    settings: Settings
    seed: str
    kept: str = ""
    reseeded: tuple[tuple[int, str], ...] = ()
    twin_of: str = ""

    def seen_case(self) -> Case:
        """Return the case as its judges take it: its note on the door is what the run showed of it."""
        shown = door_note(self.case, self.settings.opening)
        if shown == self.case.opening.door_note:
            return self.case
        opening = self.case.opening.model_copy(update={"door_note": shown})
        return self.case.model_copy(update={"opening": opening})

    def setting(self) -> tuple[str, ...]:
        """Return the persona, and the policy for what the case does not specify."""
        return self.persona.model_dump_json(), self.settings.unknown

    def beyond(self) -> tuple[str, ...]:
        """Return, for a twin, the hash of the case as it is played."""
        return (self.case.content_hash,) if self.twin_of else ()

    def world_case(self) -> str:
        """Return the hash of the case, or the id of the case whose twin it is."""
        return self.twin_of or self.case.content_hash
