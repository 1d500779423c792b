"""The checks of `osler validate` for consultations, in addition to those for every protocol.

Chance is the score of guessing where options are shown, elsewhere that of always-conclude. The cases
themselves are searched for their answers, and the judge is tested on answers with a known verdict.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from random import Random
from typing import Any, Final, cast

from pydantic_core import from_json

from osler.cases.model import Case
from osler.core.config import Config
from osler.core.role import NOBODY
from osler.core.summary import LABEL
from osler.knowledge.vocabulary import TOPICS
from osler.players.casting import casting_of
from osler.protocols.consultation.audit_checklist import own_items
from osler.protocols.consultation.case_set_defects import given_away, leaks, misjudged, unplayable
from osler.protocols.consultation.config import RunConfig, nothing_made_up
from osler.protocols.consultation.judge.built_in import judge
from osler.protocols.consultation.judgement import judgement_of
from osler.reports.cells import interval, number
from osler.stats.intervals import Estimate, mean_interval, paired_difference
from osler.studies.audit import Audit, Evidence, Flaw, Judged
from osler.studies.trivial_baselines import Values, blind

ALWAYS: Final = "always-conclude"
USUAL, PRIVILEGED = "baseline", "oracle"
ORDERS: Final = 4
"""The number of permutations of a case's facts, to tell what their own order gives away."""


class ConsultationAudit(Audit):
    """The deeper battery of consultations."""

    over = (
        "chance where options are shown, else over always-conclude, paired by case; of first-told over the"
        " same facts in another order"
    )

    @classmethod
    def probing(cls, config: Config, player: str) -> RunConfig:
        """See `Audit.probing`; options are shown, and `first-told` gets the facts in the case's order."""
        consultations = cast(RunConfig, config)
        reported = {"pictures": "reported", **nothing_made_up(consultations.settings)}
        settings = consultations.settings.model_copy(update={"options": "shown", **reported})
        patient = "reciter" if config.plays.probes.get(player) == "facts" else "baseline"
        seats = {"doctor": player, "patient": patient, "examination": "baseline"}
        seats |= dict.fromkeys(("consultant", "describer", "summarizer", "synthesizer"), NOBODY)
        no_model = {"models": {}, "ground": False, "second_reader": None}
        return consultations.model_copy(update={**seats, **no_model, "settings": settings})

    @classmethod
    def shows(cls, looked_at: str, cases: Iterable[Any]) -> bool:
        """See `Audit.shows`; not every case has options."""
        return looked_at != "task.options" or any(case.task.kind == "choice" for case in cases)

    def __init__(self, evidence: Evidence) -> None:
        super().__init__(evidence)
        self._right = {name: self._rights(name) for name in evidence.played}
        self._base = blind(evidence.cases, options_shown=True)

    @property
    def label(self) -> str:
        """The notice on what these figures are evidence of."""
        return LABEL

    def lift(self) -> dict[str, Estimate]:
        """Return each player's gain over chance; the oracle is privileged and not compared."""
        usual: Values = {**self._right[ALWAYS], **self._chances}
        against = {"first-told": self._in_other_orders()}
        return {
            name: paired_difference(against.get(name, usual), right, share=True)
            for name, right in self._right.items()
            if name != PRIVILEGED and (name != ALWAYS or self._chances)
        }

    def findings(self, lift: Mapping[str, Estimate]) -> Iterator[Flaw]:
        """Yield unjustified gains, unplayable cases, places that name the answer, and wrong verdicts."""
        cases = self.seen.cases
        for name in self.probes:
            if name in lift:
                right = (cases[key].id for key, values in self._right[name].items() if any(values))
                yield from given_away(name, lift[name], tuple(right))
        reported = set[str]()
        for episode, trace, judgements in self.seen.store.records(self.seen.played[PRIVILEGED].run.id):
            case = cases[episode.case_hash]
            if case.id in reported:
                continue
            for judgement in judgements:
                result = tuple(unplayable(case, trace, judgement_of(judgement.body)))
                reported.update(case.id for _ in result)
                yield from result
        for case in cases.values():
            yield from leaks(case)
            yield from misjudged(case)

    def checklist(self, lift: Mapping[str, Estimate], flaws: tuple[Flaw, ...]) -> dict[str, Judged]:
        """Return every item, with those for consultations replacing the general ones."""
        general = super().checklist(lift, flaws)
        return own_items(self, self.players(), flaws, general)

    def more(self) -> dict[str, Any]:
        """Return the base rate, each player's gain over it, and the built-in doctor's figures by slice."""
        over = {
            name: asdict(paired_difference(self._base, right, share=True))
            for name, right in self._right.items()
        }
        return {
            "base_rate": asdict(self._base_rate),
            "over_base_rate": over,
            "slices": self._slices(),
        }

    def notes(self) -> tuple[str, ...]:
        """Return the base rate in words."""
        base, cases = self._base_rate, len(self.seen.cases)
        return (
            f"Base rate: naming the most common answer of these {cases:,} cases, or guessing among options: "
            f"{number(base.value, True)} ({interval(base, True)}).",
        )

    def _rights(self, name: str) -> dict[str, list[float]]:
        rights: dict[str, list[float]] = {}
        for row in self.seen.played[name].rows:
            if isinstance(value := row.values[0], float):
                rights.setdefault(row.row.case_hash, []).append(value)
        return rights

    @cached_property
    def _chances(self) -> dict[str, list[float]]:
        """The score of guessing, for the cases whose options were shown."""
        run = self.seen.played[ALWAYS].run
        hashes = {row.row.ordinal: row.row.case_hash for row in self.seen.played[ALWAYS].rows}
        bodies = ((one.ordinal, from_json(one.body)) for one in self.seen.store.judgements(run.id))
        return {
            hashes[ordinal]: [body["chance"]]
            for ordinal, body in bodies
            if body["grader"] == self.protocol.graders[0] and body.get("chance") is not None
        }

    def _in_other_orders(self) -> Values:
        """Return first-told's scores on each case with its facts permuted: topic by topic as a history is
        taken, and in random order within a topic. Not stored, as these are not cases of the set."""
        config = self.probing(self.seen.config, "first-told")
        casting, source = casting_of(config), self.seen.source

        async def rights(case: Case) -> list[float]:
            result = []
            for ordinal in range(ORDERS):
                rng = Random(f"{case.content_hash}/{ordinal}")  # noqa: S311 - simulation, not secrecy
                facts = sorted(case.facts, key=lambda fact: (TOPICS.index(fact.topic), rng.random()))
                other = case.model_copy(update={"facts": tuple(facts)})
                episode = config.episode(0, other, source)
                trace = await episode.play(casting.cast(other))
                right = judge(other, trace, options_shown=True).scores["correct"].value
                result += [] if right is None else [right]
            return result

        async def each() -> dict[str, list[float]]:
            return {key: await rights(case) for key, case in self.seen.cases.items()}

        return asyncio.run(each())

    @cached_property
    def _base_rate(self) -> Estimate:
        whole = all(value in (0, 1) for held in self._base.values() for value in held)
        return mean_interval(self._base, proportion=whole)

    def _slices(self) -> dict[str, Any]:
        right = self._right[USUAL]
        sliced: dict[str, dict[str, Sequence[float]]] = {}
        for key, case in self.seen.cases.items():
            for name, value in (("specialty", case.specialty), ("sex", case.sex)):
                if key in right:
                    sliced.setdefault(f"{name}: {value or 'not said'}", {})[key] = right[key]
        return {
            name: asdict(mean_interval(values, proportion=True)) for name, values in sorted(sliced.items())
        }
