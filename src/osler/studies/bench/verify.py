"""Verification of a submission, from its folder alone and believing none of it.

Each file is hashed, each export read back into an empty store and written again to the same bytes. Each
encounter is played once more: built-in players answer live, the replies of models and people come from the
record, and requests, events, end and judgement must come out as recorded. Then the card is computed anew and
compared, figure by figure. No file that a submission names is opened, and no code that it names is imported.
What a model said cannot be proved by this, only that everything else follows from it.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel

import osler
from osler.core.config import Config, config_type
from osler.core.source import Source
from osler.errors import BadInput, OslerError
from osler.files import sha256_of
from osler.knowledge import fingerprint
from osler.runs.batch import counted
from osler.runs.cached_source import KeptSource, placed
from osler.runs.run import config_of, protocol_in
from osler.store.export import export_lines, read_configuration
from osler.store.records import RunInfo
from osler.store.store import Store, open_store
from osler.studies.bench.replay import check_replay
from osler.studies.bench.run_card import Json, card_hash, card_of_runs
from osler.studies.bench.shared_run import CASES, SharedRun, read_back
from osler.studies.bench.submission import (
    CARD,
    PAGE,
    Submission,
    files_in,
    html,
    line_hashes,
    read_submission,
)
from osler.studies.bench.verification import Verification

_OURS: Final = ("library", "generated:")
"""The sources of cases that are part of Osler."""
_UNREADABLE: Final = (ValueError, KeyError, TypeError, AttributeError, StopIteration)
"""What reading a file raises that is not what was written."""
_FOLDERS: Final = ("images", "rubrics")
"""The fields of a configuration that name a folder, which is not followed."""


def verify(folder: Path) -> Verification:
    """Verify a submission. Raises BadInput for a folder that holds none."""
    submission, result = read_submission(folder), Verification()
    _check_files(folder, submission, result)
    cases = _cases(folder, submission, result)
    with tempfile.TemporaryDirectory() as passing, open_store(Path(passing) / "verify.db") as store:
        runs = []
        for shared in submission.runs:
            try:
                run = read_back(shared, folder, store, cases)
                _check_run(run, shared, folder, store, submission, result)
                runs.append((run, shared))
            except (OslerError, OSError, *_UNREADABLE) as error:
                result.fail("run", shared.name, "a run that can be read", str(error) or type(error).__name__)
        if len(runs) == len(submission.runs):
            try:
                card = card_of_runs(runs, store, folder, submission.statement, submission.prices)
            except (OslerError, *_UNREADABLE) as error:
                result.fail("card", CARD, "a card that can be computed again", str(error))
            else:
                _check_card(folder, card, result)
    return result


def _check_files(folder: Path, submission: Submission, result: Verification) -> None:
    """Compare every file with its hash: none is missing, and none is there besides."""
    there = {path.relative_to(folder).as_posix(): path for path in files_in(folder)}
    for name, said in submission.files.items():
        if name not in submission.paths:
            result.fail("file", name, "listed", "no file of a submission")
        elif name not in there:
            result.fail("file", name, said, "missing")
        else:
            result.compare("file", name, said, sha256_of(there[name]))
    for name in sorted(there.keys() - submission.files.keys()):
        result.fail("file", name, "not listed", "is there")


def _cases(folder: Path, submission: Submission, result: Verification) -> dict[str, str]:
    """The cases of a submission by the hash of their content, which is computed from what they hold."""
    path, bodies = folder / CASES, dict[str, str]()
    if not path.is_file():
        return bodies
    models = {_model_of(folder / run.export) for run in submission.runs} - {None}
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
        hashes = [case_hash for model in models if model and (case_hash := _hash_by(model, line))]
        bodies |= dict.fromkeys(hashes, line)
        if not hashes:
            result.fail("case", f"{CASES}, line {number}", "a case", "cannot be read")
    result.count("case", len(bodies))
    return bodies


def _model_of(export: Path) -> type[BaseModel] | None:
    """The model of the cases of an export; `None` if it cannot be read, which reading it reports."""
    try:
        return config_type(protocol_in(read_configuration(export))).model
    except OslerError:
        return None


def _hash_by(model: type[BaseModel], line: str) -> str:
    try:
        return str(model.model_validate_json(line).content_hash)  # type: ignore[attr-defined]  # every case has one
    except ValueError:
        return ""


def _check_run(
    run: RunInfo, shared: SharedRun, folder: Path, store: Store, submission: Submission, result: Verification
) -> None:
    episode = submission.episodes.get(shared.name, {})
    found = dict(line_hashes(folder / shared.export))
    for ordinal in sorted(episode.keys() | found.keys()):
        where = f"{shared.name}:{ordinal + 1}"
        result.compare("episode", where, episode.get(ordinal, "not listed"), found.get(ordinal, "missing"))
    _check_export(run, folder / shared.export, store, result)
    config = config_of(run)
    configuration = run.manifest["configuration"]
    if (configuration.get("osler"), configuration.get("knowledge")) != (osler.__version__, fingerprint()):
        here = f"Osler {osler.__version__}, knowledge {fingerprint()}"
        theirs = f"Osler {configuration.get('osler')}, knowledge {configuration.get('knowledge')}"
        result.fail("version", shared.name, theirs, here)
        return
    source = _source(config, shared, configuration, result)
    if source is not None:
        planned = counted(placed(source, config), config) * config.repeats
        result.compare("planned", shared.name, shared.planned, planned)
    result.compare("ended", shared.name, shared.planned, len(found) + _left_out(folder / shared.export))
    asyncio.run(check_replay(run, config, store, source, result))


def _left_out(export: Path) -> int:
    """The number of encounters that an export leaves out because their people do not permit it."""
    with export.open(encoding="utf-8") as file:
        return int(json.loads(next(file)).get("left_out", 0))


def _check_export(run: RunInfo, path: Path, store: Store, result: Verification) -> None:
    """Write the export again from what was read, and compare the bytes."""
    with path.open(encoding="utf-8") as file:
        for number, (said, found) in enumerate(_pairs(file, export_lines(store, run.id)), 1):
            if said != found:
                result.fail("export", f"{run.name}, line {number}", said[:200], found[:200])
    result.count("export")


def _pairs(said: Iterable[str], found: Iterator[str]) -> Iterator[tuple[str, str]]:
    for line in said:
        yield line.rstrip("\n"), next(found, "no such line")
    yield from (("no such line", line) for line in found)


def _source(
    config: Config, shared: SharedRun, configuration: Mapping[str, Any], result: Verification
) -> Source[Any] | None:
    """The cases of a run, if they are part of Osler; a file that it names is not opened."""
    folders = [name for name in _FOLDERS if getattr(config, name, None)]
    if folders or not config.cases.startswith(_OURS):
        result.unchecked.append(
            f"{shared.name}: its cases are no part of Osler, so which of them were left out is not known"
        )
        return None
    try:
        source = KeptSource(config.opened())
    except BadInput as error:
        result.fail("cases", shared.name, config.cases, str(error))
        return None
    result.compare("cases", shared.name, configuration.get("cases_fingerprint"), source.fingerprint)
    return source


def _check_card(folder: Path, found: Json, result: Verification) -> None:
    """Compare the card with the one computed from the files, value by value."""
    try:
        value: Json = json.loads((folder / CARD).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        result.fail("card", CARD, "a card", str(error))
        return
    if not isinstance(value, dict):
        result.fail("card", CARD, "a card", "no object")
        return
    result.compare("card hash", CARD, value.get("hash"), card_hash(value))
    found = json.loads(json.dumps(found))
    mine, theirs = _leaves(value), _leaves(found)
    for where in sorted(mine.keys() | theirs.keys()):
        result.compare("figure", where, mine.get(where, "missing"), theirs.get(where, "missing"))
    page = folder / PAGE
    if page.is_file():
        result.compare("page", PAGE, sha256_of(page), sha256(html(found).encode()).hexdigest())


def _leaves(value: Any, before: str = "card") -> dict[str, Any]:
    if isinstance(value, dict) and value:
        return {
            path: leaf
            for name, one in value.items()
            for path, leaf in _leaves(one, f"{before}.{name}").items()
        }
    if isinstance(value, list) and value:
        return {
            path: leaf
            for at, one in enumerate(value)
            for path, leaf in _leaves(one, f"{before}[{at}]").items()
        }
    return {before: value}
