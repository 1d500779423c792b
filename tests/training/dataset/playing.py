"""Runs for data sets: a tutor whose every word a test decides, at a bedside of built-in players."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from osler.cases.model import Case
from osler.core.contract import OwnReply, Request
from osler.core.factory import always
from osler.protocols.ward_round.config import RoundConfig
from osler.protocols.ward_round.events import RoundBegan
from osler.protocols.ward_round.monologue import Thought, render_thought
from osler.protocols.ward_round.seats import Guidance, TutorView
from osler.runs import run as runs
from osler.runs.cached_source import InMemory
from osler.store.records import RunInfo
from osler.store.store import Store
from osler.training.build import Gathered, Plan, built
from osler.training.samples import Kind, Sample
from osler.training.splits import SPLITS, CaseText, Shares
from osler.training.written import write

CASES = ("cardiology-01", "paediatrics-01", "neurology-01", "surgery-01", "ent-01", "urology-01")
ALL_FOR_TRAINING = Shares(0, 0)
OPEN: list[Gathered] = []
"""What a test has gathered; closed when it is over."""
Says = Callable[[TutorView, int, int], str]


def plain(view: TutorView, round_: int, draft: int) -> str:
    """A sound question to the group, different in every round and case."""
    words = view.door_note.split()
    about = " ".join((*words[round_ % len(words) :], *words[: round_ % len(words)]))
    return f"All of you, question {round_}: starting from this note, {about} what follows?"


@dataclass(frozen=True)
class Tutor:
    """Says what `says` makes of the view, the round and the draft; `thinks` makes each of its thoughts."""

    says: Says = plain
    thinks: Says = lambda view, round_, draft: f"Thought {round_}.{draft} on {view.door_note}"
    name: str = "planted"
    durable: bool = False

    async def reply(self, request: Request[Any]) -> Guidance:
        view = request.view
        round_ = next(item.round for item in reversed(request.feed) if isinstance(item, RoundBegan))
        at = max(n for n, item in enumerate(request.feed) if isinstance(item, RoundBegan))
        draft = 1 + sum(isinstance(item, OwnReply) for item in request.feed[at:])
        words = self.thinks(view, round_, draft)
        each = tuple((name, words) for name in view.students)
        thought = Thought(words, words, each, words, words if view.images else None)
        monologue = render_thought(thought) if view.private_thought else ""
        return Guidance(internal_monologue=monologue, guidance=self.says(view, round_, draft))


def library(*names: str) -> list[Case]:
    """Cases of the library by id."""
    found = {case.id: case for case in RoundConfig().opened()}
    return [found[name] for name in names]


def played(
    store: Store,
    tutor: Any = None,
    *,
    name: str = "one",
    cases: Sequence[Case] = (),
    rounds: int = 3,
    concurrency: int = 16,
    more: dict[str, Any] | None = None,
    settings: dict[str, Any] | None = None,
    **config: Any,
) -> RunInfo:
    """Play ward rounds with a tutor and store them."""
    given = {"planted": always(tutor or Tutor()), **(more or {})}
    source = InMemory("made up", tuple(cases or library("cardiology-01")), f"made up {name}")
    whole: dict[str, Any] = {"tutor": "planted", "cases": "made up", **config}
    whole["settings"] = {"max_rounds": rounds, **(settings or {})}
    run = runs.begin(RoundConfig.model_validate(whole), store, given, source, name=name)
    runs.play(run, store, concurrency=concurrency, more=given, source=source)
    return store.run(name)


def gathered(
    store: Store, names: Sequence[str], tmp: Path, held: Sequence[CaseText] = (), **plan: Any
) -> Gathered:
    """The rows of a data set, in a spool."""
    plan.setdefault("shares", ALL_FOR_TRAINING)
    into = built([store.run(name) for name in names], store, Plan(**plan), tmp, held)[0]
    OPEN.append(into)
    return into


def rows(into: Gathered, kind: Kind = "single") -> list[Sample]:
    """The rows of a kind in all splits."""
    return [sample for split in SPLITS for sample in into.spool.rows(kind, split)]


def written(store: Store, names: Sequence[str], out: Path, *formats: Any, **plan: Any) -> dict[str, Any]:
    """Write a data set, and return its manifest."""
    found = [store.run(name) for name in names]
    plan.setdefault("shares", ALL_FOR_TRAINING)
    into, protocol = built(found, store, Plan(**plan), out.parent)
    with into.spool:
        return write(into, protocol, names, out, formats or ("jsonl",))


def files(folder: Path) -> dict[str, bytes]:
    """Every file of a folder by its path."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
