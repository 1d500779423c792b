"""Loading of a played stream from the store: scores, cards given, costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from pydantic_core import from_json

from osler.cases.model import Case
from osler.errors import BadInput
from osler.judging.correctness import correct
from osler.judging.scores import GRADER
from osler.memory.card import Card
from osler.memory.collection import Memory
from osler.memory.exclusion import audit
from osler.memory.sql_memory import SqlKeeper
from osler.models.config import Config
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.longitudinal.design import WITH_CARDS, Arm
from osler.protocols.consultation.longitudinal.planning import Stream
from osler.protocols.consultation.longitudinal.run_stream import Studied, run_named, within
from osler.protocols.consultation.memory.retrieval import excluded_for, source_for
from osler.runs.judged_episodes import judged_episodes
from osler.runs.run import config_as
from osler.runs.usage import usage
from osler.stats.learning_over_time import Cell
from osler.store.records import RunInfo
from osler.store.store import Store

FATES: Final = ("medical record", "experience record", "discarded", "unverified", "unscored")


class ModelUsage(NamedTuple):
    """The usage of models in all seats; tokens are `None` if an endpoint did not report them."""

    calls: int = 0
    prompt_tokens: int | None = 0
    completion_tokens: int | None = 0

    def plus(self, other: ModelUsage) -> ModelUsage:
        """Return the sum of both; what is unknown in one is unknown in the sum."""
        return ModelUsage(
            self.calls + other.calls,
            _sum(self.prompt_tokens, other.prompt_tokens),
            _sum(self.completion_tokens, other.completion_tokens),
        )


class Cost(NamedTuple):
    """The cost of episodes: simulated minutes, tariff points, exchanges of all seats, and model usage."""

    episodes: int = 0
    turns: int = 0
    tests: int = 0
    minutes: int = 0
    points: int = 0
    exchanges: int = 0
    used: ModelUsage = ModelUsage()

    def plus(self, other: Cost) -> Cost:
        """Both together."""
        return Cost(
            self.episodes + other.episodes,
            self.turns + other.turns,
            self.tests + other.tests,
            self.minutes + other.minutes,
            self.points + other.points,
            self.exchanges + other.exchanges,
            self.used.plus(other.used),
        )

    def row(self) -> dict[str, int | None]:
        """Return all figures by name."""
        result = {**self._asdict(), **self.used._asdict()}
        del result["used"]
        return result


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


class Cards(NamedTuple):
    """Counts of cards given: all, those that named the right diagnosis, and those that cannot be judged."""

    given: int = 0
    helpful: int = 0
    unjudged: int = 0

    def plus(self, other: Cards) -> Cards:
        """Both together."""
        return Cards(*(a + b for a, b in zip(self, other, strict=True)))


class StreamData(NamedTuple):
    """A stream's data for the results. `scores[arm][stage]` is by place of the held-out cases; `none` has one
    stage. `within[arm][stage]` has the scores of the block's own probes after so many of its cases.
    `taught` has the scores of the cases as they were taught, in order, block by block."""

    stream: Stream
    scores: Mapping[Arm, tuple[Mapping[int, Cell], ...]]
    within: Mapping[Arm, tuple[Mapping[int, Mapping[int, Cell]], ...]]
    within_costs: Mapping[Arm, tuple[Cost, ...]]
    costs: Mapping[Arm, tuple[Cost, ...]]
    cards: Mapping[Arm, tuple[Cards, ...]]
    sizes: Mapping[Arm, tuple[int, ...]]
    taught: tuple[tuple[Cell, ...], ...]
    teaching: tuple[Cost, ...]
    fates: tuple[Mapping[str, int], ...]
    retrievals: int
    given: int
    violations: tuple[tuple[str, str, str], ...]


def read_stream(studied: Studied, stream: Stream, store: Store) -> StreamData:
    """Read a stream that has been played to its end."""
    return _Reading(studied, stream, store).read()


class _Reading:
    def __init__(self, studied: Studied, stream: Stream, store: Store) -> None:
        self._studied, self._stream, self._store = studied, stream, store
        self._keeper = SqlKeeper(store.engine)
        self._retrievals = self._given = 0
        self._violations: list[tuple[str, str, str]] = []
        self._held_out = tuple(source_for(studied.source.get(place)) for place in studied.plan.held_out)

    def read(self) -> StreamData:
        stages = range(len(self._stream.taught))
        none, cost_none, _, _ = self._run("none")
        scores: dict[Arm, tuple[Mapping[int, Cell], ...]] = {"none": (none,)}
        costs: dict[Arm, tuple[Cost, ...]] = {"none": (cost_none,)}
        cards: dict[Arm, tuple[Cards, ...]] = {}
        sizes: dict[Arm, tuple[int, ...]] = {}
        inner: dict[Arm, tuple[Mapping[int, Mapping[int, Cell]], ...]] = {}
        within_costs: dict[Arm, tuple[Cost, ...]] = {}
        for arm in WITH_CARDS:
            read = [self._run(f"{arm}{stage}") for stage in stages]
            scores[arm], costs[arm], cards[arm], sizes[arm] = zip(*read, strict=True)
            inside = [self._within(arm, stage) for stage in stages]
            inner[arm], within_costs[arm] = zip(*inside, strict=True)
        taught, teaching, fates = zip(*map(self._teaching, stages), strict=True)
        return StreamData(
            self._stream,
            scores,
            inner,
            within_costs,
            costs,
            cards,
            sizes,
            taught,
            teaching,
            fates,
            self._retrievals,
            self._given,
            tuple(self._violations),
        )

    def _within(self, arm: Arm, stage: int) -> tuple[Mapping[int, Mapping[int, Cell]], Cost]:
        result, cost = dict[int, Mapping[int, Cell]](), Cost()
        for cases in within(self._studied.design, self._stream.taught[stage]):
            result[cases], more, _, _ = self._run(f"{arm}{stage}.{cases}")
            cost = cost.plus(more)
        return result, cost

    def _teaching(self, stage: int) -> tuple[tuple[Cell, ...], Cost, Mapping[str, int]]:
        taught, cost = self._stream.taught[stage], Cost()
        online = self._studied.design.write == "online"
        steps = [f"{stage}.{done}" for done in range(len(taught))] if online else [f"{stage}"]
        first, again = dict[int, Cell](), dict[int, Cell]()
        for step in steps:
            for name, held in (("taught", first), ("again", again)):
                if name == "taught" or self._there(f"again{step}"):
                    result, more, _, _ = self._run(f"{name}{step}")
                    held.update(result)
                    cost = cost.plus(more)
        fates = Counter(self._fate(score, again.get(place)) for place, score in first.items())
        order = tuple(first.get(place) for place in taught)
        return order, cost, {fate: fates[fate] for fate in FATES}

    def _fate(self, first: Cell, again: Cell) -> str:
        """Return the fate of a case with these scores at the first and, if there was one, second attempt."""
        if self._studied.design.feedback == "none":
            return "unverified"
        if first == 1:
            return "medical record"
        if first is None or again is None:
            return "unscored"
        return "experience record" if again == 1 else "discarded"

    def _there(self, step: str) -> bool:
        return run_named(self._studied.run_name(self._stream, step), self._store) is not None

    def _run(self, step: str) -> tuple[dict[int, Cell], Cost, Cards, int]:
        run = run_named(self._studied.run_name(self._stream, step), self._store)
        if run is None:
            raise BadInput("a run of this study is missing", where=step, hint="run the study again")
        places = config_as(run, RunConfig).places or ()
        scores: dict[int, Cell] = {}
        keys: dict[str, int] = {}
        cost = Cost()
        for episode, judgements in judged_episodes(run, self._store):
            body = next((from_json(one.body) for one in judgements if one.grader == GRADER), None)
            place = places[episode.ordinal]
            scores[place] = body["scores"]["correct"]["value"] if body else None
            keys[episode.key] = place
            took = (episode.turns, episode.tests, episode.minutes, episode.cost, episode.exchanges)
            cost = cost.plus(Cost(1, *took))
        cards, size = self._cards(run, keys)
        return scores, cost._replace(used=self._used(run)), cards, size

    def _used(self, run: RunInfo) -> ModelUsage:
        model_usage = ModelUsage()
        if self._studied.design.models:
            for endpoints in usage(self._store, run.id, Config()).values():
                for row in endpoints.values():
                    calls, prompt, completion = (row[name] for name in ModelUsage._fields)
                    model_usage = model_usage.plus(
                        ModelUsage(int(calls or 0), _whole(prompt), _whole(completion))
                    )
        return model_usage

    def _cards(self, run: RunInfo, keys: Mapping[str, int]) -> tuple[Cards, int]:
        use = config_as(run, RunConfig).memory
        if use is None:
            return Cards(), 0
        memory = self._keeper.load(use.snapshot) if use.snapshot else Memory()
        retrievals = list(self._keeper.retrieved(run.name))
        cases = {key: self._studied.source.get(place) for key, place in keys.items()}
        exclusions = {key: excluded_for(case, self._held_out, use.threshold) for key, case in cases.items()}
        result = audit(retrievals, exclusions, memory.cards)
        self._retrievals += result.retrievals
        self._given += result.cards
        self._violations += result.violations
        unseen = keys.keys() - {one.episode for one in retrievals}
        self._violations += ((key, "", "its retrievals were not recorded") for key in sorted(unseen))
        judged = Counter(
            _helps(memory.cards[name], cases[one.episode])
            for one in retrievals
            for name in one.cards
            if name in memory.cards and one.episode in cases
        )
        return Cards(judged.total(), judged[True], judged[None]), len(memory.cards)


def _whole(count: float | None) -> int | None:
    return None if count is None else int(count)


@lru_cache(maxsize=200_000)
def _named_right(diagnosis: str, case_hash: str) -> bool | None:
    value = correct(_cases[case_hash], {"diagnosis": diagnosis, "answer": None}, False).value
    return None if value is None else value == 1


_cases: dict[str, Case] = {}


def _helps(card: Card, case: Case) -> bool | None:
    """Whether the card names the right diagnosis of this case; `None` if no rule can tell."""
    _cases[case.content_hash] = case
    return _named_right(card.diagnosis, case.content_hash)
