"""The conditions of `osler study run` that the command names, and the cases that a training has seen."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple

import typer
import yaml
from pydantic import ValidationError

from osler.cli.grouped_help import panel
from osler.core.config import Config
from osler.core.names import listed
from osler.errors import BadInput, in_words
from osler.studies.study.design import Changes, Study, data_sets, merged
from osler.studies.study.running import DataSet
from osler.studies.study.under_study import with_levels, with_players

_NAMED: Final = re.compile(r"([\w .+-]{1,40})=(.+)", re.DOTALL)
_FIELD: Final = re.compile(r"(settings\.)?[a-z_]{1,40}")
_HINT: Final = "write [NAME=]PLAYER, or [NAME=]PLAYER,FIELD=VALUE"

Named = Annotated[
    list[str] | None,
    typer.Option(
        "--condition",
        "--tutor",
        "--stage",
        metavar="[NAME=]PLAYER[,FIELD=VALUE...]",
        help="A condition of a study that leaves them to the command, such as `main` and `training-stage`:"
        " who plays, and what else differs; data=DIR is the data set that a player was trained on. Name two"
        " or more; the others are compared with the first.",
        show_default=False,
        rich_help_panel=panel("study", first=True),
    ),
]
Players = Annotated[
    list[str] | None,
    typer.Option(
        "--given",
        "--seat",
        metavar="SEAT=PLAYER[,...]",
        help="The players under study, in seats that conditions leave open or leave to the command; several"
        " with commas make a row each, compared with the first. cases=A,B are sets of cases.",
        show_default=False,
        rich_help_panel=panel("study", first=True),
    ),
]
NotIn = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="DIR",
        help="A data set of osler dataset: cases that it holds for training or validation, or nearly, are"
        " left out and counted. May be given several times.",
        show_default=False,
        rich_help_panel=panel("cases"),
    ),
]


def as_given(study: Study, named: Sequence[str]) -> Study:
    """The study with the conditions that the command names. Raises BadInput for what is no condition, and for
    two of one name."""
    if not named:
        return study
    factor = next((name for name in study.given if name in study.factors), "")
    if not factor:
        hint = "leave it out, or write a study of your own with `given`"
        raise BadInput("this study names its conditions itself", where=study.name, hint=hint)
    levels: dict[str, Changes] = {}
    for text in named:
        name, changes = _condition(text, factor)
        if name in levels:
            hint = "give each its name: NAME=PLAYER"
            raise BadInput(f"two conditions are called {name!r}", where="--condition", hint=hint)
        levels[name] = changes
    return with_levels(study, factor, levels)


def players_given(study: Study, seats: Mapping[str, str]) -> tuple[Study, dict[str, str]]:
    """The study with the players that the command names, several for a seat with commas, and those for the
    seats that conditions leave open. Raises BadInput as `with_players` does, and for a seat without a
    name."""
    named = {seat: listed(names, f"--given {seat}") for seat, names in seats.items()}
    if empty := next((seat for seat, names in named.items() if not names), ""):
        raise BadInput("names no player", where=f"--given {empty}", hint="write SEAT=PLAYER[,PLAYER...]")
    return with_players(study, named)


def _condition(text: str, seat: str) -> tuple[str, Changes]:
    """A condition's name and changes, from its text."""
    head, *fields = (part.strip() for part in text.split(","))
    match = _NAMED.fullmatch(head)
    name, player = (match[1].strip(), match[2].strip()) if match else (head, head)
    if not (name and player):
        raise BadInput(f"{text[:60]!r} names no player", where="--condition", hint=_HINT)
    return name, merged({seat: player}, *map(_change, fields))


def _change(text: str) -> Changes:
    field, sign, value = (part.strip() for part in text.partition("="))
    if not (sign and value and _FIELD.fullmatch(field)):
        raise BadInput(f"{text[:60]!r} changes no field", where="--condition", hint=_HINT)
    try:
        read: Any = yaml.safe_load(value)
    except yaml.YAMLError:
        read = value
    inner = field.removeprefix("settings.")
    return {"settings": {inner: read}} if inner != field else {field: read}


class LeftOut(NamedTuple):
    """The cases of a set that are not played, since a training has seen them: their ids, how many cases there
    were, and the reasons by count."""

    ids: tuple[str, ...] = ()
    cases: int = 0
    because: dict[str, int] = {}  # noqa: RUF012 - never changed

    @property
    def words(self) -> str:
        """The counts in one line."""
        text = ", ".join(f"{count:,} in {why}" for why, count in self.because.items())
        return f"{len(self.ids):,} of {self.cases:,} cases left out{f': {text}' if text else ''}"

    def as_json(self) -> dict[str, Any]:
        """Plain JSON."""
        return {"cases": self.cases, "left_out": len(self.ids), "because": self.because}


class Training(NamedTuple):
    """Data sets of trainings: the folders whose cases are left out, and those that conditions name."""

    folders: tuple[Path, ...] = ()
    data_sets: Mapping[str, DataSet] = {}


def trained_on(study: Study) -> dict[str, DataSet]:
    """The data sets that a study's conditions name, by condition. Raises BadInput for a folder that is
    none."""
    from osler.training.reading import manifest_of  # noqa: PLC0415 - import time

    read = {}
    for name, folder in data_sets(study).items():
        manifest = manifest_of(Path(folder))
        try:
            read[name] = DataSet.model_validate(
                {
                    "name": Path(folder).name,
                    "hash": manifest["hash"],
                    "rows": manifest["samples"],
                    "sessions": manifest["sessions"],
                    "made_of": manifest.get("conditions", ()),
                }
            )
        except KeyError as error:
            raise BadInput(f"has no {error.args[0]}", where=f"{folder}/manifest.json") from None
        except ValidationError as error:
            raise BadInput(in_words(error), where=f"{folder}/manifest.json") from None
    return read


def left_out(config: Config, folders: Sequence[Path]) -> LeftOut:
    """The cases of a configuration that data sets hold for training or validation, or nearly.

    Raises BadInput for a folder that is no data set, for a protocol that trains no seat, and if no case is
    left.
    """
    from osler.training.overlap import seen  # noqa: PLC0415 - import time
    from osler.training.splits import case_text  # noqa: PLC0415 - import time
    from osler.training.task import trained_seat  # noqa: PLC0415 - import time

    seat = trained_seat(config.plays)
    ids: dict[str, str] = {}
    cases = []
    for case in islice(config.opened(), config.limit):
        ready = config.ready(case)
        ids[ready.content_hash] = str(case.id)
        cases.append(case_text(ready.content_hash, str(case.id), seat.case_texts(ready)))
    held: dict[str, str] = {}
    for folder in folders:
        for name, one in seen(folder, cases).items():
            what = one.split if one.why == "the case itself" else f"{one.split}, nearly"
            held.setdefault(name, f"{folder.name} ({what})")
    if cases and len(held) == len(ids):
        raise BadInput(
            "a training has seen every case", where=config.cases, hint="name cases of the test split"
        )
    gone = tuple(sorted(ids[name] for name in held))
    return LeftOut(gone, len(cases), dict(sorted(Counter(held.values()).items())))
