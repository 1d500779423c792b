"""The parts of a trial in their sizes, and the turns of its check, each with what it asks of a model."""

from __future__ import annotations

from functools import cached_property
from typing import Final, NamedTuple

from osler.core.composite import AnyPlayer
from osler.core.config import Config
from osler.core.factory import PlayerRequest
from osler.core.protocol import Protocol
from osler.models.budget import prompt_tokens
from osler.models.config import Config as Endpoints
from osler.models.config import Endpoint
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.settings import Limits, Settings
from osler.protocols.scenario.config import ScenarioConfig
from osler.protocols.scenario.settings import ScenarioSettings
from osler.protocols.ward_round.config import RoundConfig
from osler.protocols.ward_round.settings import RoundSettings
from osler.runs.dry_run import STAND_IN, forecast
from osler.runs.first_requests import FirstRequests, play_first
from osler.runs.real_turns import JUDGE, Turn, request_of
from osler.runs.trial_plan import Load, Step

MADE_UP: Final = "generated:1:1"
"""A case with few facts: its prompts are half as long as those of the library."""


class Size(NamedTuple):
    """A size of a part, in words, and the run to play and judge."""

    words: str
    config: Config


class TrialPart(NamedTuple):
    """A part of the trial: its name, and its sizes from the smallest to the largest."""

    name: str
    sizes: tuple[Size, ...]

    @property
    def config(self) -> Config:
        """The run at full size."""
        return self.sizes[-1].config

    @property
    def judging(self) -> str:
        """The name of the step that judges it."""
        return f"{self.name}: judge"


def parts(player: str) -> list[TrialPart]:
    """The runs of a trial: small ones, the player in every seat of one of them at least."""
    return [_doctor(player), _around_the_doctor(player), _ward_round(player), _scenario(player)]


def _doctor(player: str) -> TrialPart:
    def of(turns: int, limit: int, cases: str = "library") -> RunConfig:
        settings = Settings(limits=Limits(max_turns=turns))
        return RunConfig(cases=cases, limit=limit, doctor=player, settings=settings)

    return TrialPart(
        "doctor",
        (
            Size("one consultation of 4 turns about a made-up case", of(4, 1, MADE_UP)),
            Size("one consultation of 12 turns", of(12, 1)),
            Size("two consultations of 12 turns", of(12, 2)),
        ),
    )


def _around_the_doctor(player: str) -> TrialPart:
    def of(turns: int, mdt_every: int, cases: str = "library") -> RunConfig:
        settings = Settings(limits=Limits(max_turns=turns), mdt_every=mdt_every)
        seats = {"patient": player, "examination": player, "consultant": player}
        return RunConfig(cases=cases, limit=1, settings=settings, **seats)

    return TrialPart(
        "patient, examination and consultant",
        (
            Size("one consultation of 4 turns about a made-up case", of(4, 2, MADE_UP)),
            Size("one consultation of 12 turns", of(12, 4)),
        ),
    )


def _ward_round(player: str) -> TrialPart:
    def of(rounds: int, drafts: int, students: int, cases: str = "library") -> RoundConfig:
        return RoundConfig(
            cases=cases,
            limit=1,
            tutor=player,
            students=students,
            student=(player,),
            patient=player,
            specialist=player,
            supervisor=player,
            expert=player,
            settings=RoundSettings(max_rounds=rounds, max_drafts=drafts),
        )

    return TrialPart(
        "ward round",
        (
            Size("one turn of the tutor, one student, about a made-up case", of(1, 1, 1, MADE_UP)),
            Size("two turns of the tutor, two students", of(2, 2, 2)),
        ),
    )


def _scenario(player: str) -> TrialPart:
    def of(turns: int) -> ScenarioConfig:
        settings = ScenarioSettings(max_turns=turns)
        return ScenarioConfig(limit=1, examinee=player, patient=player, controller=player, settings=settings)

    return TrialPart(
        "scenario", (Size("one scenario of 3 turns", of(3)), Size("one scenario of 8 turns", of(8)))
    )


class TrialTurn(NamedTuple):
    """A turn of the check: its name, and the seat in its sizes, from the shorter prompt to the usual one."""

    name: str
    sizes: tuple[Turn, ...]

    @property
    def seat(self) -> str:
        """The seat."""
        return self.sizes[0].seat

    @property
    def protocol(self) -> Protocol:
        """The protocol it is played in."""
        return self.sizes[0].protocol


class Work:
    """All that a trial of an endpoint may do, with what it asks of the model."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self.parts = parts(f"model:{endpoint.name}")

    @cached_property
    def turns(self) -> list[TrialTurn]:
        """A turn of every seat of every protocol, in short encounters of built-in players and usual ones."""
        result: list[TrialTurn] = []
        names: set[str] = set()
        for part in self.parts[1:]:
            protocol = part.config.plays
            short, usual = (_played(part.sizes[at].config) for at in (0, -1))
            for seat in (*(role.name for role in protocol.roles if role.name in usual.requests), JUDGE):
                sizes = [
                    Turn(seat, protocol, one)
                    for one in (short, usual)
                    if seat == JUDGE or seat in one.requests
                ]
                name = f"as {seat}" if seat not in names else f"as {seat} ({protocol.name})"
                names.add(seat)
                result.append(TrialTurn(name, tuple(sizes)))
        return result

    @cached_property
    def turn_steps(self) -> list[Step]:
        """The turns of the check, as a plan needs them."""
        return [Step(one.name, tuple(map(self._turn_load, one.sizes))) for one in self.turns]

    @cached_property
    def part_steps(self) -> list[Step]:
        """The parts and their judging, as a plan needs them."""
        steps: list[Step] = []
        judges = {
            turn.protocol.name: step.sizes
            for turn, step in zip(self.turns, self.turn_steps, strict=True)
            if turn.seat == JUDGE
        }
        for part in self.parts:
            judge = judges[part.config.plays.name]
            steps.append(Step(part.name, tuple(self._load(size.config) for size in part.sizes)))
            loads = (_times(judge[min(at, 1)], max(1, at)) for at in range(len(part.sizes)))
            steps.append(Step(part.judging, tuple(loads)))
        return steps

    def _turn_load(self, turn: Turn) -> Load:
        request = request_of(turn, self._endpoint)
        tokens = prompt_tokens(request.messages) if request else 0
        return Load(1, tokens, tokens)

    def _load(self, config: Config) -> Load:
        seats = forecast(config, Endpoints(endpoints={self._endpoint.name: self._endpoint}))[1].values()
        return Load(
            sum(one.calls for one in seats),
            sum(one.prompt_tokens for one in seats),
            sum(one.fresh_tokens for one in seats),
        )


def _played(config: Config) -> FirstRequests:
    """The encounter of a part, with built-in players in the model's seats."""

    def built_in(request: PlayerRequest) -> AnyPlayer:
        role = config.plays.role(request.seat)
        return role.players[role.default](request)

    return play_first(config.weighed(STAND_IN), {STAND_IN: built_in})


def _times(load: Load, times: int) -> Load:
    return Load(load.calls * times, load.prompt * times, load.fresh * times)
