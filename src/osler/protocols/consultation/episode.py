"""The episode of a consultation: instances, where the configuration has names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from osler.cases.door_note import door_note
from osler.cases.model import Case
from osler.protocols.consultation.settings import PROTOCOL, Settings
from osler.protocols.shared.episode import PatientEpisode


@dataclass(frozen=True, slots=True)
class Episode(PatientEpisode[Case, Settings]):
    """A consultation to be played: one case, one persona, one seed.

    Counterfactual twins, the same patient except for one trait, share the world of `twin_of`.
    """

    protocol: ClassVar[str] = PROTOCOL
    twin_of: str = ""

    def seen_case(self) -> Case:
        """Return the case as its judges take it: its note on the door is what the run showed of it."""
        shown = door_note(self.case, self.settings.opening)
        if shown == self.case.opening.door_note:
            return self.case
        opening = self.case.opening.model_copy(update={"door_note": shown})
        return self.case.model_copy(update={"opening": opening})

    def beyond(self) -> tuple[str, ...]:
        """Return, for a twin, the hash of the case as it is played."""
        return (self.case.content_hash,) if self.twin_of else ()

    def world_case(self) -> str:
        """Return the hash of the case, or the id of the case whose twin it is."""
        return self.twin_of or self.case.content_hash
