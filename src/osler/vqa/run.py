"""A run: one player, or two on the same items, opened and checked before anything is asked."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from osler.errors import BadInput
from osler.models.budget import Ledger
from osler.models.open_models import Models
from osler.models.settings import addressed
from osler.runs.batch import Progress
from osler.runs.endpoints import record_of
from osler.runs.seating import ModelOptions, open_models
from osler.vqa.answerers import BASELINES, MODEL, PRIVILEGED, Answerer, Baseline, ByModel, endpoint_of
from osler.vqa.asking import Asking
from osler.vqa.journal import Journal
from osler.vqa.prompt import prompt_hash
from osler.vqa.questions import Counted, Design, Questions
from osler.vqa.reading import VERSION
from osler.vqa.scoring import Figures, score

AT_ONCE: Final = 16
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]+")

Shows = Callable[[], AbstractContextManager[Callable[[Progress], None]]]
"""Opens what shows the progress of one player."""


class Player(NamedTuple):
    """A player: a baseline, or a model with its `endpoint`. `about` is what results tell of it."""

    name: str
    about: dict[str, Any]
    endpoint: str = ""
    models: Models | None = None
    most_faults: int | None = None

    @property
    def privileged(self) -> bool:
        """Whether it is given the answer."""
        return self.name in PRIVILEGED

    @property
    def file(self) -> str:
        """The name of the file that keeps its answers."""
        return f"{_UNSAFE.sub('-', self.name)}.jsonl"

    def answerer(self) -> Answerer:
        """Open it, within the event loop."""
        if self.models is None:
            return Baseline(BASELINES[self.name])
        return ByModel(self.models.client(self.endpoint))

    def check_eyes(self, counted: Counted) -> None:
        """Raise BadInput for a model that is not declared to see, where there are pictures."""
        if self.models is not None and counted.pictured and not self.models.has_eyes(self.endpoint):
            raise BadInput(
                f"{self.endpoint} is not declared to see, and {counted.pictured:,} items have pictures",
                where="--model",
                hint=f"if it does: images = true in [endpoints.{self.endpoint}.capabilities]",
            )


def player(name: str, options: ModelOptions, ledger: Ledger) -> Player:
    """The player of this name: a baseline, or the model of an endpoint. Raises BadInput."""
    endpoint = endpoint_of(name)
    if endpoint is None:
        return Player(name, {"name": name, "kind": "baseline", "privileged": name in PRIVILEGED})
    own = options._replace(settings=addressed(options.settings, (endpoint,)))
    try:
        found = own.endpoints()
        record = record_of(found.endpoint(endpoint), {})
    except BadInput as error:
        if name.startswith(MODEL):
            raise
        known = f"; baselines: {', '.join(BASELINES)}"
        raise BadInput(error.what, where=error.where, hint=error.hint + known) from None
    models = open_models([f"{MODEL}{endpoint}"], found, own, ledger=ledger)
    about = {"name": endpoint, "kind": "model", "model": record["model"], "settings": record["settings"]}
    return Player(endpoint, about, endpoint, models, options.max_errors)


class Sitting(NamedTuple):
    """The run of some players on the questions of a file. Their answers are kept in a folder."""

    questions: Questions
    design: Design
    players: tuple[Player, ...]
    folder: Path
    at_once: int = AT_ONCE
    retry_failed: bool = False

    def journals(self) -> list[Journal]:
        """The journals of the players, to be opened. Raises BadInput where two would share one."""
        if len({one.file for one in self.players}) < len(self.players):
            raise BadInput("a player is not compared with itself", where="--against", hint="name another")
        common = {
            "file_hash": self.questions.hash(),
            "format": self.questions.form,
            "seed": self.design.seed,
            "prompt": prompt_hash(),
            "reading": VERSION,
        }
        return [
            Journal(self.folder / one.file, {**common, "player": one.about}, retry_failed=self.retry_failed)
            for one in self.players
        ]

    def ask(self, one: Player, journal: Journal, counted: Counted, done: int, shows: Shows) -> Figures:
        """Ask what a player has not answered yet. Raises InfrastructureFault if the run pauses."""
        with shows() as on_progress:

            async def asking() -> None:
                async with _opened(one):
                    await Asking(
                        self.questions,
                        self.design,
                        journal,
                        one.answerer(),
                        at_once=self.at_once if one.models else 1,
                        max_errors=one.most_faults,
                        on_progress=on_progress,
                    ).run(counted.planned, done)

            asyncio.run(asking())
        journal.finish()
        design = self.design
        return score(journal.answers(), last=counted.last, rotations=design.rotations, blind=design.blind)


@asynccontextmanager
async def _opened(one: Player) -> AsyncIterator[None]:
    """Close a player's connections in the end."""
    if one.models is None:
        yield
        return
    async with one.models:
        yield
