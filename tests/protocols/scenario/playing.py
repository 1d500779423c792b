"""Scenarios played in memory: the small one, with moves or a player as the examinee and built-in others."""

from __future__ import annotations

import asyncio
from functools import cache
from pathlib import Path

from osler.cases.scenarios.model import Scenario
from osler.cases.scenarios.sources import open_scenarios
from osler.core.contract import Player
from osler.core.trace import Trace
from osler.judging.rubric.judgement import RubricJudgement
from osler.players.casting import casting_of
from osler.players.scripted import Scripted
from osler.protocols.scenario.config import ScenarioConfig
from osler.protocols.scenario.judge.keyed import judge_scenario
from osler.protocols.scenario.seats import ExamineeMove
from osler.protocols.scenario.settings import ScenarioSettings

SMALL = Path(__file__).with_name("small.yaml")


@cache
def small() -> Scenario:
    """The small scenario."""
    return next(iter(open_scenarios(str(SMALL))))


def move(speak: str = "", *actions: str, eos: bool = False) -> ExamineeMove:
    """One turn of an examinee."""
    return ExamineeMove(speak=speak, actions=actions, eos=eos)


UNTIL_HE_FITS = move("", *["attach the monitor"] * 12)
"""A turn of twelve minutes without sugar, in the small scenario."""


def played(
    examinee: Player | list[ExamineeMove], scenario: Scenario | None = None, **settings: object
) -> Trace:
    """The trace of a scenario played once; a list of moves goes on with moves in which nothing is done."""
    scenario = scenario or small()
    config = ScenarioConfig(settings=ScenarioSettings.model_validate(settings))
    cast = casting_of(config).cast(scenario)
    if isinstance(examinee, list):
        examinee = Scripted([*examinee, *[move()] * 30])
    episode = config.episode(0, scenario, open_scenarios(str(SMALL)))
    return asyncio.run(episode.play({**cast, "examinee": examinee}))


def judged(examinee: Player | list[ExamineeMove], scenario: Scenario | None = None) -> RubricJudgement:
    """What the keyed judge says of it."""
    scenario = scenario or small()
    return judge_scenario(scenario, played(examinee, scenario))


def held(judgement: RubricJudgement) -> dict[str, bool | None]:
    """Whether each item holds, by the beginning of its words."""
    items = judgement.rubric.items
    return {
        " ".join(item.text.split()[:2]): verdict.holds
        for item, verdict in zip(items, judgement.verdicts, strict=True)
    }
