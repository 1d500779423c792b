"""What a doctor lived through in an episode, read from the trace: nothing that the doctor was not told."""

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
    (name, text) of what was returned; `diagnosis` the doctor's own conclusion, `None` without one."""

    complaint: str
    dialogue: tuple[tuple[str, str], ...]
    results: tuple[tuple[str, str], ...]
    pictures: tuple[Picture, ...]
    diagnosis: str | None

    @property
    def told(self) -> str:
        """What the patient, or who speaks for the patient, said."""
        return " ".join(text for by, text in self.dialogue if by not in DOCTORS)

    @property
    def obtained(self) -> str:
        """The results, a line each."""
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
                # The doctor was told of it in words, so its looks are part of what was lived through.
                pictures.append(event.picture)
            case _:
                pass
    complaint = next((text for by, text in dialogue if by not in DOCTORS), "")
    final = conclusion_of(trace)
    return Record(
        complaint, tuple(dialogue), tuple(results), tuple(pictures), final["diagnosis"] if final else None
    )
