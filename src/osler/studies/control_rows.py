"""What trivial play scores on the cases of a stored run, played for a report and kept nowhere.

Each case is played once by each control, under the run's own settings, persona and seed, with built-in
players in the other seats: that costs no model and little time. The run is compared with each, by case.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from pydantic import ValidationError

from osler.cases.model import Case
from osler.cases.personas import persona
from osler.encounter.consultation import PROTOCOL
from osler.errors import BadInput
from osler.judging.correctness import chance_level, plain
from osler.judging.judge import judge
from osler.judging.statistics import Estimate, mean_interval, paired_difference
from osler.reports.run_report import Control, Controls
from osler.store.rows import RunInfo
from osler.store.store import Store
from osler.studies.build import Casting, RunConfig
from osler.studies.execute import Episode, play
from osler.studies.flaws import LOOKS_AT
from osler.studies.runs import config_as
from osler.studies.stored_case import stored_cases

Values = Mapping[str, Sequence[float]]
"""Answers by the case's content hash: 1 right, 0 wrong."""
MOST_CASES: Final = 500
BASE_RATE: Final = "base rate"
_ALWAYS: Final = ("null", "always-conclude", "opening-only")
_OPTIONS: Final = ("options-first", "options-longest")


def blind(cases: Mapping[str, Case], options_shown: bool) -> dict[str, list[float]]:
    """What is scored without looking at a case: guessing where its options are shown, else naming the answer
    that is commonest among these cases, the first in the alphabet of several."""
    wordings = {key: plain(_words(case)) for key, case in cases.items()}
    counts = Counter(wordings.values())
    commonest = min(counts, key=lambda words: (-counts[words], words), default="")
    chances = {key: chance_level(case, options_shown) for key, case in cases.items()}
    return {
        key: [float(wordings[key] == commonest) if (chance := chances[key]) is None else chance]
        for key in cases
    }


class ControlRoom:
    """Plays controls for the runs of one report; what was played for one run is not played for another."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._played: dict[tuple[str, str, str], float | None] = {}

    def rows(self, run: RunInfo, right: Values) -> Controls:
        """The control rows of a run whose share right is `right`, by case; none, and why, where its world
        cannot be set up again."""
        written = run.manifest["configuration"]
        if written.get("protocol", PROTOCOL) != PROTOCOL or written.get("branch"):
            return Controls((), 0, 0, f"controls are played for whole consultations alone ({PROTOCOL})")
        try:
            config = config_as(run, RunConfig)
            persona(config.persona)
        except (BadInput, KeyError, TypeError, ValidationError):
            return Controls((), 0, 0, "this version of Osler cannot read how the run was set up")
        cases = self._cases(sorted(right))
        shown = config.settings.options == "shown"
        found: list[tuple[str, str | None, Values]] = []
        if cases:
            found.append((BASE_RATE, None, blind(cases, shown)))
        choosing = shown and any(case.task.kind == "choice" for case in cases.values())
        for name in _ALWAYS + (_OPTIONS if choosing else ()):
            found.append((name, LOOKS_AT[name], self._rights(config.by_itself(name), cases)))
        mine = {key: right[key] for key in cases}
        rows = tuple(
            Control(name, looks_at, _share(values, len(cases)), paired_difference(values, mine))
            for name, looks_at, values in found
        )
        return Controls(rows, len(cases), len(right) - len(cases), "")

    def _cases(self, hashes: Sequence[str]) -> dict[str, Case]:
        """The stored cases that can still be read, at most `MOST_CASES` of them, evenly drawn."""
        step = max(1, -(-len(hashes) // MOST_CASES))
        case_of = stored_cases(self._store)
        found = {}
        for key in hashes[::step]:
            try:
                found[key] = case_of(key)
            except BadInput:
                continue
        return found

    def _rights(self, config: RunConfig, cases: Mapping[str, Case]) -> dict[str, list[float]]:
        casting = Casting(config)
        world = f"{config.seed} {config.persona} {config.settings.model_dump_json()}"
        shown = config.settings.options == "shown"

        async def right(case: Case) -> float | None:
            episode = Episode(0, case, persona(config.persona), config.settings, f"{config.seed}/0")
            trace = await play(episode, casting.cast(case))
            return judge(case, trace, shown).scores["correct"].value

        async def play_all() -> None:
            for key, case in cases.items():
                place = (config.doctor, key, world)
                if place not in self._played:
                    self._played[place] = await right(case)

        asyncio.run(play_all())
        values = {key: self._played[config.doctor, key, world] for key in cases}
        return {key: [value] for key, value in values.items() if value is not None}


def _words(case: Case) -> str:
    return (case.task.options or {}).get(case.task.answer, case.task.answer)


def _share(values: Values, cases: int) -> Estimate:
    whole = all(value in (0, 1) for held in values.values() for value in held)
    return mean_interval(values, cases - len(values), proportion=whole)
