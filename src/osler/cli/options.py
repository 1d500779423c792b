"""Options shared by several commands, defined once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final, NamedTuple

import typer

from osler.cli.bundled import bundled
from osler.cli.grouped_help import panel
from osler.errors import BadInput

AsJson = Annotated[
    bool,
    typer.Option(
        "--json",
        help="Print one JSON object on standard output.",
        rich_help_panel=panel("output", first=True),
    ),
]
StoreUrl = Annotated[
    str | None,
    typer.Option(
        "--store",
        help="The store of runs: a file or a database URL.  [default: $OSLER_STORE or ./osler.db]",
        show_default=False,
        rich_help_panel=panel("output", first=True),
    ),
]
GraderName = Annotated[
    str | None,
    typer.Option(
        "--grader",
        metavar="NAME[@VERSION]",
        help="The judge, and its version, whose judgement to use.  [default: the built-in judge's last]",
        show_default=False,
    ),
]
RunName = Annotated[str, typer.Argument(metavar="RUN", help="A run's name, a prefix of it, or `last`.")]
RunNames = Annotated[
    list[str], typer.Argument(metavar="RUN...", help="Runs by name, a prefix of it, or `last`.")
]
FailUnder = Annotated[
    float | None,
    typer.Option(
        "--fail-under",
        min=0,
        max=1,
        help="Exit 4 if the headline score is below this; unscored episodes count as 0.",
        show_default=False,
        rich_help_panel=panel("output"),
    ),
]
ConfigFile = Annotated[
    Path | None,
    typer.Option(
        "--config", help="An osler.toml to use instead of ./osler.toml.", rich_help_panel=panel("models")
    ),
]
JudgeName = Annotated[
    str,
    typer.Option(
        "--judge",
        help="The judge of each run once it is played: baseline (the protocol's own), another of its judges,"
        " model:NAME of osler.toml, or a judge from a plug-in.",
        rich_help_panel=panel("run", first=True),
    ),
]
BUILT_IN: Final = "baseline"
"""The default of `JudgeName`: `osler.judging.named.BUILT_IN_JUDGE`, which takes too long to import here."""
JudgeRepeats = Annotated[
    int,
    typer.Option(
        "--judge-repeats",
        min=1,
        max=50,
        help="Times a model judges each episode.",
        rich_help_panel=panel("run"),
    ),
]
SameEndpointAllowed = Annotated[
    bool,
    typer.Option(
        "--same-endpoint-allowed",
        help="Let a model judge a run it played in.",
        rich_help_panel=panel("run"),
    ),
]
Batch = Annotated[
    int,
    typer.Option(
        "--batch",
        min=1,
        max=200,
        help="Items per request of a model judge.",
        rich_help_panel=panel("run"),
    ),
]
PORTION: Final = 8
"""The default of `Batch`: `osler.core.judge.PORTION`, which takes too long to import here."""
Seed = Annotated[int, typer.Option(help="The random seed: same seed, same bytes.")]
Concurrency = Annotated[
    int, typer.Option(min=1, max=4096, help="Episodes played concurrently.", rich_help_panel=panel("run"))
]
AT_ONCE: Final = 16
"""The episodes played concurrently unless said otherwise."""
MOST_PROCESSES: Final = 256
Processes = Annotated[
    int,
    typer.Option(
        min=1,
        max=MOST_PROCESSES,
        help="Play in N processes on this machine, a core for each.",
        rich_help_panel=panel("run"),
    ),
]
On = Annotated[
    str | None,
    typer.Option(
        "--on",
        metavar="ray:N",
        help="Play in N processes that Ray places, on many machines (PostgreSQL).",
        show_default=False,
        rich_help_panel=panel("run"),
    ),
]
Limit = Annotated[int | None, typer.Option(min=1, help="Only the first N cases.")]
DryRun = Annotated[
    bool,
    typer.Option(
        "--dry-run", help="Only estimate disk space, tokens and cost.", rich_help_panel=panel("run")
    ),
]
Seats = Annotated[
    list[str] | None,
    typer.Option(
        "--seat",
        metavar="SEAT=PLAYER",
        help="The player for a seat, numbered ones too; may be given several times.",
        show_default=False,
        rich_help_panel=panel("seats"),
    ),
]
Sets = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="FIELD=VALUE",
        help="Set any field of the configuration, such as persona=anxious or settings.limits.max_turns=10.",
        show_default=False,
        rich_help_panel=panel("encounter"),
    ),
]


class ImageFiles(NamedTuple):
    """The folder of the image files of a command's cases, if there is one; `without_images` takes a case
    whose images are missing without them."""

    images: str | None = None
    without_images: bool = False


def _image_files(images: Path | None = None, *, without_images: bool = False) -> ImageFiles:
    if images is not None and not images.is_dir():
        raise BadInput("there is no such folder", where=f"--images {images}", hint="name a folder of images")
    return ImageFiles(str(images) if images is not None else None, without_images)


takes_images = bundled(
    "pictured",
    {
        "images": (
            Annotated[
                Path | None,
                typer.Option(
                    metavar="DIR",
                    help="The folder of the image files that the cases name.",
                    show_default=False,
                ),
            ],
            None,
        ),
        "without_images": (
            Annotated[
                bool,
                typer.Option(
                    "--without-images",
                    help="Take cases whose images are missing without them, marked; else they are left out.",
                ),
            ],
            False,
        ),
    },
    _image_files,
)
"""A decorator for a command with a parameter `pictured: ImageFiles`, wherever cases are opened."""


class Spread(NamedTuple):
    """Over how many processes a run is spread, and whether Ray places them on its machines."""

    processes: int = 1
    by_ray: bool = False

    @property
    def where(self) -> str:
        """The option that asked for it."""
        return f"--on ray:{self.processes}" if self.by_ray else f"--processes {self.processes}"

    @property
    def alone(self) -> bool:
        """Whether the command itself plays."""
        return self.processes == 1 and not self.by_ray


def spread(processes: int | None = None, on: str | None = None) -> Spread:
    """The value of `--processes` and `--on`. Raises BadInput for both, and for what is no place."""
    if on is None:
        return Spread(processes or 1)
    if processes not in (None, 1):
        raise BadInput(
            "one of them says where to play", where=f"--processes {processes} --on {on}", hint="leave one out"
        )
    place, _, many = on.partition(":")
    if place != "ray" or not many.isdecimal() or not 1 <= int(many) <= MOST_PROCESSES:
        raise BadInput(
            f"{on!r} is no place to play",
            where="--on",
            hint=f"write ray:N, N from 1 to {MOST_PROCESSES}; for this machine --processes N; for Slurm and "
            "Kubernetes see docs/scaling.md",
        )
    return Spread(int(many), by_ray=True)


ALONE: Final = Spread()
takes_spread = bundled("over", {"processes": (Processes, 1), "on": (On, None)}, spread)
"""A decorator for a command with a parameter `over: Spread`: it plays a run in one process, or in several."""


def seats_given(given: list[str] | None) -> dict[str, str]:
    """Parse `--seat SEAT=PLAYER` by seat. Raises BadInput for a malformed one and for a repeated seat."""
    result: dict[str, str] = {}
    for one in given or ():
        seat, sign, name = one.partition("=")
        seat, name = seat.strip(), name.strip()
        if not (sign and seat and name):
            raise BadInput(
                f"{one!r} does not name a seat and its player", where="--seat", hint="write SEAT=PLAYER"
            )
        if seat in result:
            raise BadInput(
                f"{seat} is named twice", where="--seat", hint="separate several players with commas"
            )
        result[seat] = name
    return result
