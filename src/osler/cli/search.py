"""`osler search`: words and phrases in what was said and reported in recorded runs."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any

import typer
from rich.text import Text

from osler.cli.options import AsJson, StoreUrl
from osler.cli.output import command, out, plain, result, say
from osler.core.permitted import NotPermitted
from osler.core.protocol import Protocol
from osler.core.registry import protocol_named
from osler.errors import BadInput
from osler.runs.run import protocol_of
from osler.runs.word_search import Hit, HitPage, check_seat, index_episodes
from osler.runs.word_search import search as search_runs
from osler.store.permitted_store import for_reader
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
    of = protocol_named(protocol) if protocol else None
    check_seat(seat, [of] if of else None)
    with open_store(store, create=False) as opened:
        permitted = for_reader(opened, "search")
        named = [permitted.run(name) for name in run or []]
        for one in named:
            permitted.left_out(one.id)  # raises NotPermitted for a run of which nothing may be read
        among = _among(permitted, named, of)
        withheld = _withheld(permitted, among)
        index_episodes(opened, among)
        seen = _Seen(permitted)
        found = HitPage([], None)
        while len(found.hits) < limit:  # a page may be short of hits that are not shown
            more = search_runs(
                permitted,
                phrases,
                seen.shows,
                limit - len(found.hits),
                runs=among,
                seat=seat,
                after=found.after,
            )
            found = HitPage([*found.hits, *more.hits], more.after)
            if more.after is None:
                break
        hits = [_as_json(hit, seen.name(hit.at.run)) for hit in found.hits]
    shown = [line for hit, one in zip(found.hits, hits, strict=True) for line in _told(hit, one["run"])]
    value = {"words": phrases, "hits": hits, "more": found.after is not None, "withheld": withheld}
    result(as_json, value, *(shown or [plain("Nothing was found.")]))
    if found.after:
        say(f"There are more than {limit}; --limit shows them.")
    if withheld:
        say(f"{withheld} episodes were not searched: their people do not permit research.")


def _as_query(argument: str) -> str:
    """A phrase if the shell was given it as one argument."""
    return f'"{argument}"' if " " in argument.strip() and '"' not in argument else argument


def _among(store: Store, named: list[RunInfo], protocol: Protocol | None) -> list[int] | None:
    """The ids of the runs to search, `None` for all."""
    if not named and protocol is None:
        return None
    return [one.id for one in named or store.runs() if protocol is None or _plays(one, protocol.name)]


def _withheld(store: Store, among: list[int] | None) -> int:
    """Count the ended episodes that may not be read, whatever the words searched for: counting only
    those with a match would reveal their contents."""
    result = 0
    for run in store.runs():
        if among is None or run.id in among:
            try:
                result += store.left_out(run.id)
            except NotPermitted:  # every one of the run
                result += run.done
    return result


def _plays(run: RunInfo, protocol: str) -> bool:
    try:
        return protocol_of(run).name == protocol
    except BadInput:  # of a protocol that is not installed
        return False


class _Seen:
    """The episodes that may be read, and the names of their runs."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.name = cache(lambda run: store.info(run).name)

    def shows(self, at: Place) -> bool:
        """Whether an episode may be shown."""
        try:
            return self._store.ended(at.run, at.ordinal) is not None
        except NotPermitted:
            return False


def _as_json(hit: Hit, run: str) -> dict[str, Any]:
    line = hit.line
    return {
        "run": run,
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
        text = safe(" ".join(piece.text.splitlines()) if piece.text.strip() else " ")
        marked = text if out.is_terminal else f"«{text}»"
        passage.append(*((marked, "bold reverse") if piece.marked else (text, "")))
    return [where, passage]
