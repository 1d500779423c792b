"""`osler search`: words and phrases in what was said and reported in recorded runs."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any

import typer
from rich.text import Text

from osler.cli.options import AsJson, StoreUrl
from osler.cli.output import command, plain, result, say
from osler.errors import BadInput
from osler.runs.run import protocol_of
from osler.runs.word_search import Found, Hit, index_episodes
from osler.runs.word_search import search as search_runs
from osler.store.permissions import withheld
from osler.store.records import RunInfo
from osler.store.search_index import Place
from osler.store.store import Store, open_store
from osler.text.hostile import safe
from osler.text.search_words import phrases_of


@command
def search(
    words: Annotated[
        list[str],
        typer.Argument(metavar="WORDS...", help="Words, all of which a line must hold; quote a phrase."),
    ],
    run: Annotated[
        list[str] | None,
        typer.Option("--run", help="Only this run; repeatable.", show_default=False),
    ] = None,
    seat: Annotated[
        str, typer.Option(help="Only what this seat said or did (doctor), or `result` for what was reported.")
    ] = "",
    protocol: Annotated[str, typer.Option(help="Only runs of this protocol, such as consultation.")] = "",
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="Hits to show at most.")] = 20,
    store: StoreUrl = None,
    as_json: AsJson = False,
) -> None:
    """Search what was said, done and reported in ended episodes, the newest run first. A word is found whole,
    whatever its case and accents; all words must stand in one line."""
    phrases = phrases_of(" ".join(_as_query(one) for one in words))
    if not phrases:
        raise BadInput("there is no word to search for", hint='osler search fever "night sweats"')
    with open_store(store, create=False) as opened:
        among = _among(opened, run or [], protocol)
        index_episodes(opened, among)
        hidden = _Hidden(opened)
        found = search_runs(opened, phrases, hidden.shows, limit, runs=among, seat=seat)
        while found.after and len(found.hits) < limit:  # a page may be short of hits that are not shown
            more = search_runs(
                opened, phrases, hidden.shows, limit - len(found.hits), runs=among, seat=seat, after=found.after
            )
            found = Found([*found.hits, *more.hits], more.after)
    value = {"words": phrases, "hits": [hidden.as_json(hit) for hit in found.hits], "more": bool(found.after)}
    shown = [line for hit in found.hits for line in _told(hit, hidden.run(hit.at.run).name)]
    result(as_json, value, *(shown or [plain("Nothing was found.")]))
    if found.after:
        say(f"There are more than {limit}; --limit shows them.")
    if hidden.refused:
        what = f"Lines of {len(hidden.refused)} episodes are left out"
        say(f"{what}: their people do not permit research (osler permit RUN).")


def _as_query(argument: str) -> str:
    """A phrase if the shell was given it as one argument."""
    return f'"{argument}"' if " " in argument.strip() and '"' not in argument else argument


def _among(store: Store, names: list[str], protocol: str) -> list[int] | None:
    """The ids of the runs to search, `None` for all. Raises BadInput for a run that is not there."""
    if not names and not protocol:
        return None
    runs = [store.run(name) for name in names] if names else store.runs()
    return [one.id for one in runs if not protocol or _plays(one, protocol)]


def _plays(run: RunInfo, protocol: str) -> bool:
    try:
        return protocol_of(run).name == protocol
    except BadInput:  # of a protocol that is not installed
        return False


class _Hidden:
    """The episodes that are not shown, since their people do not permit research; `refused` are those met."""

    def __init__(self, store: Store) -> None:
        self.run = cache(store.info)
        self._withheld = cache(lambda run: withheld(store, run, "research") or ())
        self.refused = set[tuple[int, int]]()

    def shows(self, at: Place) -> bool:
        """Whether an episode may be shown."""
        if at.ordinal in self._withheld(at.run):
            self.refused.add(at[:2])
            return False
        return True

    def as_json(self, hit: Hit) -> dict[str, Any]:
        """A hit as plain JSON."""
        line = hit.line
        return {
            "run": self.run(hit.at.run).name,
            "ordinal": hit.at.ordinal,
            "exchange": line.n,
            "item": line.item,
            "seat": line.seat,
            "label": line.label,
            "text": "".join(piece.text for piece in hit.passage),
            "passage": [piece._asdict() for piece in hit.passage],
        }


def _told(hit: Hit, run: str) -> list[Text]:
    """A hit in two lines: where it is, and the passage with the words marked."""
    where = plain(f"{run}:{hit.at.ordinal} exchange {hit.line.n}")
    passage = Text(safe(f"  {hit.line.label}: "))
    for piece in hit.passage:
        passage.append(safe(" ".join(piece.text.splitlines())), "bold reverse" if piece.marked else "")
    return [where, passage]
