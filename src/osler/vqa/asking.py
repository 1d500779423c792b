"""Asking: one call for each question, some at a time, each answer kept before the next is asked for.

Memory stays flat: the questions are a stream, and the pictures of those under way are all that is held.

A request that its endpoint refuses is a fault of that question, unscored, if the endpoint answers others;
else the run pauses, and the same command goes on with it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Final

from osler.errors import BadInput, EpisodeFault, InfrastructureFault, TooManyFaults
from osler.models.limiter import begin_episode
from osler.runs.batch import Progress
from osler.vqa.answer import Answer, answer_of, fault_of, place_of
from osler.vqa.answerers import Answerer
from osler.vqa.item import BadRow
from osler.vqa.journal import Journal
from osler.vqa.prompt import Asked
from osler.vqa.questions import Design, Questions

MANY: Final = 5
"""So many requests refused, and none answered, are the endpoint's fault."""


class Asking:
    """One player's answers to all questions of a file that are not in the journal yet."""

    def __init__(
        self,
        questions: Questions,
        design: Design,
        journal: Journal,
        answerer: Answerer,
        *,
        at_once: int = 16,
        max_errors: int | None = None,
        on_progress: Callable[[Progress], object] = lambda progress: None,
    ) -> None:
        self._questions, self._design, self._journal, self._answerer = questions, design, journal, answerer
        self._at_once, self._most, self._tell = at_once, max_errors, on_progress
        self._held: list[Answer] = []
        self._faults = journal.faults
        self._stopped: InfrastructureFault | None = None

    async def run(self, planned: int, done: int = 0) -> None:
        """Ask what is left of the questions planned. Raises InfrastructureFault if the run pauses; answers so
        far are kept."""
        left = (one for one in self._questions.asked(self._design) if not self._journal.holds(place_of(one)))
        self._progress = Progress(planned, done, done_before=done, at_once=self._at_once)
        workers = [asyncio.create_task(self._work(left)) for _ in range(self._at_once)]
        try:
            await asyncio.gather(*workers)
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
        if self._stopped is not None:
            raise self._stopped
        self._release()

    async def _work(self, left: Iterator[Asked]) -> None:
        for asked in left:
            if self._stopped is not None:
                return
            begin_episode()
            try:
                await self._one(asked)
            except InfrastructureFault as fault:
                self._stopped = self._stopped or fault
                return
            self._progress.done += 1
            self._progress.played += 1
            self._tell(self._progress)
            await asyncio.sleep(0)

    async def _one(self, asked: Asked) -> None:
        try:
            key, pictures = await self._prepared(asked)
        except BadRow as error:  # it was sound when it was checked
            raise BadInput(f"row {asked.item.row}: {error}", where=self._questions.path.name) from None
        try:
            reply = await self._answerer.answer(asked, pictures)
        except EpisodeFault as fault:
            if not await fault.concerns_the_episode_only():
                raise
            self._fault(fault_of(asked, key, (fault.cause or "fault").replace("_", " ")), fault)
            return
        self._journal.add(answer_of(asked, key, reply))
        self._release()

    async def _prepared(self, asked: Asked) -> tuple[str, tuple[bytes, ...]]:
        if not asked.item.pictures:
            return self._questions.key(asked.item)
        return await asyncio.to_thread(self._questions.key, asked.item)

    def _fault(self, one: Answer, fault: InfrastructureFault) -> None:
        """Hold a question that ended by a fault until another is answered."""
        self._held.append(one)
        self._faults += 1
        if self._most is not None and self._faults > self._most:
            raise TooManyFaults(self._faults, self._most, str(fault))
        if self._journal.answered_any:
            self._release()
        elif len(self._held) >= MANY:
            raise fault

    def _release(self) -> None:
        for one in self._held:
            self._journal.add(one)
        self._held = []
