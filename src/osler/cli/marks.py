"""`osler marks`: contest a mark in one's own words, and a teacher's answers to what was contested."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, NamedTuple

import typer
from rich.text import Text

from osler.cli.options import AsJson, RunName, StoreUrl
from osler.cli.output import command, plain, result
from osler.judging.contests import (
    Contest,
    answered,
    contest_lines,
    contested,
    contests_in,
    item_named,
    stored,
)
from osler.judging.grader_notes import FORMATIVE
from osler.runs.debriefing import items_of
from osler.store.permitted_store import for_reader
from osler.store.records import EpisodeRow, Judgement
from osler.store.store import Store, open_store
from osler.text.hostile import safe

app = typer.Typer(no_args_is_help=True, help="Contest marks, and answer what was contested.")
Episode = Annotated[
    str, typer.Argument(metavar="EPISODE", help="RUN:NUMBER, or an episode's key or a prefix of it.")
]
ItemName = Annotated[
    str, typer.Argument(metavar="ITEM", help="An item's number or id, the beginning of it, or words of it.")
]
_NO_ITEMS: Final = "the episode has no items"


@app.callback()
def about() -> None:
    """Contest marks, and answer what was contested."""


class _Place(NamedTuple):
    """An episode in a store with its judgements and the items that can be contested."""

    run: int
    row: EpisodeRow
    judgements: tuple[Judgement, ...]
    items: dict[str, str]

    @property
    def contests(self) -> tuple[Contest, ...]:
        """The items contested so far."""
        return contests_in(one.body for one in self.judgements)


@app.command("items")
@command
def items(episode: Episode, store: StoreUrl = None, as_json: AsJson = False) -> None:
    """List the items of an episode by number and id, with what was contested and answered."""
    with open_store(store, create=False) as opened:
        place = _place(opened, episode)
    against = {one.item: one for one in place.contests}
    value = [
        {"number": number, "id": name, "text": text, "contest": _plain(against.get(name))}
        for number, (name, text) in enumerate(place.items.items(), start=1)
    ]
    lines = []
    for number, (name, text) in enumerate(place.items.items(), start=1):
        lines.append(f"{number:>3} {name[:12]} {text}")
        lines += [f"      {line}" for line in contest_lines(against[name])] if name in against else []
    result(as_json, {"use": FORMATIVE, "items": value}, plain("\n".join(lines) or _NO_ITEMS))


@app.command("contest")
@command
def contest(
    episode: Episode,
    item: ItemName,
    words: Annotated[str, typer.Argument(metavar="WORDS", help="What you said or did, in your own words.")],
    store: StoreUrl = None,
    as_json: AsJson = False,
) -> None:
    """Say "I did that": your words are kept beside the verdict and wait for a teacher."""
    with open_store(store, create=False) as opened:
        place = _place(opened, episode)
        name = item_named(place.items, item)
        _keep(opened, place, contested(place.contests, name, place.items[name], words))
    text = f"kept beside the verdict, which stays as it is; a teacher sees it: {safe(place.items[name])}"
    result(as_json, {"use": FORMATIVE, "item": name, "text": place.items[name]}, Text(text))


@app.command("queue")
@command
def queue(
    run: RunName,
    every: Annotated[bool, typer.Option("--all", help="Those that were answered, too.")] = False,
    store: StoreUrl = None,
    as_json: AsJson = False,
) -> None:
    """List what learners contested in a run and nobody has answered."""
    with open_store(store, create=False) as opened:
        info, seen = opened.run(run), for_reader(opened, "teacher's marks")
        pairs = [
            (row, one)
            for row, _, judgements in seen.records(info.id, earlier=False)
            for one in contests_in(each.body for each in judgements)
            if every or not one.answer
        ]
    value = [
        {"episode": f"{info.name}:{row.ordinal}", "case": row.case_id, **one._asdict()} for row, one in pairs
    ]
    lines: list[str] = []
    for row, one in pairs:
        lines.append(f"{info.name}:{row.ordinal} {one.item[:12]} {one.text}")
        lines += [f"    {line}" for line in contest_lines(one)]
    if pairs:
        lines.append(f"To answer: osler marks answer {info.name}:NUMBER ITEM accept|refuse --by NAME")
    shown = safe("\n".join(lines) or "nothing waits for an answer")
    result(as_json, {"use": FORMATIVE, "contests": value}, plain(shown))


@app.command("answer")
@command
def answer(
    episode: Episode,
    item: ItemName,
    answer: Annotated[Literal["accept", "refuse"], typer.Argument(metavar="accept|refuse")],
    by: Annotated[str, typer.Option(help="Your name, which the learner sees.")],
    comment: Annotated[str, typer.Option(help="A word to the learner.")] = "",
    store: StoreUrl = None,
    as_json: AsJson = False,
) -> None:
    """Accept or refuse what was contested, or mark an item that nobody contested; the learner sees it.

    The examiner's verdict stays as it was; what is accepted is shown beside it and in a second figure.
    """
    with open_store(store, create=False) as opened:
        place = _place(for_reader(opened, "teacher's marks"), episode)
        name = item_named(place.items, item)
        contests = answered(place.contests, name, place.items[name], answer, comment, by)
        _keep(opened, place, contests)
    one = next(each for each in contests if each.item == name)
    result(as_json, {"use": FORMATIVE, **one._asdict()}, plain(safe("\n".join(contest_lines(one)))))


def _place(store: Store, episode: str) -> _Place:
    run, ordinal = store.find_episode(episode)
    row, _, judgements = store.record(run, ordinal)
    return _Place(run, row, tuple(judgements), items_of(store.info(run), store, ordinal))


def _keep(store: Store, place: _Place, contests: tuple[Contest, ...]) -> None:
    store.put_judgements(place.run, [(place.row.ordinal, *stored(contests))])


def _plain(one: Contest | None) -> dict[str, Any] | None:
    return one._asdict() if one else None
