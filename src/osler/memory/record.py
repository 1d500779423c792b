"""The doctor's record of an episode, read from the trace: nothing that the doctor was not told."""

from __future__ import annotations

from typing import Final, NamedTuple

from osler.encounter.consultation import conclusion_of
from osler.encounter.trace import Trace
from osler.seats.consultation_events import Advised
from osler.seats.events import Said
from osler.seats.order_events import Pictured, Resulted
from osler.seats.pictures import Picture

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


def record_of(trace: Trace) -> Record:
    """Read a trace. Raises BadInput as `Trace.events` does."""
    dialogue: list[tuple[str, str]] = []
    results: list[tuple[str, str]] = []
    pictures: list[Picture] = []
    for event in trace.events:
        match event:
            case Said() if event.by == "doctor" or "doctor" in event.to:
                dialogue.append((event.by, event.text))
            case Advised() if "doctor" in event.to:
                dialogue.append(("consultant", event.note))
            case Resulted() if event.returned and "doctor" in event.to:
                results.append((event.name, event.text))
                pictures += [event.picture] if event.picture else []
            case Pictured():
                # The doctor was given it in words, so its look is part of the experience.
                pictures.append(event.picture)
            case _:
                pass
    complaint = next((text for by, text in dialogue if by not in DOCTORS), "")
    final = conclusion_of(trace)
    return Record(
        complaint, tuple(dialogue), tuple(results), tuple(pictures), final["diagnosis"] if final else None
    )
