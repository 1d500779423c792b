"""From names and settings to players: who may be asked for by name, and what each needs to be built."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar, Literal

from osler.cases.model import Case
from osler.cases.personas import persona
from osler.cases.sources import CaseSource, open_source
from osler.encounter.consultation import PROTOCOL, Settings
from osler.errors import BadInput
from osler.knowledge.conditions import specialties
from osler.players.baseline.consultant import BaselineConsultant
from osler.players.baseline.doctor import BaselineDoctor
from osler.players.baseline.examination import BaselineExamination
from osler.players.baseline.naive import NAME as NAIVE
from osler.players.baseline.naive import NaiveDoctor
from osler.players.baseline.patient import BaselinePatient
from osler.players.experience.biased import BiasedDoctor, BiasedPatient
from osler.players.experience.panel import Panel
from osler.players.oracle import Oracle
from osler.players.probes import AvailabilityOnly, FirstTold, OpeningOnly, OptionsOnly
from osler.players.repeating import Parrot, Reciter, RepeatEverything
from osler.players.saying import SaysNext
from osler.players.scripted import Scripted, from_file
from osler.players.trivial import AlwaysConclude, NullDoctor
from osler.seats.composite import AnyPlayer
from osler.seats.contract import Player
from osler.seats.events import Seat
from osler.studies import doctors
from osler.studies.biases import Bias, bias_named, met_by, target_of
from osler.studies.config import AnyConfig
from osler.studies.execute import Episode
from osler.studies.experience.use import Again, MemoryUse
from osler.studies.factory import Asked as Asked
from osler.studies.factory import Factory as Factory
from osler.studies.oracle_plan import oracle_plan
from osler.studies.twins import form_of, twin_named, twin_of

NONE = "none"
WITH_ARGUMENT = {"scripted": "FILE", "model": "NAME"}


class RunConfig(AnyConfig):
    """All that decides a run's episodes. Names, no instances; goes into the manifest as it is."""

    model: ClassVar[type[Case]] = Case

    doctor: str = "baseline"
    patient: str = "baseline"
    examination: str = "baseline"
    consultant: str = NONE
    specialties: tuple[str, ...] = ()
    """Where any are named, a consultant of each answers instead of one of none."""
    describer: str = NONE
    persona: str = "plain"
    moves: Literal["json", "text"] = "json"
    ground: bool = False
    """Whether a person's free words as the patient are held to its facts; a model's always are."""
    second_reader: str | None = None
    """`model:NAME` that reads such answers as well, after the words alone show nothing wrong."""
    places: tuple[int, ...] | None = None
    """Only the cases at these places of the source, from 0; episodes are numbered in their order."""
    settings: Settings = Settings()
    bias: str = ""
    """`SIDE/NAME/INTENSITY`: a bias that the doctor or the patient has."""
    twin: str = ""
    """`TRAIT/VALUE`: the cases as they would be with another trait of the patient."""
    memory: MemoryUse | None = None
    """What a doctor called `...+memory` looks into."""
    again: Again | None = None
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

    def opened(self) -> CaseSource:
        """The run's cases. Raises BadInput where there are none."""
        return open_source(self.cases, self.format)

    def casting(self, more: Mapping[str, Factory] | None = None) -> Casting:
        """Who builds the casts. Raises BadInput for a name that nobody knows."""
        persona(self.persona)
        return Casting(self, more)

    def ready(self, case: Case) -> Case:
        """The case as it is played."""
        return twin_of(case, self.twin) if self.twin else case

    def episode(self, ordinal: int, case: Case, source: CaseSource) -> Episode:
        """One episode of a case that is `ready`."""
        seeding = self.seeding(ordinal % self.repeats)
        settings, twin = self.settings, case.id if self.twin else ""
        if self.twin:
            settings = settings.model_copy(update={"form": form_of(case, self.twin)})
        return Episode(ordinal, case, persona(self.persona), settings, *seeding, twin_of=twin)


