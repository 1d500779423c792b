"""A submission: a folder in which everything stands that its card is computed from, each file with its hash.

submission.json   the statement, the prices, the runs, and the SHA-256 of every file and every episode
card.json         the card (`osler.studies.bench.run_card`), also as card.html
runs/, cases.jsonl   see `osler.studies.bench.shared_run`
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, Self

from pydantic import Field, ValidationError, model_validator

from osler.core.events import Frozen
from osler.errors import BadInput, in_words
from osler.files import sha256_of, write_whole
from osler.models.prices import Prices
from osler.reports.page import page_template
from osler.runs.run import config_of
from osler.store.permitted_store import for_reader
from osler.store.records import RunInfo
from osler.store.store import Store
from osler.studies.bench.card_fields import check_fields
from osler.studies.bench.run_card import SCHEMA, Json, Statement, card_of_runs
from osler.studies.bench.shared_run import CASES, SharedRun, line_hashes, write_cases, write_run

SUBMISSION: Final = "submission.json"
CARD: Final = "card.json"
PAGE: Final = "card.html"


class Submission(Frozen):
    """The description of a submission. `files` are SHA-256 by path, `episodes` those of the lines of each
    run's export by ordinal."""

    schema_: int = Field(alias="schema", ge=1, le=SCHEMA)
    statement: Statement
    prices: dict[str, Prices] = Field(default_factory=dict)
    runs: tuple[SharedRun, ...] = Field(min_length=1, max_length=200)
    episodes: dict[str, dict[int, str]]
    files: dict[str, str]

    @model_validator(mode="after")
    def _names_each_run_once(self) -> Self:
        names = [run.name for run in self.runs]
        if len(set(names)) < len(names):
            raise ValueError("a run is named twice")
        if len({path for run in self.runs for path in (run.export, run.calls)}) < 2 * len(self.runs):
            raise ValueError("a run is named like the calls of another")
        return self

    @property
    def paths(self) -> set[str]:
        """The paths that a file of the folder may have, besides this one's."""
        of_runs = {path for run in self.runs for path in (run.export, run.calls)}
        return {CARD, PAGE, CASES, *of_runs}


def submit(
    runs: Sequence[RunInfo],
    store: Store,
    out: Path,
    statement: Statement,
    prices: Mapping[str, Prices],
    *,
    with_cases: bool = True,
) -> Json:
    """Write a submission of ended runs to a new folder, and return its card. Encounters whose people do not
    permit it are left out of both.

    Raises BadInput if the folder is there already, and for a run that has not ended.
    """
    if out.exists():
        raise BadInput("is there already", where=str(out), hint="name a new folder")
    _check_stated(runs, statement)
    store = for_reader(store, "export")
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=f".{out.name}-") as name:
        folder = Path(name)
        (folder / "runs").mkdir()
        shared = [write_run(run, store, folder) for run in runs]
        if with_cases:
            write_cases(runs, store, folder)
        card = card_of_runs(list(zip(runs, shared, strict=True)), store, folder, statement, prices)
        check_fields(card, CARD)
        write_whole(folder / CARD, json_text(card))
        write_whole(folder / PAGE, html(card))
        submission = Submission(
            schema=SCHEMA,
            statement=statement,
            prices=dict(prices),
            runs=tuple(shared),
            episodes={one.name: dict(line_hashes(folder / one.export)) for one in shared},
            files={str(path.relative_to(folder)): sha256_of(path) for path in files_in(folder)},
        )
        write_whole(folder / SUBMISSION, submission_text(submission))
        folder.rename(out)
    return card


def _check_stated(runs: Sequence[RunInfo], statement: Statement) -> None:
    """Raise BadInput, naming the options, if a model is under test and nothing is stated of its training."""
    absent = [name for name in ("cutoff", "trained_on") if name not in statement.model_fields_set]
    for config in map(config_of, runs) if absent else ():
        if config.names()[config.plays.under_test].models:
            options = " and ".join(f"--{name.replace('_', '-')}" for name in absent)
            raise BadInput(
                f"a model is under test, and nothing is stated of its training: {options}",
                hint="say unknown if you do not know",
            )


def submission_text(submission: Submission) -> str:
    """A description as text: the same bytes for the same submission."""
    return submission.model_dump_json(by_alias=True, indent=1) + "\n"


def read_submission(folder: Path) -> Submission:
    """Read the description of a folder. Raises BadInput if it is no submission."""
    path = folder / SUBMISSION
    try:
        return Submission.model_validate_json(path.read_bytes())
    except OSError as error:
        raise BadInput(
            f"cannot be read: {error.strerror}", where=str(path), hint="osler bench submit RUN --out FOLDER"
        ) from None
    except ValidationError as error:
        raise BadInput(f"is no submission: {in_words(error)}", where=str(path)) from None


def files_in(folder: Path) -> Iterator[Path]:
    """Yield every file of a folder, in order of path, but the submission's own description."""
    yield from (path for path in sorted(folder.rglob("*")) if path.is_file() and path != folder / SUBMISSION)


def json_text(card: Json) -> str:
    """A card as text: sorted keys, the same bytes for the same card."""
    return json.dumps(card, sort_keys=True, indent=1, allow_nan=False) + "\n"


def html(card: Json) -> str:
    """A card as one page, without scripts and without a network."""
    return page_template("run_card.html.j2").render(card=card)
