"""Exports of a submission for catalogues of results: what its card says, in their formats, and nothing else.

A folder is verified before it is exported, and only runs with a model under test are: built-in players are
baselines, and no models.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import yaml

from osler.core.measure import plain_value
from osler.errors import BadInput
from osler.files import write_whole
from osler.runs.measured import measured
from osler.runs.run import config_of, protocol_of
from osler.store.records import EpisodeRow
from osler.store.store import open_store
from osler.studies.bench.card_fields import read_card
from osler.studies.bench.every_eval_ever import per_case_lines, record_of
from osler.studies.bench.run_card import Json
from osler.studies.bench.shared_cases import cases_in, complete_cases, own_source
from osler.studies.bench.shared_run import SharedRun, read_back
from osler.studies.bench.submission import CARD, read_submission
from osler.studies.bench.verification import Verification
from osler.studies.bench.verify import verify

_DATASET: Final = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[\w.-]{1,96}")


class Board(NamedTuple):
    """A leaderboard on the Hugging Face Hub: its data set and task, the data set's revision and the address
    of the shared folder, "" if they are not said."""

    dataset: str
    task: str
    revision: str = ""
    source: str = ""


def export_every_eval_ever(folder: Path, out: Path) -> list[str]:
    """Write each run with a model under test as a record of Every Eval Ever, and its encounters as a file
    beside it. Returns the names of the files. Raises BadInput."""
    card, runs = _exported(folder, out)
    submission = read_submission(folder)
    cases = cases_in(folder, submission, Verification())
    names = []
    for run in runs:
        shared = next(one for one in submission.runs if one.name == run["run"])
        scored = list(_scores(folder, shared, cases, run["headline"]))
        lines = per_case_lines(card, run, scored)
        name, record = record_of(card, run, lines, len(scored))
        texts = {f"{name}.json": record, f"{name}.jsonl": lines}
        for file, text in texts.items():
            if text:
                write_whole(out / file, text)
                names.append(file)
    return names


def export_eval_results(folder: Path, out: Path, board: Board) -> list[str]:
    """Write each run with a model under test as a file for `.eval_results/` in the model's repository on the
    Hub. Returns the names of the files. Raises BadInput."""
    if not _DATASET.fullmatch(board.dataset):
        raise BadInput(f"{board.dataset!r} is no data set of the Hub", where="--dataset", hint="OWNER/NAME")
    if not board.task:
        raise BadInput("names no task", where="--task", hint="as the data set's eval.yaml calls it")
    if board.source and not board.source.startswith(("https://", "http://")):
        raise BadInput("is no address", where="--source", hint="https://...")
    card, runs = _exported(folder, out)
    for run in runs:
        entry = [eval_result(card, run, board)]
        write_whole(out / f"{run['run']}.yaml", yaml.safe_dump(entry, sort_keys=False, allow_unicode=True))
    return [f"{run['run']}.yaml" for run in runs]


def eval_result(card: Json, run: Json, board: Board) -> Json:
    """The headline of a run as an entry of `.eval_results/`. Raises BadInput if it has no value."""
    head = run["measures"][run["headline"]]
    if head["value"] is None:
        raise BadInput(f"the headline of {run['run']} has no value: nothing was scored")
    reach = "no interval" if head["low"] is None else f"{head['low']:.4g} to {head['high']:.4g}"
    judges = "; ".join(f"{name}: {one['agreement']}" for name, one in run["judges"].items())
    submitter, training = card["submitter"], card["contamination"]
    notes = (
        f"{head['words']} ({head['means']}); 95 %: {reach}; {head['n']} scored, {head['unscored']} unscored"
        f" of {run['planned']}{_beside_scored(run)}. {run['standing']}: {'; '.join(run['differs'])}. Patient:"
        f" {', '.join(run['patient']['models']) or run['patient']['player'] or 'none'}. Judges: {judges}."
        f" Relation: {submitter['relation']}; training cut-off {training['cutoff']}, trained on these cases:"
        f" {training['trained_on']}. Osler {card['osler']}, card {card['hash']}."
    )
    revision = {"revision": board.revision} if board.revision else {}
    source = {"source": {"url": board.source, "name": "Osler submission"}} if board.source else {}
    return {
        "dataset": {"id": board.dataset, "task_id": board.task, **revision},
        "value": head["value"],
        "date": card["submitter"]["made_on"],
        **source,
        "evaluation_framework": "osler",
        "notes": notes,
    }


def _beside_scored(run: Json) -> str:
    """Say how far the encounters not scored, or not shared, could move the headline."""
    ends = run["headline_bounds"]
    bounds = f", so that it lies between {ends[0]:.4g} and {ends[1]:.4g}" if ends else ""
    return bounds + (f"; {run['withheld']} withheld by their people" if run["withheld"] else "")


def _exported(folder: Path, out: Path) -> tuple[Json, list[Json]]:
    """The card of a folder that verifies, and its runs with a model under test."""
    if out.exists():
        raise BadInput("is there already", where=str(out), hint="name a new folder")
    found = verify(folder)
    if not found.ok:
        first = found.failures[0]
        raise BadInput(
            f"is not as it says: {first.what} at {first.where}, and {len(found.failures) - 1} more",
            where=str(folder),
            hint=f"osler bench verify {folder}",
        )
    card = read_card(folder / CARD)
    runs = [run for run in card["runs"] if run["models_by_seat"].get(run["seat"])]
    if not runs:
        raise BadInput("has no run with a model under test", where=str(folder))
    return card, runs


def _scores(
    folder: Path, shared: SharedRun, cases: dict[str, str], headline: str
) -> Iterator[tuple[EpisodeRow, float | None]]:
    """The encounters of a run in a folder that verifies, each with its value of the headline."""
    unread = Verification()
    with tempfile.TemporaryDirectory() as passing, open_store(Path(passing) / "export.db") as store:
        run = read_back(shared, folder, store, cases)
        config = config_of(run)
        complete_cases(run, config, store, own_source(config, run.name, unread), unread)
        for one in measured(run, store, [protocol_of(run).measure(headline)]):
            yield one.row, plain_value(one.values[0])