_doctor, _naive, _patient = BaselineDoctor(), NaiveDoctor(), BaselinePatient()
_examination, _consultant = BaselineExamination(), BaselineConsultant()
_null, _always = NullDoctor(), AlwaysConclude()
_scripts: dict[str, Scripted] = {}


def scripted(asked: Asked) -> Player:
    """The player `scripted:FILE`, each file read once."""
    if asked.argument not in _scripts:
        _scripts[asked.argument] = from_file(Path(asked.argument))
    return _scripts[asked.argument]


BUILT_IN: Mapping[Seat, Mapping[str, Factory]] = {
    "doctor": {
        "baseline": lambda asked: _doctor,
        NAIVE: lambda asked: _naive,
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
        "scripted": scripted,
    },
    "patient": {
        "baseline": lambda asked: _patient,
        "reciter": lambda asked: Reciter(),
        "scripted": scripted,
    },
    "examination": {"baseline": lambda asked: _examination, "scripted": scripted},
    "consultant": {"baseline": lambda asked: _consultant, "scripted": scripted},
    "describer": {"scripted": scripted},
}


class Casting:
    """Builds the cast of each episode of a run. `more` adds players by name, such as a person at a terminal,
    and what a doctor may be built into, such as `+memory`.

    Raises BadInput for a name that no seat of that kind knows.
    """

    def __init__(self, config: RunConfig, more: Mapping[str, Factory] | None = None) -> None:
        self._chosen: list[tuple[Seat, Factory, str]] = []
        self._say = (config.say, config.branch.moves) if config.say and config.branch else None
        self._around, self._more = doctors.check(config.doctor, more or {}).around, more or {}
        self._specialties, self._bias = config.specialties, bias_named(config.bias) if config.bias else None
        self._against = met_by(self._bias, config.twin) if self._bias else ""
        self._modelled = config.patient.startswith("model:")
        _check_specialties(config)
        _check_bias(config)
        for seat, full in config.players().items():
            inside = doctors.inside(full) if seat == "doctor" else full
            name, _, argument = inside.partition(":")
            known = {**BUILT_IN[seat], **{n: f for n, f in self._more.items() if n[0] != doctors.MARK}}
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

    def cast(self, case: Case) -> dict[Seat, AnyPlayer]:
        """The players of one episode."""
        cast: dict[Seat, AnyPlayer] = {
            seat: factory(Asked(seat, case, argument)) for seat, factory, argument in self._chosen
        }
        if self._bias:
            cast[self._bias.side] = self._biased(cast[self._bias.side], self._bias, case)
        if self._specialties and "consultant" in cast:
            cast["consultant"] = Panel(cast["consultant"], self._specialties)
        if self._around:
            cast["doctor"] = doctors.built(cast["doctor"], self._around, self._more, case)
        if self._say is not None:
            cast["doctor"] = SaysNext(cast["doctor"], *self._say)
        return cast

    def _biased(self, player: AnyPlayer, bias: Bias, case: Case) -> AnyPlayer:
        target = target_of(case)
        if bias.side == "doctor":
            return BiasedDoctor(player, bias.name, bias.intensity, target, self._against)
        return BiasedPatient(player, bias.name, bias.intensity, target, built_in=not self._modelled)


def _check_specialties(config: RunConfig) -> None:
    if config.specialties and config.consultant == NONE:
        raise BadInput("there is no consultant", where="--specialty", mend="add --consultant baseline")
    for name in config.specialties:
        if name not in specialties():
            raise BadInput(
                f"no consultant is of {name!r}",
                where="--specialty",
                mend=f"known: {', '.join(specialties())}",
            )
    if config.consultant == NONE and (config.settings.mdt != "on demand" or config.settings.mdt_every):
        raise BadInput("there is no consultant to be heard", where="--mdt", mend="add --consultant baseline")


def _check_bias(config: RunConfig) -> None:
    if config.twin:
        twin_named(config.twin)
    if config.bias:
        side = bias_named(config.bias).side
        name = doctors.inside(config.players().get(side, NONE))
        if name == "person":
            raise BadInput("a person has a mind of their own", where="bias", mend=f"seat another {side}")
