"""The options of every command whose doctor may remember: the memory, how cards are found, and when."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, NamedTuple

import typer

from osler.cli.bundled import bundled
from osler.cli.grouped_help import panel
from osler.errors import BadInput

MemoryName = Annotated[
    str | None,
    typer.Option(
        "--memory",
        metavar="NAME",
        help="The memory that +memory retrieves from: its name, or a snapshot's hash.",
        rich_help_panel=panel("memory"),
    ),
]
Retrieve = Annotated[
    Literal["lexical", "nearest", "fused"] | None,
    typer.Option(
        "--retrieve",
        help="How memory cards are found: by words, by nearest vectors, or fused.  [default: lexical]",
        show_default=False,
        rich_help_panel=panel("memory"),
    ),
]
Embedder = Annotated[
    str | None,
    typer.Option(
        "--embedder",
        metavar="model:NAME",
        help="The endpoint whose /embeddings give these vectors.  [default: built-in, of words alone]",
        show_default=False,
        rich_help_panel=panel("memory"),
    ),
]
Looks = Annotated[
    str | None,
    typer.Option(
        "--looks",
        metavar="LOOK[,LOOK...]",
        help="When a doctor looks into its memory: start, during, conclusion.  [default: all three]",
        show_default=False,
        rich_help_panel=panel("memory"),
    ),
]


class Remember(NamedTuple):
    """A memory's name, and how it is searched, by field of a run's memory settings."""

    memory: str
    how: Mapping[str, Any]


def searched(retrieve: str | None, embedder: str | None, looks: str | None) -> dict[str, Any]:
    """The memory settings given on a command line, by field; an embedder alone means the nearest vectors."""
    if retrieve is None and embedder is not None:
        retrieve = "nearest"
    split = None if looks is None else [one.strip() for one in looks.split(",") if one.strip()]
    result = {"by": retrieve, "embedder": embedder, "looks": split}
    return {name: value for name, value in result.items() if value is not None}


def remembered(
    memory: str | None = None,
    retrieve: str | None = None,
    embedder: str | None = None,
    looks: str | None = None,
) -> Remember | None:
    """The memory given on a command line, if any. Raises BadInput for a search of none."""
    how = searched(retrieve, embedder, looks)
    if memory is not None:
        return Remember(memory, how)
    if how:
        raise BadInput(
            "there is no memory to search",
            where="--retrieve, --embedder, --looks",
            hint="name one: --memory NAME",
        )
    return None


def takes_memory(has_one: bool) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A decorator for a command with a parameter `remember: Remember | None`, and for one whose protocol has
    no memory, which then has no such options."""
    options = {
        "memory": (MemoryName, None),
        "retrieve": (Retrieve, None),
        "embedder": (Embedder, None),
        "looks": (Looks, None),
    }
    return bundled("remember", options if has_one else {}, remembered)
