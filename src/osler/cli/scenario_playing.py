"""How scenarios are judged when they have been played: by their evidence, by words, or by a model."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final, NamedTuple

from osler.cli.output import say
from osler.cli.playing import Judged
from osler.cli.rubric_asking import LEXICAL, checked
from osler.cli.rubric_asking import opened as opened_judge
from osler.cli.rubric_judging import independent
from osler.store.rows import RunInfo
from osler.store.store import Store
from osler.studies.graders import Grader
from osler.studies.scenarios import judge_run

KEYED: Final = "keyed"


class Judging(NamedTuple):
    """Who judges: `keyed` is what every run is judged by as it is played."""

    name: str = KEYED
    repeats: int = 1
    batch: int = 25
    same_endpoint_allowed: bool = False


def judged_by(judging: Judging, config: Path | None) -> Judged | None:
    """What judges a run once more when it has been played; nothing where the built-in judge is meant.

    Raises BadInput for a judge that nobody knows.
    """
    if judging.name == KEYED:
        return None
    checked(judging.name, config, accepted=(KEYED, LEXICAL))

    def judge(run: RunInfo, store: Store) -> Grader:
        if warning := independent(judging.name, run, judging.same_endpoint_allowed, config):
            say(warning)

        async def asked() -> Grader:
            async with opened_judge(judging.name, config, judging.repeats, judging.batch) as found:
                await judge_run(run, store, found)
                return Grader(found.grader)

        return asyncio.run(asked())

    return judge
