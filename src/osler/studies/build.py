"""From names and settings to players: who may be asked for by name, and what each needs to be built."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import Field

from osler.cases.model import Case
from osler.cases.personas import persona
from osler.cases.sources import CaseSource
from osler.encounter.consultation import PROTOCOL, Settings
from osler.errors import BadInput
from osler.players.baseline.consultant import BaselineConsultant
from osler.players.baseline.doctor import BaselineDoctor
from osler.players.baseline.examination import BaselineExamination
from osler.players.baseline.patient import BaselinePatient
from osler.players.oracle import Oracle
from osler.players.probes import AvailabilityOnly, FirstTold, OpeningOnly, OptionsOnly
from osler.players.repeating import Parrot, Reciter, RepeatEverything
from osler.players.saying import SaysNext
from osler.players.scripted import Scripted, from_file
from osler.players.trivial import AlwaysConclude, NullDoctor
from osler.seats.contract import Player
from osler.seats.events import Frozen, Seat
from osler.studies.branch_point import BranchPoint, seeding
from osler.studies.execute import Episode
from osler.studies.oracle_plan import oracle_plan

NONE = "none"
WITH_ARGUMENT = {"scripted": "FILE", "model": "NAME"}


class RunConfig(Frozen):
    """All that decides a run's episodes. Names, no instances; goes into the manifest as it is."""

    cases: str = "library"
    format: str = "auto"
    doctor: str = "baseline"
    patient: str = "baseline"
    examination: str = "baseline"
    consultant: str = NONE
    describer: str = NONE
    persona: str = "plain"
    moves: Literal["json", "text"] = "json"
    models: dict[str, str] = Field(default_factory=dict)
    ground: bool = False
    """Whether a person's free words as the patient are held to its facts; a model's always are."""
    second_reader: str | None = None
    """`model:NAME` that reads such answers as well, after the words alone show nothing wrong."""
    seed: int = 0
    repeats: int = Field(default=1, ge=1, le=1_000_000)
    limit: int | None = Field(default=None, ge=1)
    only: str | None = None
    settings: Settings = Settings()
    branch: BranchPoint | None = None
    say: str | None = None
    """In a branch, what the doctor's next move says to the patient, whoever the doctor is."""

    def players(self) -> dict[Seat, str]:
        """The name in each seat that is taken."""
        named: dict[Seat, str] = {
            "doctor": self.doctor,
            "patient": self.patient,
            "examination": self.examination,
            "consultant": self.consultant,
            "describer": self.describer,
        }
        return {seat: name for seat, name in named.items() if name != NONE}

    @property
    def protocol(self) -> str:
        """The story that is played."""
        return PROTOCOL

    def casting(self, more: Mapping[str, Factory] | None = None) -> Casting:
        """Who builds the casts. Raises BadInput for a name that nobody knows."""
        persona(self.persona)
        return Casting(self, more)

    def ready(self, case: Case) -> Case:
        """The case as it is played."""
        return case

    def episode(self, ordinal: int, case: Case, source: CaseSource) -> Episode:
        """One episode of a case that is `ready`."""
        seeding = self.seeding(ordinal % self.repeats)
        return Episode(ordinal, case, persona(self.persona), self.settings, *seeding)

    def seeding(self, repeat: int) -> tuple[str, str, tuple[tuple[int, str], ...]]:
        """An episode's `seed`, `kept` and `reseeded`."""
        return seeding(self.seed, repeat, self.branch)


class Asked(NamedTuple):
    """What a factory may use. Only the oracle looks at the case, which is why it is privileged."""

    seat: Seat
    case: Case
    argument: str


Factory = Callable[[Asked], Player]

_doctor, _patient = BaselineDoctor(), BaselinePatient()
_examination, _consultant = BaselineExamination(), BaselineConsultant()
_null, _always = NullDoctor(), AlwaysConclude()
_scripts: dict[str, Scripted] = {}


def _scripted(asked: Asked) -> Player:
    if asked.argument not in _scripts:
        _scripts[asked.argument] = from_file(Path(asked.argument))
    return _scripts[asked.argument]


BUILT_IN: Mapping[Seat, Mapping[str, Factory]] = {
    "doctor": {
        "baseline": lambda asked: _doctor,
        "null": lambda asked: _null,
        "always-conclude": lambda asked: _always,
        "oracle": lambda asked: Oracle(oracle_plan(asked.case)),
        "parrot": lambda asked: Parrot(),
        "repeat-everything": lambda asked: RepeatEverything(),
        "opening-only": lambda asked: OpeningOnly(),
        "options-first": lambda asked: OptionsOnly("first"),
        "options-longest": lambda asked: OptionsOnly("longest"),
        "options-most-specific": lambda asked: OptionsOnly("most specific"),
        "availability-only": lambda asked: AvailabilityOnly(),
        "first-told": lambda asked: FirstTold(),
        "scripted": _scripted,
    },
    "patient": {
        "baseline": lambda asked: _patient,
        "reciter": lambda asked: Reciter(),
        "scripted": _scripted,
    },
    "examination": {"baseline": lambda asked: _examination, "scripted": _scripted},
    "consultant": {"baseline": lambda asked: _consultant, "scripted": _scripted},
    "describer": {"scripted": _scripted},
}


class Casting:
    """Builds the cast of each episode of a run. `more` adds players by name, such as a person at a terminal.

    Raises BadInput for a name that no seat of that kind knows.
    """

    def __init__(self, config: RunConfig, more: Mapping[str, Factory] | None = None) -> None:
        self._chosen: list[tuple[Seat, Factory, str]] = []
        self._say = (config.say, config.branch.moves) if config.say and config.branch else None
        for seat, full in config.players().items():
            name, _, argument = full.partition(":")
            known = {**BUILT_IN[seat], **(more or {})}
            if (name in WITH_ARGUMENT) != bool(argument) and name in {*known, *WITH_ARGUMENT}:
                mend = f"write {name}:{WITH_ARGUMENT[name]}" if name in WITH_ARGUMENT else f"write {name}"
                raise BadInput(f"{full!r} is not a player", where=f"--{seat}", mend=mend)
            if name not in known:
                names = sorted(
                    {*known, *(f"{one}:{what}" for one, what in WITH_ARGUMENT.items())} - {"scripted"}
                )
                raise BadInput(
                    f"no {seat} is called {full!r}", where=f"--{seat}", mend=f"known: {', '.join(names)}"
                )
            self._chosen.append((seat, known[name], argument))

    def cast(self, case: Case) -> dict[Seat, Player]:
        """The players of one episode."""
        cast = {seat: factory(Asked(seat, case, argument)) for seat, factory, argument in self._chosen}
        if self._say is not None:
            cast["doctor"] = SaysNext(cast["doctor"], *self._say)
        return cast
