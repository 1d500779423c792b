"""The built-in players of consultations by name, and the builder of the casts of a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from pydantic import BaseModel

from osler.cases.model import Case
from osler.cases.personas import persona
from osler.cases.sources import CaseSource
from osler.core.composite import AnyPlayer
from osler.core.contract import Request
from osler.core.events import Seat
from osler.core.factory import Factory, always
from osler.core.role import NOBODY, PERSON
from osler.errors import BadInput
from osler.knowledge.conditions import specialties
from osler.models.types import Message
from osler.players.casting import Casting, Unseated
from osler.protocols.consultation.biases import Bias, bias_named, met_by, target_of
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.oracle_plan import oracle_plan
from osler.protocols.consultation.players.consultant import BaselineConsultant
from osler.protocols.consultation.players.doctor import BaselineDoctor
from osler.protocols.consultation.players.examination import BaselineExamination
from osler.protocols.consultation.players.naive import NAME as NAIVE
from osler.protocols.consultation.players.naive import NaiveDoctor
from osler.protocols.consultation.players.oracle import Oracle
from osler.protocols.consultation.players.probes import AvailabilityOnly, FirstTold, OpeningOnly, OptionsOnly
from osler.protocols.consultation.players.summarizer import BaselineSummarizer
from osler.protocols.consultation.players.trivial import (
    AlwaysConclude,
    NullDoctor,
    Parrot,
    Reciter,
    RepeatEverything,
)
from osler.protocols.consultation.story import TOLD_AT_ONCE
from osler.protocols.consultation.twins import twin_named
from osler.protocols.consultation.wrappers.biased import BiasedDoctor, BiasedPatient
from osler.protocols.consultation.wrappers.interventions import SaysNext
from osler.protocols.consultation.wrappers.panel import Panel
from osler.protocols.shared.patient import PatientReply, PatientView
from osler.protocols.shared.players.patient import BaselinePatient
from osler.store.store import Store

BUILT_IN: Final[Mapping[Seat, Mapping[str, Factory]]] = {
    "doctor": {
        "baseline": always(BaselineDoctor()),
        NAIVE: always(NaiveDoctor()),
        "null": always(NullDoctor()),
        "always-conclude": always(AlwaysConclude()),
        "oracle": lambda asked: Oracle(oracle_plan(asked.case)),
        "parrot": always(Parrot()),
        "repeat-everything": always(RepeatEverything()),
        "opening-only": always(OpeningOnly()),
        "options-first": always(OptionsOnly("first")),
        "options-longest": always(OptionsOnly("longest")),
        "options-most-specific": always(OptionsOnly("most specific")),
        "availability-only": always(AvailabilityOnly()),
        "first-told": always(FirstTold()),
    },
    "patient": {
        "baseline": always(BaselinePatient()),
        "reciter": always(Reciter()),
    },
    "examination": {"baseline": always(BaselineExamination())},
    "consultant": {"baseline": always(BaselineConsultant())},
    "describer": {},
    "summarizer": {"baseline": always(BaselineSummarizer())},
    "synthesizer": {},
}


class ConsultationCasting(Casting[RunConfig]):
    """The builder of the cast of each consultation of a run, with its biases, its panel, its memory and its
    given words.

    Raises BadInput for a name unknown to its seat.
    """

    def __init__(self, config: RunConfig, more: Mapping[str, Factory] | None = None) -> None:
        persona(config.persona)
        self._say = (config.say, config.branch.moves) if config.say and config.branch else None
        self._specialties, self._bias = config.specialties, bias_named(config.bias) if config.bias else None
        self._against = met_by(self._bias, config.twin) if self._bias else ""
        self._modelled = bool(config.models_in("patient"))
        super().__init__(config, more)
        _check_specialties(config)
        _check_bias(config)
        _check_format(config)

    @classmethod
    def unseated(cls, config: RunConfig) -> Iterator[Unseated]:
        """The patient's second reader, which is sent each of its answers, and the embedder of the memory."""
        if config.second_reader:
            yield Unseated(config.second_reader, _read_again)
        if config.memory and config.memory.embedder:
            yield Unseated(config.memory.embedder)

    @classmethod
    def supplied(
        cls, config: RunConfig, more: Mapping[str, Factory], store: Store, source: CaseSource
    ) -> Mapping[str, Factory]:
        """`more`, and the factory of `+memory`."""
        from osler.protocols.consultation.memory.retrieval import with_experience  # noqa: PLC0415 - import time

        return with_experience(config.memory, config.again, more, store, source)

    def within(self, seat: Seat, player: AnyPlayer, case: Case) -> AnyPlayer:
        """Wrap a player in the run's bias, and the consultant in a panel of several specialties."""
        if self._bias and seat == self._bias.side:
            player = self._biased(player, self._bias, case)
        if seat == "consultant" and self._specialties:
            player = Panel(player, self._specialties)
        return player

    def cast(self, case: Case) -> dict[Seat, AnyPlayer]:
        """Return the players of one episode."""
        cast = super().cast(case)
        if self._say is not None:
            cast["doctor"] = SaysNext(cast["doctor"], *self._say)
        return cast

    def _biased(self, player: AnyPlayer, bias: Bias, case: Case) -> AnyPlayer:
        target = target_of(case)
        if bias.side == "doctor":
            return BiasedDoctor(player, bias.name, bias.intensity, target, self._against)
        return BiasedPatient(player, bias.name, bias.intensity, target, built_in=not self._modelled)


def _read_again(reply: BaseModel, request: Request[PatientView]) -> tuple[Message, ...]:
    from osler.protocols.shared.model.second_reader import reading_of  # noqa: PLC0415 - import time

    return reading_of(reply.answer, request) if isinstance(reply, PatientReply) else ()


def _check_specialties(config: RunConfig) -> None:
    if config.specialties and config.consultant == NOBODY:
        raise BadInput("there is no consultant", where="--specialty", hint="add --consultant baseline")
    for name in config.specialties:
        if name not in specialties():
            raise BadInput(
                f"no consultant is of {name!r}",
                where="--specialty",
                hint=f"known: {', '.join(specialties())}",
            )
    if config.consultant == NOBODY and (config.settings.mdt != "on demand" or config.settings.mdt_every):
        raise BadInput("there is no consultant", where="--mdt", hint="add --consultant baseline")


def _check_bias(config: RunConfig) -> None:
    if config.twin:
        twin_named(config.twin)
    if config.bias:
        side = bias_named(config.bias).side
        name = config.insides().get(side, NOBODY)
        if name == PERSON:
            raise BadInput("a person cannot be given a bias", where="bias", hint=f"seat another {side}")


def _check_format(config: RunConfig) -> None:
    """Raise BadInput for a consultant in a format in which nobody can be asked, and for results to be made up
    by nobody."""
    settings = config.settings
    if settings.format_arm in TOLD_AT_ONCE and config.consultant != NOBODY:
        raise BadInput(
            f"the case is told at once ({settings.format_arm}), so a consultant is never heard",
            where="--consultant",
            hint="leave it out, or use --arm multi or summarized",
        )
    if settings.unknown == "synthesize" and "synthesizer" not in config.players():
        raise BadInput(
            "the built-in players make nothing up, so nobody can write a result that the case lacks",
            where="--unknown synthesize",
            hint="add --examination model:NAME or --synthesizer model:NAME, or choose another policy",
        )
