"""The doctor's record of an episode, read from the trace: nothing that the doctor was not told."""

from __future__ import annotations

from typing import Final, NamedTuple

from osler.core.pictures import Picture

DOCTORS: Final = frozenset({"doctor", "consultant"})


class Record(NamedTuple):
    """A consultation as the doctor knows it. `dialogue` holds (seat, words), the complaint first; `results`
    (name, text) of returned results; `diagnosis` the doctor's own conclusion, if any."""

    complaint: str
    dialogue: tuple[tuple[str, str], ...]
    results: tuple[tuple[str, str], ...]
    pictures: tuple[Picture, ...]
    diagnosis: str | None

    @property
    def told(self) -> str:
        """All that was said by the patient or on the patient's behalf."""
        return " ".join(text for by, text in self.dialogue if by not in DOCTORS)

    @property
    def obtained(self) -> str:
        """The results, one line each."""
        return "\n".join(f"{name}: {text}" for name, text in self.results)
