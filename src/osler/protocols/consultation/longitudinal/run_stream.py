"""One stream, stage by stage: consult the block, retry mistakes, write back, freeze the memory, probe.

Written back is after the whole block, or online after each of its cases, which then follow one another.

Every step is a separate run in the store, named by the study, the stream and the step, and every snapshot is
stored by its hash, so a stream resumes wherever it stopped: finished steps are found and not played again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Literal, NamedTuple

from osler.cases.model import Case
from osler.cases.sources import CaseSource
from osler.errors import BadInput, InfrastructureFault
from osler.memory.card import Card
from osler.memory.collection import Memory
from osler.memory.sql_memory import SqlKeeper
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.longitudinal.design import WITH_CARDS, Arm, Design
from osler.protocols.consultation.longitudinal.planning import Plan, Stream
from osler.protocols.consultation.memory.episodes_to_lessons import Experience, gold_of, lived
from osler.protocols.consultation.memory.memory_config import Again, MemoryUse
from osler.protocols.consultation.memory.retrieval_log import record_retrievals
from osler.protocols.consultation.memory.summaries import Summarize, kept_whole
from osler.protocols.consultation.memory.write_back import (
    Attempted,
    Relabel,
    card_of,
    gold_card,
    permuted,
    write_back,
)
from osler.runs import run as runs
from osler.store.records import RunInfo
from osler.store.store import Store

Sit = Callable[[RunConfig, Callable[[RunConfig, Mapping[str, object]], RunInfo]], runs.Session]
"""A callback that plays one run, given its configuration and a function that finds or begins the run once
its models are filled in."""


class Stopped(Exception):
    """A run was interrupted or paused; the same command resumes from there."""

    def __init__(self, status: Literal["interrupted", "paused"], why: str) -> None:
        super().__init__(why)
        self.status, self.why = status, why


class Studied(NamedTuple):
    """A study about to be played: its design, plan and key, and its cases."""

    design: Design
    plan: Plan
    key: str
    source: CaseSource

    def run_name(self, stream: Stream, step: str) -> str:
        """Return the name of the run of one step."""
        return f"lt-{self.key}-{stream.name}-{step}"

    def memory_name(self, stream: Stream, arm: Arm) -> str:
        """Return the name of the memory of one arm in a stream."""
        return f"lt-{self.key}/{stream.name}/{arm}"


def play_stream(
    studied: Studied, stream: Stream, store: Store, sit: Sit, summarize: Summarize | None = None
) -> None:
    """Play the remaining steps of a stream; `summarize` writes its summaries, if not the built-in rule.
    Raises Stopped."""
    _Life(studied, stream, store, sit, summarize).live()


class _Life:
    def __init__(
        self, studied: Studied, stream: Stream, store: Store, sit: Sit, summarize: Summarize | None
    ) -> None:
        self._studied, self._stream, self._store, self._sit = studied, stream, store, sit
        self._summarize = summarize
        self._keeper = SqlKeeper(store.engine)
        self._relabel = _wrong_labels(studied)
        room = {"small": studied.design.room}
        self._logged: dict[Arm, set[str]] = {}
        self._memories: dict[Arm, Memory] = {arm: Memory().with_capacity(room.get(arm)) for arm in WITH_CARDS}

    def live(self) -> None:
        """Play the whole stream."""
        held_out = self._studied.plan.held_out
        self._play("none", held_out)
        frozen = self._keep("begun")
        for stage, taught in enumerate(self._stream.taught):
            teach = self._teach_online if self._studied.design.write == "online" else self._teach
            teach(stage, taught, frozen["memory"])
            frozen = self._keep(f"after stage {stage + 1}")
            for arm, snapshot in frozen.items():
                self._play(f"{arm}{stage}", held_out, self._use(snapshot, self._stream.position(stage + 1)))

    def _teach(self, stage: int, taught: Sequence[int], snapshot: str) -> None:
        """Teach a block with the memory as it was before, then write back. Within, it is probed with what its
        first cases would have left."""
        attempted = self._consult(f"{stage}", taught, snapshot, self._stream.position(stage))
        before = dict(self._memories)
        for cases in within(self._studied.design, taught):
            self._learn(attempted[:cases])
            self._probe_within(stage, cases)
            self._memories = dict(before)
        self._learn(attempted)

    def _teach_online(self, stage: int, taught: Sequence[int], snapshot: str) -> None:
        """Teach a block case by case, each with what was written back after the one before."""
        for done, place in enumerate(taught):
            begun = self._stream.position(stage) + done
            self._learn(self._consult(f"{stage}.{done}", [place], snapshot, begun))
            if done + 1 < len(taught):
                snapshot = self._keep(f"after case {done + 1} of stage {stage + 1}", ("memory",))["memory"]
            if done + 1 in within(self._studied.design, taught):
                self._probe_within(stage, done + 1)

    def _probe_within(self, stage: int, cases: int) -> None:
        """Play the probes of the block being taught, after so many of its cases, with every memory."""
        probes = self._studied.plan.blocks[self._stream.blocks[stage]].probes
        position = self._stream.position(stage) + cases
        for arm, memory in self._memories.items():
            use = self._use(self._keeper.freeze(memory), position)
            self._play(f"{arm}{stage}.{cases}", probes, use)

    def _consult(self, step: str, taught: Sequence[int], snapshot: str, begun: int) -> list[Attempted]:
        """Play cases, then retry those the doctor got wrong; the first stands at `begun` in the stream."""
        design, use = self._studied.design, self._use(snapshot, begun)
        run = self._play(f"taught{step}", taught, use)
        first = list(lived(run, self._store, design.feedback))
        wrong = [taught[one.episode.ordinal] for one in first if one.told.correct is False]
        second = {}
        if wrong:
            again = Again(run=run.name, feedback=design.feedback, anew=design.anew)
            run_again = self._play(f"again{step}", wrong, use, again)
            second = {one.case.content_hash: one for one in lived(run_again, self._store, design.feedback)}
        summaries = self._summaries(first)
        return [
            Attempted(
                one,
                second.get(one.case.content_hash),
                run.name,
                begun + one.episode.ordinal,
                summaries.get(one.episode.ordinal, ""),
            )
            for one in first
        ]

    def _summaries(self, first: Sequence[Experience]) -> dict[int, str]:
        """The summaries by a model, by ordinal, of the consultations that leave a medical record."""
        experiences = [one for one in first if kept_whole(one)]
        if self._summarize is None or not experiences:
            return {}
        try:
            return dict(
                zip((one.episode.ordinal for one in experiences), self._summarize(experiences), strict=True)
            )
        except InfrastructureFault as fault:
            raise Stopped("paused", str(fault)) from None

    def _learn(self, attempted: Sequence[Attempted]) -> None:
        memories, cards = self._memories, _cards(card_of(one) for one in attempted)
        for arm in ("memory", "small"):
            memories[arm] = write_back(memories[arm], attempted, cards)
        memories["wrong"] = memories["wrong"].with_cards(
            _cards(card_of(one, self._relabel) for one in attempted)
        )
        memories["oracle"] = memories["oracle"].with_cards(
            gold_card(one, gold_of(one.first.case)) for one in attempted
        )

    def _keep(self, why: str, arms: Sequence[Arm] = WITH_CARDS) -> dict[Arm, str]:
        """Freeze the arms' memories as steps of their logs, and return the snapshots by arm."""
        for arm in arms:
            memory, name = self._memories[arm], self._studied.memory_name(self._stream, arm)
            if arm not in self._logged:
                self._logged[arm] = {step.snapshot for step in self._keeper.steps(name)}
            # A resumed stream goes through its stages again; the log has them already.
            if memory.snapshot not in self._logged[arm]:
                self._logged[arm].add(self._keeper.save(name, memory, why))
        return {arm: self._memories[arm].snapshot for arm in arms}

    def _use(self, snapshot: str, position: int) -> MemoryUse:
        more = {"snapshot": snapshot, "position": position, "held_out": self._studied.plan.held_out}
        return self._studied.design.use.model_copy(update=more)

    def _play(
        self, step: str, places: Sequence[int], use: MemoryUse | None = None, again: Again | None = None
    ) -> RunInfo:
        studied, stream, store = self._studied, self._stream, self._store
        design, name = studied.design, studied.run_name(stream, step)
        config = RunConfig(
            cases=design.cases,
            format=design.format,
            images=design.images,
            without_images=design.without_images,
            limit=design.limit,
            doctor=design.with_memory if use else design.without_memory,
            patient=design.patient,
            moves=design.moves,
            models=design.models,
            # Streams are independent: none meets the world of another.
            seed=design.seed * 1_000_000 + stream.order * 1_000 + stream.seed,
            places=tuple(places),
            memory=use,
            again=again,
        )

        def find(seated: RunConfig, more: Mapping[str, object]) -> RunInfo:
            if (info := run_named(name, store)) is not None:
                return info
            about = {"study": {"name": "longitudinal", "key": studied.key, "step": step}}
            players: dict[str, object] = dict(more)
            try:
                return runs.begin(seated, store, players, studied.source, about=about, name=name)  # type: ignore[arg-type]
            except BadInput:
                if (begun := run_named(name, store)) is None:
                    raise
                return begun  # by another process, just now

        sitting = self._sit(config, find)
        if sitting.status != "done":
            status: Literal["interrupted", "paused"] = (
                "interrupted" if sitting.status == "interrupted" else "paused"
            )
            raise Stopped(status, sitting.why)
        if use:
            record_retrievals(sitting.run, store)
        return sitting.run


def within(design: Design, taught: Sequence[int]) -> list[int]:
    """Return after how many cases of a block it is probed within, ascending, each once."""
    return sorted({*design.within(len(taught))} - {0, len(taught)})


def run_named(name: str, store: Store) -> RunInfo | None:
    """Return the run of exactly this name, if there is one."""
    with suppress(BadInput):
        run = store.run(name)
        if run.name == name:
            return run
    return None


def _wrong_labels(studied: Studied) -> Relabel:
    """Return the permutation of labels among taught diagnoses, so that no reserved one is ever named."""
    cases: list[Case] = [studied.source.get(at) for block in studied.plan.blocks for at in block.pool]
    return permuted((case.specialty or "", gold_of(case)) for case in cases)


def _cards(cards: Iterable[Card | None]) -> list[Card]:
    return [card for card in cards if card is not None]
