"""`osler memory`: doctors' memories as frozen snapshots, and the audit that nothing leaked."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any

import typer
from rich.box import SIMPLE
from rich.table import Table
from rich.text import Text

from osler.cli.model_options import takes_models
from osler.cli.options import AsJson, RunName, StoreUrl
from osler.cli.output import NOTHING_DONE, add_row, command, plain, result, say
from osler.errors import BadInput
from osler.memory.collection import Memory
from osler.memory.settings import Policy
from osler.memory.sql_memory import SqlKeeper
from osler.protocols.consultation.memory.retrieval_log import audit_run, audit_value, audit_words
from osler.protocols.consultation.memory.snapshots import learn
from osler.protocols.consultation.memory.summaries import ModelSummaries
from osler.runs.seating import ModelOptions
from osler.store.store import open_store
from osler.text.hostile import safe

app = typer.Typer(help="Doctors' memories: list, show, audit, roll back.", no_args_is_help=True)
_SHOWN = 20
_LETTERS = 300
Name = Annotated[str, typer.Argument(metavar="MEMORY", help="A memory's name; see osler memory list.")]
Snapshot = Annotated[str, typer.Argument(metavar="SNAPSHOT", help="A snapshot's hash, or a prefix of it.")]


@app.command("list")
@command
def list_memories(store: StoreUrl = None, as_json: AsJson = False) -> None:
    """List every memory in the store with its newest snapshot."""
    with open_store(store, create=False) as opened:
        keeper = SqlKeeper(opened.engine)
        rows = [_row(keeper, name) for name in keeper.names()]
    table = Table(title=None if rows else "no memories yet", box=SIMPLE, padding=(0, 1, 0, 0))
    for title in ("memory", "snapshot", "cards", "steps", "last"):
        table.add_column(title, no_wrap=title == "snapshot")
    for row in rows:
        cells = (row["memory"], row["snapshot"][:12], str(row["cards"]), str(row["steps"]), row["why"])
        add_row(table, *cells)
    result(as_json, {"memories": rows}, table)


@app.command("snapshot")
@command
@takes_models(plays=False, settings=False)
def snapshot(
    memory: Name,
    at: Annotated[
        str | None, typer.Option(help="A snapshot's hash or a prefix of it.  [default: the newest]")
    ] = None,
    limit: Annotated[int, typer.Option(min=0, help="Number of cards to show.")] = _SHOWN,
    run: Annotated[
        str | None,
        typer.Option("--from", help="First write lessons from this run back into the memory and freeze it."),
    ] = None,
    feedback: Annotated[
        Policy | None,
        typer.Option(
            help="The feedback the doctor gets on that run.  [default: judge for a model, gold for a built-in"
            " doctor]",
            show_default=False,
        ),
    ] = None,
    summarizer: Annotated[
        str | None,
        typer.Option(
            metavar="model:NAME",
            help="The model that summarizes each consultation for its card.  [default: by rule]",
            show_default=False,
        ),
    ] = None,
    *,
    modelling: ModelOptions,
    store: StoreUrl = None,
    as_json: AsJson = False,
) -> None:
    """Show a memory's log and the cards of one snapshot, most useful first.

    With --from RUN, lessons from that run become cards of this memory, which is created if it does not exist.
    """
    if run is None and (feedback or summarizer):
        raise BadInput("nothing is written", where="--feedback, --summarizer", hint="add --from RUN")
    with open_store(store, create=False) as opened:
        keeper = SqlKeeper(opened.engine)
        if run is not None:
            summarize = ModelSummaries(_model(summarizer), modelling, opened) if summarizer else None
            source = opened.run(run)
            learn(memory, source, opened, feedback, summarize)
        steps = _steps(keeper, memory)
        chosen = _chosen(keeper, memory, at) if at else steps[-1]["snapshot"]
        data = keeper.load(chosen)
    if run is not None:
        left = sum(card.origin.run == source.name for card in data.cards.values())
        say(f"{left} of {source.done} consultations left a card: a wrong one leaves none here")
    cards = sorted(data.cards.values(), key=lambda card: (-card.utility, card.origin.position, card.id))
    shown = [
        {
            "id": card.id,
            "kind": card.kind,
            "outcome": card.outcome,
            "diagnosis": card.diagnosis,
            "utility": round(card.utility, 3),
            "uses": card.uses,
            "state": card.state,
            "position": card.origin.position,
            "content": card.content,
        }
        for card in cards[:limit]
    ]
    value = {"memory": memory, "steps": steps, "snapshot": chosen, **_counts(data), "shown": shown}
    log = Table("step", "snapshot", "cards at most", "why", box=SIMPLE)
    for step in steps:
        room = "-" if step["capacity"] is None else str(step["capacity"])
        log.add_row(str(step["n"]), step["snapshot"][:12], room, plain(step["why"]))
    table = Table("card", "kind", "diagnosis", "utility", "uses", "content", box=SIMPLE)
    for card in cards[:limit]:
        content = safe(" ".join(card.content.split()))[:_LETTERS]
        table.add_row(
            card.id[:8],
            card.kind,
            plain(card.diagnosis),
            f"{card.utility:.2f}",
            str(card.uses),
            Text(content),
        )
    result(as_json, value, log, Text(f"{len(cards)} cards in snapshot {chosen}"), table)


@app.command("rollback")
@command
def rollback(memory: Name, to: Snapshot, store: StoreUrl = None, as_json: AsJson = False) -> None:
    """Roll a memory back to an earlier snapshot, as a new step of its log; nothing is deleted."""
    with open_store(store, create=False) as opened:
        keeper = SqlKeeper(opened.engine)
        chosen = _chosen(keeper, memory, to)
        held = keeper.roll_back(memory, chosen)
        steps = _steps(keeper, memory)
    value = {"memory": memory, "snapshot": chosen, "step": steps[-1]["n"], **_counts(held)}
    result(as_json, value, Text(f"{safe(memory)} is back at snapshot {chosen}, with {len(held.cards)} cards"))


@app.command("audit")
@command
def audit(run: RunName, store: StoreUrl = None, as_json: AsJson = False) -> None:
    """Audit leakage: no retrieved card may be from the same case, its twins or near-duplicates, or held out.

    Exits 1 if one does.
    """
    with open_store(store, create=False) as opened:
        found = opened.run(run)
        audited = audit_run(found, opened)
    table = Table("episode", "card", "why", box=SIMPLE)
    for one in audited.violations[:_SHOWN]:
        table.add_row(one.episode[:12], one.card[:12], plain(one.why))
    value = {"run": found.name, **audit_value(audited)}
    result(as_json, value, Text(audit_words(audited)), *([] if audited.clean else [table]))
    if not audited.clean:
        raise typer.Exit(NOTHING_DONE)


def _model(named: str) -> str:
    """The name of the endpoint that is named as a player."""
    name = named.removeprefix("model:")
    if name == named:
        raise BadInput(f"{named!r} is not a model", where="--summarizer", hint="write model:NAME")
    return name


def _row(keeper: SqlKeeper, name: str) -> dict[str, Any]:
    steps = keeper.steps(name)
    last = steps[-1]
    return {
        "memory": name,
        "snapshot": last.snapshot,
        "cards": keeper.size(last.snapshot),
        "capacity": last.capacity,
        "steps": len(steps),
        "why": last.why,
    }


def _steps(keeper: SqlKeeper, memory: str) -> list[dict[str, Any]]:
    steps = [step._asdict() for step in keeper.steps(memory)]
    if not steps:
        raise BadInput(f"there is no memory {memory!r}", hint="see: osler memory list")
    return steps


def _chosen(keeper: SqlKeeper, memory: str, begins: str) -> str:
    """The one snapshot of a memory whose hash has this prefix."""
    steps: set[str] = {
        step["snapshot"] for step in _steps(keeper, memory) if step["snapshot"].startswith(begins)
    }
    if len(steps) != 1:
        how = "no snapshot" if not steps else "more than one snapshot"
        raise BadInput(
            f"{how} of {memory!r} begins with {begins!r}", hint=f"see: osler memory snapshot {memory}"
        )
    return steps.pop()


def _counts(memory: Memory) -> dict[str, Any]:
    cards = memory.cards.values()
    return {
        "cards": len(cards),
        "kinds": dict(sorted(Counter(card.kind for card in cards).items())),
        "outcomes": dict(sorted(Counter(card.outcome for card in cards).items())),
        "retired": sum(card.state == "retired" for card in cards),
    }
